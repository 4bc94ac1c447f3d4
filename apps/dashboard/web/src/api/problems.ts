import { ChairsideError } from '@chairside/client';

/** The description of an error for people. */
export type Problem = { message: string; requestId: string | undefined };

const UNREACHABLE = 'The service is unreachable.';
const PERHAPS_CHANGED = 'If you sent a change, it may have been made: check before you try again.';

/** The errors of requests that only read. */
const failedReads = new WeakSet<object>();

/** Notes that a request that only reads has failed, so that its message does not speak of a change. */
export const noteFailedRead = (error: object): void => void failedReads.add(error);

/** The input of a person cannot be used. The message explains what to enter. */
export class UnusableInput extends Error {
  override readonly name = 'UnusableInput';
}

/**
 * Refusals that stay the same when the request is repeated: of its content, of what is not allowed, and of what does not
 * exist.
 */
const LASTING: readonly number[] = [400, 403, 404, 410];

/** Whether the same request may succeed later. */
export const canPass = (error: unknown): boolean =>
  !(error instanceof ChairsideError && error.status !== undefined && LASTING.includes(error.status));

/** Whether a thing does not exist, or no longer. */
export const isGone = (error: unknown): boolean => error instanceof ChairsideError && error.status === 404;

/** Whether a password or a code was wrong. Only the message says it: the status is also that of other refusals. */
export const isWrongProof = (error: unknown): boolean =>
  error instanceof ChairsideError &&
  (error.status === 401 || error.status === 403) &&
  error.message.startsWith('Wrong ');

/** The message for an error. The api's own messages are written for people. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof UnusableInput) return { message: error.message, requestId: undefined };
  if (!(error instanceof ChairsideError))
    return {
      message: 'This page failed. Reload it. If that does not help, report it.',
      requestId: undefined,
    };
  const { status, message, requestId } = error;
  if (status === undefined)
    return {
      message: failedReads.has(error) ? UNREACHABLE : `${UNREACHABLE} ${PERHAPS_CHANGED}`,
      requestId,
    };
  // A refusal is not worth a report. Its message says what to do.
  return { message, requestId: status >= 500 ? requestId : undefined };
};

/**
 * The messages of a refused request by the fields that they are about. The message of a part of a field, such as
 * `weekdays.monday.0`, is also that of the field.
 */
export const fieldMessages = (error: unknown): Record<string, string> => {
  if (!(error instanceof ChairsideError)) return {};
  return Object.fromEntries(
    (error.issues ?? []).flatMap(({ path, message }) => [
      [path.replace(/\..*/s, ''), message],
      [path, message],
    ]),
  );
};
