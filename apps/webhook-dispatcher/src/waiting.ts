import type { Capacity } from './capacity.ts';
import { type Lane, type Speed, speedOf } from './lane.ts';

/** The lanes that could go on if the process had room, or a way out; first come, first served. */
export type Waiting = {
  toBegin(lane: Lane): void;
  toClaim(lane: Lane): void;
  /** Something has ended: has those go on that it may have made room for. */
  goOn(): void;
  goOnAll(): void;
  all(): Lane[];
};

/** @param pump has a lane go on as far as it can, and says whether it did */
export const createWaiting = (capacity: Capacity, pump: (lane: Lane) => boolean): Waiting => {
  const toBegin = new Set<Lane>();
  const toClaim: Readonly<Record<Speed, Set<Lane>>> = {
    unknown: new Set(),
    fast: new Set(),
    slow: new Set(),
  };
  const speeds = Object.keys(toClaim) as Speed[];
  const every = [toBegin, ...Object.values(toClaim)];
  const all = () => [...new Set(every.flatMap((lanes) => [...lanes]))];

  /** Until one goes on: that leaves no more room than has just become free. */
  const goOnIn = (lanes: Set<Lane>): void => {
    // Who still cannot waits again, behind the others.
    let left = lanes.size;
    for (const lane of lanes) {
      if (left-- === 0) return;
      lanes.delete(lane);
      if (pump(lane)) return;
    }
  };

  return {
    toBegin: (lane) => void toBegin.add(lane),
    toClaim: (lane) => void toClaim[speedOf(lane)].add(lane),
    goOn() {
      if (!capacity.mayBegin()) return;
      goOnIn(toBegin);
      // Also if one has begun: what ended was a claim, too.
      for (const speed of speeds) if (capacity.mayClaim(speed)) goOnIn(toClaim[speed]);
    },
    goOnAll() {
      const lanes = all();
      for (const each of every) each.clear();
      for (const lane of lanes) pump(lane);
    },
    all,
  };
};
