import type { LaneRef } from '@chairside/mongodb/dispatch';
import { LRUCache } from 'lru-cache';
import { isIdleFor, type Lane, newLane, use } from './lane.ts';

/** Maximum number of subscriptions without a lane whose pace is remembered. */
const MAX_PACES = 50_000;

/** The lanes of this process, by subscription. */
export class Lanes {
  readonly #open = new Map<string, Lane>();
  /**
   * The paces of closed lanes. Most receivers get events rarely, and without this cache each event would find its
   * receiver unknown.
   */
  readonly #paces = new LRUCache<string, number>({ max: MAX_PACES });

  get size(): number {
    return this.#open.size;
  }

  all(): Iterable<Lane> {
    return this.#open.values();
  }

  /** Returns the lane of a subscription, and opens one if there is none. */
  of(ref: LaneRef): Lane {
    const { subscriptionId } = ref;
    const now = performance.now();
    const lane = this.#open.get(subscriptionId) ?? newLane(ref, now, this.#paces.get(subscriptionId));
    this.#open.set(subscriptionId, lane);
    use(lane, now);
    return lane;
  }

  /**
   * Closes the lanes that have been idle for this many milliseconds.
   *
   * @param look reads the backlog of an idle lane once more before it is closed. Otherwise a delivery that the lane has
   *   missed would stay in the database
   * @returns the subscriptions of the closed lanes
   */
  closeIdle(milliseconds: number, look: (lane: Lane) => void): string[] {
    const now = performance.now();
    const idle = [...this.all()].filter((lane) => isIdleFor(lane, milliseconds, now));
    const finished = idle.filter(({ hasLooked }) => hasLooked);
    for (const lane of idle.filter(({ hasLooked }) => !hasLooked)) {
      lane.hasLooked = true;
      look(lane);
    }
    for (const { subscriptionId, paceMs } of finished) {
      this.#open.delete(subscriptionId);
      this.#paces.set(subscriptionId, paceMs);
    }
    return finished.map(({ subscriptionId }) => subscriptionId);
  }
}
