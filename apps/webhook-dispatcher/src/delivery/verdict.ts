import { type FailureCause, reasonOfRedirect, ServiceError, type Timings } from '@chairside/domain';
import { BlockedAddressError } from '@chairside/network';
import { errors } from 'undici';
import type { Connection } from './connect.ts';
import { type FailureReason, reasonOf } from './failure-reasons.ts';

/** The attempt has exceeded its time limit. */
export class DeadlineError extends ServiceError {}

/** The outcome of an attempt. */
export type Verdict = { outcome: 'succeeded' } | ({ outcome: 'failed'; cause: FailureCause } & FailureReason);

const CONNECT_CAUSES = { lookup: 'dns', connect: 'connect', tls: 'tls' } as const;

const causeOf = (error: Error, { phase }: Connection): Exclude<FailureCause, 'status' | 'redirect'> => {
  if (error instanceof DeadlineError || error instanceof errors.ConnectTimeoutError) return 'timeout';
  if (error instanceof BlockedAddressError) return 'blocked_address';
  // The client refuses to build an invalid request, for example with a line break in a header.
  if (error instanceof errors.InvalidArgumentError) return 'configuration';
  if (phase !== 'open') return CONNECT_CAUSES[phase];
  const isGarbage =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    /^bad (response|upgrade)$/.test(error.message);
  return isGarbage ? 'protocol' : 'reset';
};

/**
 * The verdict on an attempt that ended without a status line.
 *
 * @param timeout milliseconds that an attempt may take
 */
export const verdictOnError = (error: Error, connection: Connection, timeout: number): Verdict => {
  const cause = causeOf(error, connection);
  const { phase, certificate } = connection;
  return {
    outcome: 'failed',
    cause,
    ...reasonOf(error, cause, { phase, seconds: timeout / 1000, certificate }),
  };
};

export const verdictOnStatus = (statusCode: number): Verdict => {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'succeeded' };
  if (statusCode >= 300 && statusCode < 400)
    return { outcome: 'failed', cause: 'redirect', reason: reasonOfRedirect(statusCode) };
  return { outcome: 'failed', cause: 'status', reason: `The receiver responded with status ${statusCode}.` };
};

/** Rounds milliseconds to tenths. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** The durations of the phases of an attempt that began at `startedAt` and got its outcome at `now`. */
export const timingsOf = (connection: Connection, startedAt: number, now: number): Timings => {
  const { phase, since, timings } = connection;
  if (phase === 'open' && since < startedAt) return { firstByte: rounded(now - startedAt) };
  const last = phase === 'open' ? 'firstByte' : phase;
  return Object.fromEntries(
    Object.entries({ ...timings, [last]: now - since }).map(([name, value]) => [name, rounded(value)]),
  );
};
