/** A limit of the rate limiter: so many calls in a window of this length. */
type Limit = { calls: number; seconds: number };
type State = { resetSeconds: number };
/** The rate limiter of `@chairside/queue`, which this package cannot name without a cycle. */
type Limiter = {
  take(key: string, limit: Limit, cost?: number): Promise<State>;
  look(key: string, limit: Limit): Promise<State>;
  refund(key: string, limit: Limit): Promise<void>;
};

const LONGER_THAN_ANY_TEST_S = 24 * 3600;

/**
 * Makes the windows of a limiter longer than any test, so that a count does not depend on how fast the machine makes the
 * calls. Callers see the window that they have asked for. Open the limiter with a `commandTimeout` of
 * `LONGEST_WAIT_MS`: a limiter that waits less for Redis counts for itself when the machine is busy.
 */
export const steadyLimiter = <L extends Limiter>(limiter: L): L => {
  const steady = <T extends Limit>(limit: T): T => ({ ...limit, seconds: LONGER_THAN_ANY_TEST_S });
  const seen = async (limit: Limit, state: Promise<State>): Promise<State> => {
    const { resetSeconds, ...rest } = await state;
    return { ...rest, resetSeconds: Math.min(resetSeconds, limit.seconds) };
  };
  const changed: Limiter = {
    take: (key, limit, cost) => seen(limit, limiter.take(key, steady(limit), cost)),
    look: (key, limit) => seen(limit, limiter.look(key, steady(limit))),
    refund: (key, limit) => limiter.refund(key, steady(limit)),
  };
  return { ...limiter, ...changed };
};
