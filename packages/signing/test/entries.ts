// Wraps both entries in one asynchronous interface, so that every rule is tested with both.
import * as synchronous from '../src/index.ts';
import {
  SignatureError,
  type SignOptions,
  type Verified,
  type VerifyOptions,
  type WebhookEvent,
} from '../src/index.ts';
import * as web from '../src/web.ts';

export interface Entry {
  name: string;
  sign(options: SignOptions): Promise<string>;
  verify(options: VerifyOptions): Promise<Verified>;
  unwrap(options: VerifyOptions): Promise<WebhookEvent>;
}

export const entries: Entry[] = [
  {
    name: 'default entry',
    sign: async (options) => synchronous.sign(options),
    verify: async (options) => synchronous.verify(options),
    unwrap: async (options) => synchronous.unwrap(options),
  },
  {
    name: 'default entry, prepared',
    sign: async (options) => synchronous.createSigner(options).sign(options),
    verify: async (options) => synchronous.createVerifier(options).verify(options),
    unwrap: async (options) => synchronous.createVerifier(options).unwrap(options),
  },
  { name: 'web entry', sign: web.sign, verify: web.verify, unwrap: web.unwrap },
  {
    name: 'web entry, prepared',
    sign: async (options) => web.createSigner(options).sign(options),
    verify: async (options) => web.createVerifier(options).verify(options),
    unwrap: async (options) => web.createVerifier(options).unwrap(options),
  },
];

/** Returns the SignatureError of a call. Throws another error if the call succeeds or fails differently. */
export async function refusal(action: () => unknown): Promise<SignatureError> {
  let outcome: unknown;
  try {
    outcome = await action();
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw new Error('refused with an error that is not a SignatureError', { cause: error });
  }
  throw new Error(`not refused: ${JSON.stringify(outcome)}`);
}

export const SECRET = 'whsec_dGhpcnR5LXR3byBieXRlcyBtYWRlIGZvciB0ZXN0cw';
export const NOW = 1_700_000_000;
export const BODY = '{"id":"evt_1","event":"test.ping","timestamp":1699999999,"data":{}}';
