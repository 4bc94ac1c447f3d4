import type { Lane, Speed } from './lane.ts';
import type { Room } from './next-action.ts';

/** The resource that a lane waits for: an attempt, or a claim for a receiver of its speed. */
type Want = 'attempt' | Speed;

/** The order of precedence. Unknown receivers come first, so that known receivers do not delay them. */
const SPEEDS: readonly Speed[] = ['unknown', 'fast', 'slow'];

/** The lanes that are blocked because the process has no room. First come, first served. */
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
   * Advances one lane of each group for which there is room again. One is enough, because one slot has become free.
   *
   * @param room returns what the process has room for; called again after each lane
   * @param advance advances a lane, and returns whether it did anything
   */
  resume(room: () => Room, advance: (lane: Lane) => boolean): void {
    if (!room().mayBegin) return;
    this.#resumeWanting('attempt', advance);
    // A delivery that ends frees both an attempt and a claim. So a lane that waits for a claim advances even if a
    // waiting attempt has just begun.
    for (const speed of SPEEDS) if (room().mayClaim[speed]) this.#resumeWanting(speed, advance);
  }

  #resumeWanting(want: Want, advance: (lane: Lane) => boolean): void {
    const lanes = this.#waiting[want];
    // A lane that is still blocked goes to the back of the queue. Each lane is tried once.
    let untried = lanes.size;
    for (const lane of lanes) {
      if (untried-- === 0) return;
      lanes.delete(lane);
      if (advance(lane)) return;
    }
  }
}
