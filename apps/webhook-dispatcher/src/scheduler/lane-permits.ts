import type { Permits } from '../delivery/attempt-permits.ts';
import { isSlowed, type Lane } from './lane.ts';

/** The longest time after which a lane asks again for its permit during a pause, which another process may have ended. */
const PAUSE_CHECK_MS = 5000;
/** The longest time after which a lane asks again for a permit that another process has. */
const OTHER_CHECK_MS = 1000;
/** The shortest time after which a lane asks again for its permit. */
const MIN_CHECK_MS = 20;

/** What happens with the permit of a lane. */
export type LanePermitListener = {
  /** The lane may ask for its permit, again. */
  onFree(lane: Lane): void;
  /** @param failures the failures in a row of the subscription */
  onFailures(lane: Lane, failures: number): void;
  /** It is unknown whether the permit was taken. */
  onError(lane: Lane, error: unknown): void;
};

/** Takes the permits of lanes whose subscriptions are slowed down, and gives them back. */
export class LanePermits {
  readonly #permits: Permits;
  readonly #listener: LanePermitListener;
  /** The permits that are being taken or given back. */
  readonly #pending = new Set<Promise<void>>();
  #isStopping = false;

  constructor(permits: Permits, listener: LanePermitListener) {
    this.#permits = permits;
    this.#listener = listener;
  }

  /**
   * Tries to take the permit. If it is not free, the lane waits.
   *
   * @param ignoresPause for a test or a redelivery
   */
  take(lane: Lane, ignoresPause: boolean): Promise<void> {
    return this.#until(this.#ask(lane, ignoresPause));
  }

  /** The token of the lane's permit, which ends with the attempt that begins now. */
  use(lane: Lane): string | undefined {
    if (lane.permit.state !== 'held') return undefined;
    const { token } = lane.permit;
    lane.permit = { state: 'free' };
    return token;
  }

  giveBack(lane: Lane): void {
    const token = this.use(lane);
    if (token === undefined) return;
    lane.permit = { state: 'pending' };
    const givenBack = this.#permits.giveBack(lane.subscriptionId, token).then(() => {
      lane.permit = { state: 'free' };
      this.#listener.onFree(lane);
    });
    void this.#until(givenBack);
  }

  /** A permit that is taken from now on is given back at once. */
  pause(): void {
    this.#isStopping = true;
  }

  /** Call after `pause`. Resolves when no permit is being taken or given back. */
  async stop(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #until(changed: Promise<void>): Promise<void> {
    const done = changed.finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return done;
  }

  async #ask(lane: Lane, ignoresPause: boolean): Promise<void> {
    const { subscriptionId } = lane;
    const takenAt = performance.now();
    lane.permit = { state: 'pending' };
    try {
      const { isTaken, token, ...response } = await this.#permits.take({ subscriptionId, ignoresPause });
      lane.permit = isTaken ? { state: 'held', token, takenAt, ignoresPause } : { state: 'free' };
      this.#listener.onFailures(lane, response.consecutiveFailures);
      if (!isTaken && isSlowed(lane)) this.#wait(lane, response);
      if (this.#isStopping) this.giveBack(lane);
    } catch (error) {
      lane.permit = { state: 'free' };
      this.#listener.onError(lane, error);
    }
  }

  #wait(lane: Lane, { pauseMs, otherMs }: { pauseMs: number; otherMs: number }): void {
    const waiting = { state: 'waiting', isPause: otherMs === 0 } as const;
    lane.permit = waiting;
    const rest = waiting.isPause ? Math.min(pauseMs, PAUSE_CHECK_MS) : Math.min(otherMs, OTHER_CHECK_MS);
    setTimeout(
      () => {
        if (lane.permit !== waiting) return;
        lane.permit = { state: 'free' };
        this.#listener.onFree(lane);
      },
      Math.max(rest, MIN_CHECK_MS),
    ).unref();
  }
}
