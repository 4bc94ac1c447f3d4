import { SignatureError } from './signature-error.ts';
import { MAX_SIGNATURES } from './signature-header.ts';

const MIN_SECRET_BYTES = 16;

/**
 * The signing secret of a subscription, or several while one replaces another. The key is the UTF-8 of the whole
 * text, the `whsec_` in front included; nothing is decoded.
 *
 * @example
 * const secret: Secret = [process.env.NEW_SECRET, process.env.OLD_SECRET].filter((s) => s !== undefined);
 */
export type Secret = string | readonly string[];

/** Checks what was given as `secret`; no message ever repeats any of it. */
export function readSecrets(secret: Secret | undefined): readonly string[] {
  if (!Array.isArray(secret)) return [readSecret(secret)];
  if (secret.length === 0) badSecret('secret is an empty array; give at least one');
  if (secret.length > MAX_SIGNATURES) badSecret(`secret is an array of more than ${MAX_SIGNATURES}`);
  return Array.from(secret, readSecret);
}

/**
 * A sentence about secrets that cannot be those of a subscription, with a space before it; empty if they can. It repeats
 * nothing of a secret.
 */
export function hintOf(secrets: readonly string[]): string {
  if (secrets.some((secret) => secret.startsWith('whsec_'))) return '';
  const isOther = secrets.some((secret) => secret.startsWith('chairside_'));
  return ` The secret ${isOther ? 'is an API key or an access token' : 'does not begin with "whsec_"'}.`;
}

function readSecret(secret: unknown): string {
  if (secret === undefined || secret === null || secret === '') {
    badSecret('secret is missing or empty; set the environment variable it comes from where this runs');
  }
  if (typeof secret !== 'string') {
    badSecret(
      'secret must be a string, the one shown when the subscription was created, with nothing decoded',
    );
  }
  if (secret !== secret.trim()) {
    badSecret(
      'secret has whitespace or a line break around it, as a file or a copy leaves it; trim it where you load it',
    );
  }
  // Text never has more UTF-16 units than UTF-8 bytes: only a short one needs to be encoded to be judged.
  if (secret.length < MIN_SECRET_BYTES && new TextEncoder().encode(secret).length < MIN_SECRET_BYTES) {
    badSecret(`secret is shorter than ${MIN_SECRET_BYTES} bytes; give the whole of it, "whsec_" included`);
  }
  return secret;
}

function badSecret(reason: string): never {
  throw new SignatureError('bad_secret', `${reason}.`);
}
