import type { WebhookDelivery } from '@chairside/client';

/** How often the progress of a delivery or of a bulk redelivery is read. */
const POLL_MS = 500;
/** How long a command waits for one delivery: an attempt takes at most 5 s, and may wait for its turn. */
export const MAX_WAIT_MS = 30_000;

/** Reads the state until it is final, or until `maxWait` milliseconds have passed. Returns the last state. */
export const untilDone = async <T>(
  read: () => PromiseLike<T>,
  isDone: (state: T) => boolean,
  maxWait = Number.POSITIVE_INFINITY,
): Promise<T> => {
  const end = performance.now() + maxWait;
  for (;;) {
    const state = await read();
    if (isDone(state) || performance.now() > end) return state;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
};

export const isFinal = ({ outcome }: { outcome: string }): boolean =>
  outcome !== 'queued' && outcome !== 'sending';

/**
 * Why a delivery has not succeeded, in sentences; undefined if it has.
 *
 * @param refused the sentence about a receiver that did not accept it
 */
export const problemOf = (
  { _id, outcome, reason = '' }: Pick<WebhookDelivery, '_id' | 'outcome' | 'reason'>,
  refused: string,
): string | undefined => {
  switch (outcome) {
    case 'succeeded':
      return undefined;
    case 'failed':
      return `${refused} ${reason}`.trimEnd();
    case 'skipped':
      return `Nothing was sent. ${reason}`.trimEnd();
    case 'interrupted':
      return 'The attempt was interrupted. It is unknown whether the receiver accepted it.';
    default:
      return `The delivery has not ended after ${MAX_WAIT_MS / 1000} s. It is sent later. See: chairside deliveries get ${_id}`;
  }
};
