import type { Turns } from '../delivery/attempt-turns.ts';
import { isSlowed, type Lane } from './lane.ts';

/** The longest time after which a lane asks again for its turn during a pause, which another process may have ended. */
const PAUSE_CHECK_MS = 5000;
/** The longest time after which a lane asks again for a turn that another process has. */
const OTHER_CHECK_MS = 1000;
/** The shortest time after which a lane asks again for its turn. */
const MIN_CHECK_MS = 20;

/** What happens with the turn of a lane. */
export type LaneTurnListener = {
  /** The lane may ask for its turn, again. */
  onFree(lane: Lane): void;
  /** @param failures the failures in a row of the subscription */
  onFailures(lane: Lane, failures: number): void;
  /** It is unknown whether the turn was taken. */
  onError(lane: Lane, error: unknown): void;
};

/** Takes the turns of lanes whose subscriptions are slowed down, and gives them back. */
export class LaneTurns {
  readonly #turns: Turns;
  readonly #listener: LaneTurnListener;
  /** The turns that are being taken or given back. */
  readonly #pending = new Set<Promise<void>>();
  #isStopping = false;

  constructor(turns: Turns, listener: LaneTurnListener) {
    this.#turns = turns;
    this.#listener = listener;
  }

  /**
   * Tries to take the turn. If it is not free, the lane waits.
   *
   * @param ignoresPause for a test or a redelivery
   */
  take(lane: Lane, ignoresPause: boolean): Promise<void> {
    return this.#until(this.#ask(lane, ignoresPause));
  }

  /** The token of the lane's turn, which ends with the attempt that begins now. */
  use(lane: Lane): string | undefined {
    if (lane.turn.state !== 'held') return undefined;
    const { token } = lane.turn;
    lane.turn = { state: 'free' };
    return token;
  }

  giveBack(lane: Lane): void {
    const token = this.use(lane);
    if (token === undefined) return;
    lane.turn = { state: 'pending' };
    const givenBack = this.#turns.giveBack(lane.subscriptionId, token).then(() => {
      lane.turn = { state: 'free' };
      this.#listener.onFree(lane);
    });
    void this.#until(givenBack);
  }

  /** A turn that is taken from now on is given back at once. */
  pause(): void {
    this.#isStopping = true;
  }

  /** Call after `pause`. Resolves when no turn is being taken or given back. */
  async stop(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #until(turned: Promise<void>): Promise<void> {
    const done = turned.finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return done;
  }

  async #ask(lane: Lane, ignoresPause: boolean): Promise<void> {
    const { subscriptionId } = lane;
    const takenAt = performance.now();
    lane.turn = { state: 'pending' };
    try {
      const { isTaken, token, ...response } = await this.#turns.take({ subscriptionId, ignoresPause });
      lane.turn = isTaken ? { state: 'held', token, takenAt, ignoresPause } : { state: 'free' };
      this.#listener.onFailures(lane, response.consecutiveFailures);
      if (!isTaken && isSlowed(lane)) this.#wait(lane, response);
      if (this.#isStopping) this.giveBack(lane);
    } catch (error) {
      lane.turn = { state: 'free' };
      this.#listener.onError(lane, error);
    }
  }

  #wait(lane: Lane, { pauseMs, otherMs }: { pauseMs: number; otherMs: number }): void {
    const waiting = { state: 'waiting', isPause: otherMs === 0 } as const;
    lane.turn = waiting;
    const rest = waiting.isPause ? Math.min(pauseMs, PAUSE_CHECK_MS) : Math.min(otherMs, OTHER_CHECK_MS);
    setTimeout(
      () => {
        if (lane.turn !== waiting) return;
        lane.turn = { state: 'free' };
        this.#listener.onFree(lane);
      },
      Math.max(rest, MIN_CHECK_MS),
    ).unref();
  }
}
