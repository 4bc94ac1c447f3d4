import type { Verified } from './options.ts';
import { SignatureError } from './signature-error.ts';

const DEFAULT_TOLERANCE = 300;
// Twelve digits: seconds until the year 33658, and too few for a time in milliseconds after 2001.
const MAX_SECONDS = 999_999_999_999;

/** Seconds of tolerance; Infinity is a check that was switched off. */
export function readTolerance(tolerance: number | false | undefined): number {
  if (tolerance === undefined) return DEFAULT_TOLERANCE;
  if (tolerance === false) return Number.POSITIVE_INFINITY;
  if (typeof tolerance === 'number' && tolerance > 0 && tolerance < Number.POSITIVE_INFINITY)
    return tolerance;
  throw new SignatureError(
    'bad_option',
    `tolerance must be a positive number of seconds (default ${DEFAULT_TOLERANCE}), or false to accept any age.`,
  );
}

/** Whole Unix seconds, from the caller or the clock. A fraction is dropped, as the sender drops it. */
export function readNow(now: number | undefined): number {
  if (now === undefined) return Math.floor(Date.now() / 1000);
  if (typeof now === 'number' && now >= 0 && now <= MAX_SECONDS) return Math.floor(now);
  throw new SignatureError('bad_option', `now must be Unix time in seconds${millisecondsHint(now)}.`);
}

/** The `t` to sign with. It is signed as text, so it has to be a whole number. */
export function readTimestamp(timestamp: number): number {
  if (Number.isInteger(timestamp) && timestamp >= 0 && timestamp <= MAX_SECONDS) return timestamp;
  throw new SignatureError(
    'bad_option',
    `timestamp must be Unix time in whole seconds${millisecondsHint(timestamp)}: Math.floor(Date.now() / 1000).`,
  );
}

function millisecondsHint(value: unknown): string {
  return typeof value === 'number' && value > MAX_SECONDS ? ', and this looks like milliseconds' : '';
}

/** The last check, after the MAC, so that its verdict tells a stranger nothing. The edge itself is accepted. */
export function checkAge(timestamp: number, now: number, tolerance: number): Verified {
  const age = now - timestamp;
  if (age > tolerance) {
    throw new SignatureError(
      'too_old',
      `The request was signed ${age} s ago and ${tolerance} s are tolerated: it is a replay, it was held up, or this machine's clock runs ahead.`,
    );
  }
  if (-age > tolerance) {
    throw new SignatureError(
      'too_new',
      `The request was signed ${-age} s in the future and ${tolerance} s are tolerated: this machine's clock runs behind. Synchronize it.`,
    );
  }
  return { timestamp };
}
