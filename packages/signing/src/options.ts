import { SignatureError } from './signature-error.ts';
import { MAX_SIGNATURES } from './signature-header.ts';

const MIN_SECRET_BYTES = 16;
const DEFAULT_TOLERANCE = 300;
const MAX_SECONDS = 999_999_999_999;

/** One signing secret, or several while one replaces another. */
export type Secret = string | readonly string[];

/** Checks what was given as `secret`; no message ever repeats any of it. */
export function readSecrets(secret: Secret): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) badSecret('secret is an empty array; give at least one secret');
  if (secrets.length > MAX_SIGNATURES) badSecret(`secret holds more than ${MAX_SIGNATURES} secrets`);
  return secrets.map(readSecret);
}

function readSecret(secret: unknown): string {
  if (secret === undefined || secret === null) {
    badSecret(`secret is ${secret}; is the environment variable set where this runs?`);
  }
  if (typeof secret !== 'string') {
    badSecret(
      'secret must be the string shown when the subscription was created, "whsec_" included, nothing decoded',
    );
  }
  if (secret === '') badSecret('secret is empty; is the environment variable set where this runs?');
  if (secret !== secret.trim()) {
    badSecret(
      'secret has whitespace or a line break around it, often from a file or a copy; trim it where you load it',
    );
  }
  // UTF-8 is never shorter than UTF-16 counted in units, so most secrets need no encoding to be judged.
  if (secret.length < MIN_SECRET_BYTES && new TextEncoder().encode(secret).length < MIN_SECRET_BYTES) {
    badSecret(`secret is shorter than ${MIN_SECRET_BYTES} bytes; give the whole of it, "whsec_" included`);
  }
  return secret;
}

/** Seconds of tolerance; Infinity stands for a check that was switched off. */
export function readTolerance(tolerance: number | false | undefined): number {
  if (tolerance === undefined) return DEFAULT_TOLERANCE;
  if (tolerance === false) return Number.POSITIVE_INFINITY;
  if (typeof tolerance === 'number' && tolerance > 0 && tolerance < Number.POSITIVE_INFINITY)
    return tolerance;
  throw new SignatureError(
    'bad_option',
    'tolerance must be a positive number of seconds (default 300), or false to accept any age.',
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
    `timestamp must be Unix time in whole seconds${millisecondsHint(timestamp)}, for example Math.floor(Date.now() / 1000).`,
  );
}

function millisecondsHint(value: unknown): string {
  return typeof value === 'number' && value > MAX_SECONDS ? ' (this looks like milliseconds)' : '';
}

/** The last check, in both directions: a clock that runs ahead is as wrong as a replay. */
export function checkAge(timestamp: number, now: number, tolerance: number): void {
  const age = now - timestamp;
  if (age > tolerance) {
    throw new SignatureError(
      'too_old',
      `The request was signed ${age} s ago; ${tolerance} s are tolerated. It is a replay, was held up on its way, or this machine's clock runs ahead.`,
    );
  }
  if (-age > tolerance) {
    throw new SignatureError(
      'too_new',
      `The request was signed ${-age} s in the future; ${tolerance} s are tolerated. This machine's clock runs behind: synchronize it.`,
    );
  }
}

function badSecret(reason: string): never {
  throw new SignatureError('bad_secret', `${reason}.`);
}
