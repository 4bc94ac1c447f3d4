import type { ServerResponse } from 'node:http';
import { Refusal } from '@chairside/domain';

/**
 * Resolves when the response has been sent or its connection is closed, even if that was before the call. The event
 * `close` alone is not enough: a caller may disconnect while a request waits, and then the event has been emitted.
 */
export const untilClosed = (response: ServerResponse): Promise<void> =>
  response.closed ? Promise.resolve() : new Promise((resolve) => response.once('close', resolve));

/**
 * A signal that is aborted when {@link untilClosed} resolves: at the end of the response, or when the caller has gone before.
 *
 * @param reason its reason; by default an `AbortError`
 */
export const closedSignal = (response: ServerResponse, reason?: Error): AbortSignal => {
  const closed = new AbortController();
  untilClosed(response).then(() => closed.abort(reason));
  return closed.signal;
};

/** What ends the work for a caller that has gone. Nobody receives it as a response. */
export const disconnected = (cause?: unknown): Refusal =>
  new Refusal('BadRequest', 'The caller has disconnected.', { cause });
