import { SignatureError } from './signature-error.ts';

const MIN_SECRET_BYTES = 16;

/**
 * The greatest number of secrets with which one verifier checks a request. A request without a valid signature costs one
 * HMAC for each secret, so the number is bounded.
 */
export const MAX_SECRETS = 256;

/**
 * The signing secret of a subscription, or several secrets: those of the subscriptions that share a URL, one for each
 * clinic, or the old and the new one during a rotation. The key of the HMAC is the UTF-8 encoding of the whole text,
 * including `whsec_`. The secret is not decoded from Base64.
 *
 * @example
 * const secret: Secret = [process.env.NEW_SECRET, process.env.OLD_SECRET].filter((s) => s !== undefined);
 */
export type Secret = string | readonly string[];

/**
 * Checks the `secret` option. No message contains any part of a secret.
 *
 * @param most how many secrets it may have; a signer takes as many as a header has signatures
 */
export function readSecrets(secret: Secret | undefined, most = MAX_SECRETS): readonly string[] {
  if (!Array.isArray(secret)) return [readSecret(secret)];
  if (secret.length < 1 || secret.length > most)
    badSecret(`secret is an array of ${secret.length} secrets; pass 1 to ${most}`);
  return Array.from(secret, readSecret);
}

/**
 * Returns a sentence, with a leading space, if none of the secrets has the form of a subscription's secret; otherwise
 * an empty string. The sentence contains no part of a secret.
 */
export function hintOf(secrets: readonly string[]): string {
  if (secrets.some((secret) => secret.startsWith('whsec_'))) return '';
  const isOther = secrets.some((secret) => secret.startsWith('chairside_'));
  return ` The secret ${isOther ? 'is an API key or an access token' : 'does not begin with "whsec_"'}.`;
}

function readSecret(secret: unknown): string {
  if (secret === undefined || secret === null || secret === '') {
    badSecret('secret is missing or empty; set its environment variable');
  }
  if (typeof secret !== 'string') {
    badSecret('secret must be the string of the subscription, not decoded');
  }
  if (secret !== secret.trim()) {
    badSecret('secret begins or ends with whitespace; trim it where you load it');
  }
  // Text never has more UTF-16 units than UTF-8 bytes, so only a short secret must be encoded to count its bytes.
  if (secret.length < MIN_SECRET_BYTES && new TextEncoder().encode(secret).length < MIN_SECRET_BYTES) {
    badSecret(`secret is shorter than ${MIN_SECRET_BYTES} bytes; pass the whole secret, including "whsec_"`);
  }
  return secret;
}

function badSecret(reason: string): never {
  throw new SignatureError('bad_secret', `${reason}.`);
}
