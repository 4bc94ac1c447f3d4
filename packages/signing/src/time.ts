import type { Verified } from './options.ts';
import { SignatureError } from './signature-error.ts';

const DEFAULT_TOLERANCE = 300;
// Twelve digits are enough for seconds until the year 33658, and too few for milliseconds after 2001.
const MAX_SECONDS = 999_999_999_999;

/** The tolerance in seconds. Infinity disables the check. */
export function readTolerance(tolerance: number | false | undefined): number {
  if (tolerance === undefined) return DEFAULT_TOLERANCE;
  if (tolerance === false) return Number.POSITIVE_INFINITY;
  if (typeof tolerance === 'number' && tolerance > 0 && tolerance < Number.POSITIVE_INFINITY)
    return tolerance;
  throw new SignatureError(
    'bad_option',
    `tolerance must be a positive number of seconds (default ${DEFAULT_TOLERANCE}), or false.`,
  );
}

/** The time in whole Unix seconds, from the caller or the clock. A fraction is dropped, as in the sender. */
export function readNow(now: number | undefined): number {
  if (now === undefined) return Math.floor(Date.now() / 1000);
  if (typeof now === 'number' && now >= 0 && now <= MAX_SECONDS) return Math.floor(now);
  throw new SignatureError('bad_option', `now must be Unix time in seconds${millisecondsHint(now)}.`);
}

/** The `t` of a new signature. It must be a whole number, because its text is signed. */
export function readTimestamp(timestamp: number): number {
  if (Number.isInteger(timestamp) && timestamp >= 0 && timestamp <= MAX_SECONDS) return timestamp;
  throw new SignatureError(
    'bad_option',
    `timestamp must be Unix time in whole seconds${millisecondsHint(timestamp)}: Math.floor(Date.now() / 1000).`,
  );
}

function millisecondsHint(value: unknown): string {
  return typeof value === 'number' && value > MAX_SECONDS ? ', but this value looks like milliseconds' : '';
}

/**
 * Checks the age after the MAC has been verified, so that a caller without the secret learns nothing from the result.
 * An age equal to the tolerance is accepted.
 */
export function checkAge(timestamp: number, now: number, tolerance: number): Verified {
  const age = now - timestamp;
  if (age > tolerance) {
    throw new SignatureError(
      'too_old',
      `The request was signed ${age} s ago, but the tolerance is ${tolerance} s. It is a replay, or late, or this clock is fast.`,
    );
  }
  if (-age > tolerance) {
    throw new SignatureError(
      'too_new',
      `The request was signed ${-age} s in the future, but the tolerance is ${tolerance} s. This clock is slow.`,
    );
  }
  return { timestamp };
}
