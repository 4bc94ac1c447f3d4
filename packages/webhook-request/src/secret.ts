import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const KEY_BYTES = 24;

/**
 * A new secret of a subscription: `whsec_` and 32 characters of `[A-Za-z0-9]`, which are 24 random bytes in Base64. Bytes
 * whose Base64 has `+` or `/` are drawn again, so that the secret is the same text in the URL alphabet, and can be selected
 * with a double click.
 */
export const newWebhookSecret = (): string => {
  for (;;) {
    const text = randomBytes(KEY_BYTES).toString('base64');
    if (/^[A-Za-z0-9]+$/.test(text)) return PREFIX + text;
  }
};

/** Whether a text has the form of a subscription's secret. */
export const isWebhookSecret = (text: string): boolean => /^whsec_[A-Za-z0-9]{32}$/.test(text);

/**
 * The key of `webhook-signature`: the bytes that the part after `whsec_` encodes (Standard Webhooks, "Signature scheme").
 */
export const standardKey = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');
