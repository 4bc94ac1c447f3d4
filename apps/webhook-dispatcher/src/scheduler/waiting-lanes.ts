import type { Lane, Speed } from './lane.ts';
import type { Room } from './next-action.ts';

/** What a lane waits for: an attempt, or a claim for a receiver of its speed. */
type Want = 'attempt' | Speed;

/** In this order, so that receivers that have not responded yet are not kept waiting by the known ones. */
const SPEEDS: readonly Speed[] = ['unknown', 'fast', 'slow'];

/** The lanes that could go on if the process had room. First come, first served. */
export class WaitingLanes {
  readonly #waiting: Readonly<Record<Want, Set<Lane>>> = {
    attempt: new Set(),
    unknown: new Set(),
    fast: new Set(),
    slow: new Set(),
  };

  add(lane: Lane, want: Want): void {
    this.#waiting[want].add(lane);
  }

  all(): Lane[] {
    return [...new Set(Object.values(this.#waiting).flatMap((lanes) => [...lanes]))];
  }

  takeAll(): Lane[] {
    const lanes = this.all();
    for (const waiting of Object.values(this.#waiting)) waiting.clear();
    return lanes;
  }

  /**
   * Lets lanes go on for which there is room again: of those that wait for the same, one, because no more room has just
   * become free.
   *
   * @param room what the process has room for, asked again after each lane
   * @param advance lets a lane go on, and returns whether it did
   */
  goOn(room: () => Room, advance: (lane: Lane) => boolean): void {
    if (!room().mayBegin) return;
    this.#goOnWith('attempt', advance);
    // Also if an attempt has begun: the one that ended was a claim too.
    for (const speed of SPEEDS) if (room().mayClaim[speed]) this.#goOnWith(speed, advance);
  }

  #goOnWith(want: Want, advance: (lane: Lane) => boolean): void {
    const lanes = this.#waiting[want];
    // A lane that cannot go on waits again, behind the others. Each is tried once.
    let untried = lanes.size;
    for (const lane of lanes) {
      if (untried-- === 0) return;
      lanes.delete(lane);
      if (advance(lane)) return;
    }
  }
}
