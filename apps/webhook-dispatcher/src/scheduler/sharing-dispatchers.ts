import { MAX_ATTEMPTS_IN_FLIGHT } from '@chairside/domain';

/** How often the live dispatchers are counted. */
const COUNT_INTERVAL_MS = 10_000;
/**
 * How long this process takes the smallest share of each subscription's attempts after it has started or stood still:
 * until every other dispatcher has counted it.
 */
const CAUTION_MS = 2 * COUNT_INTERVAL_MS;

export type SharingDispatchersOptions = {
  /** Counts the live dispatchers, with this one. */
  count(): Promise<number>;
  onError(error: unknown): void;
};

/** The number of dispatchers that share the attempts in flight of each subscription, with this one. */
export type SharingDispatchers = { current(): number; stop(): Promise<void> };

/** Counts the live dispatchers, now and every 10 s. */
export const countSharingDispatchers = ({
  count,
  onError,
}: SharingDispatchersOptions): SharingDispatchers => {
  let live = 1;
  let countedAt = Number.NEGATIVE_INFINITY;
  /** While other dispatchers live and may not know of this process. */
  let cautiousUntil = Number.POSITIVE_INFINITY;
  let counting: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    const askedAt = performance.now();
    try {
      live = Math.max(1, await count());
      if (askedAt - countedAt > CAUTION_MS) cautiousUntil = live > 1 ? askedAt + CAUTION_MS : askedAt;
      countedAt = askedAt;
    } catch (error) {
      onError(error);
    }
    counting = undefined;
  };
  const begin = (): void => {
    counting ??= read();
  };
  const timer = setInterval(begin, COUNT_INTERVAL_MS);
  begin();

  return {
    current() {
      const now = performance.now();
      return now < cautiousUntil || now - countedAt > CAUTION_MS ? MAX_ATTEMPTS_IN_FLIGHT : live;
    },
    async stop() {
      clearInterval(timer);
      await counting;
    },
  };
};
