import type { Admission } from './admission.ts';
import type { Lane, Speed } from './lane.ts';

/** The resource that a lane waits for: an attempt, or a claim for a receiver of its speed. */
type Want = 'attempt' | Speed;

/** The order of precedence. Unknown receivers come first, so that known receivers do not delay them. */
const SPEEDS: readonly Speed[] = ['unknown', 'fast', 'slow'];

/** The waiting lanes by organization, in the order of turns. Those of one are first come, first served. */
type Group = Map<string, Set<Lane>>;

/** The lanes that are blocked because the process has no room. Their organizations take turns. */
export class WaitingLanes {
  readonly #waiting: Readonly<Record<Want, Group>> = {
    attempt: new Map(),
    unknown: new Map(),
    fast: new Map(),
    slow: new Map(),
  };

  add(lane: Lane, want: Want): void {
    const group = this.#waiting[want];
    const own = group.get(lane.organizationId) ?? new Set();
    group.set(lane.organizationId, own.add(lane));
  }

  all(): Lane[] {
    const groups = Object.values(this.#waiting);
    return [...new Set(groups.flatMap((group) => [...group.values()].flatMap((lanes) => [...lanes])))];
  }

  takeAll(): Lane[] {
    const lanes = this.all();
    for (const group of Object.values(this.#waiting)) group.clear();
    return lanes;
  }

  /**
   * Advances one lane of each group for which there is room again. One is enough, because one slot has become free.
   *
   * @param admission asked again after each lane
   * @param advance advances a lane, and returns whether it did anything
   */
  resume(admission: Pick<Admission, 'mayBegin' | 'mayClaim'>, advance: (lane: Lane) => boolean): void {
    if (!admission.mayBegin()) return;
    this.#resumeWanting('attempt', (organizationId) => admission.mayBegin(organizationId), advance);
    // A delivery that ends frees both an attempt and a claim. So a lane that waits for a claim advances even if a
    // waiting attempt has just begun.
    for (const speed of SPEEDS) {
      if (!admission.mayClaim(speed)) continue;
      this.#resumeWanting(speed, (organizationId) => admission.mayClaim(speed, organizationId), advance);
    }
  }

  #resumeWanting(
    want: Want,
    hasRoom: (organizationId: string) => boolean,
    advance: (lane: Lane) => boolean,
  ): void {
    const group = this.#waiting[want];
    let untried = group.size;
    for (const [organizationId, lanes] of group) {
      if (untried-- === 0) return;
      if (!hasRoom(organizationId)) continue;
      // The organization has had its turn, so it moves to the end of the queue.
      group.delete(organizationId);
      group.set(organizationId, lanes);
      const hasAdvanced = advanceOne(lanes, advance);
      if (lanes.size === 0) group.delete(organizationId);
      if (hasAdvanced) return;
    }
  }
}

/** A lane that is still blocked goes to the back of the queue. Each lane is tried once. */
const advanceOne = (lanes: Set<Lane>, advance: (lane: Lane) => boolean): boolean => {
  let untried = lanes.size;
  for (const lane of lanes) {
    if (untried-- === 0) return false;
    lanes.delete(lane);
    if (advance(lane)) return true;
  }
  return false;
};
