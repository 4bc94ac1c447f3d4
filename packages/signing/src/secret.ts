import { SignatureError } from './signature-error.ts';
import { MAX_SIGNATURES } from './signature-header.ts';

const MIN_SECRET_BYTES = 16;

/**
 * The signing secret of a subscription, or several secrets, such as the old and the new one during a rotation. The key of the HMAC is the UTF-8 encoding of the whole text,
 * including `whsec_`. The secret is not decoded from Base64.
 *
 * @example
 * const secret: Secret = [process.env.NEW_SECRET, process.env.OLD_SECRET].filter((s) => s !== undefined);
 */
export type Secret = string | readonly string[];

/**
 * Chooses the secret of a request by the id of its subscription, if several subscriptions share a URL. It returns `undefined`
 * for an id that it does not know, and for the empty text, which it gets if the request has no id. Use a `Map`, not an object,
 * whose prototype has names of its own.
 *
 * @example
 * const secrets = new Map([['01JB000000000000SVBSCR1PT0', process.env.CHAIRSIDE_WEBHOOK_SECRET]]);
 * const secret: SecretOf = (subscriptionId) => secrets.get(subscriptionId);
 */
export type SecretOf<Found = Secret | undefined> = (subscriptionId: string) => Found;

/** Checks what a `SecretOf` has returned. */
export function readFound(found: Secret | undefined): readonly string[] {
  if (found === undefined || found === null)
    throw new SignatureError(
      'unknown_subscription',
      'There is no secret for this X-Service-Subscription-Id.',
    );
  return readSecrets(found);
}

/**
 * Checks the `secret` option. No message contains any part of a secret. A request without a valid signature costs one HMAC
 * for each secret, so their number is bounded.
 */
export function readSecrets(secret: Secret | undefined): readonly string[] {
  if (!Array.isArray(secret)) return [readSecret(secret)];
  if (secret.length < 1 || secret.length > MAX_SIGNATURES)
    badSecret(`secret is an array of ${secret.length} secrets; pass 1 to ${MAX_SIGNATURES}`);
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
