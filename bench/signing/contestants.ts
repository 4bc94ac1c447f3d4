// The contestants. Each is used as in its documentation.
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import { createSigner, createVerifier, verify } from '@chairside/signing';
import * as web from '@chairside/signing/web';
import * as octokit from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';

export interface Contestant {
  name: string;
  /** What the contestant does differently, so that readers can judge the comparison. */
  note: string;
  /** Performs one operation. Throws if the verification fails. A promise is awaited before the next operation. */
  run: () => unknown;
}

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64url')}`;
const { webhooks } = new Stripe('sk_test_none');

const imported = await crypto.subtle.importKey(
  'raw',
  new TextEncoder().encode(secret),
  { name: 'HMAC', hash: 'SHA-256' },
  false,
  ['sign', 'verify'],
);

/** A JSON event of exactly this many bytes. */
export function makeBody(size: number): Buffer {
  const [head, tail] = ['{"id":"evt_1","event":"test.ping","timestamp":1700000000,"data":{"text":"', '"}}'];
  return Buffer.from(head + 'chairside '.repeat(size).slice(0, size - head.length - tail.length) + tail);
}

export function verifiers(body: Buffer): Contestant[] {
  const text = body.toString();
  const now = new Date();
  const timestamp = Math.floor(now.getTime() / 1000);
  const header = createSigner({ secret }).sign({ body, timestamp });
  const [t, hex] = [String(timestamp), header.slice(-64)];
  const keyObject = createSecretKey(secret, 'utf8');
  const verifier = createVerifier({ secret });
  const webVerifier = web.createVerifier({ secret });
  const base64 = `whsec_${key.toString('base64')}`;
  const [standard, svix] = [new StandardWebhook(base64), new SvixWebhook(base64)];
  const ids = { id: 'msg_1', timestamp: t };
  const standardHeaders = {
    'webhook-id': ids.id,
    'webhook-timestamp': ids.timestamp,
    'webhook-signature': standard.sign(ids.id, now, text),
  };
  const svixHeaders = {
    'svix-id': ids.id,
    'svix-timestamp': ids.timestamp,
    'svix-signature': svix.sign(ids.id, now, text),
  };
  const octokitHeader = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return [
    {
      name: 'floor',
      note: 'createHmac with a KeyObject over "<t>." and the bytes, the hex decoded, timingSafeEqual; checks nothing else',
      run() {
        const mac = createHmac('sha256', keyObject).update(`${t}.`).update(body).digest();
        if (!timingSafeEqual(mac, Buffer.from(hex, 'hex'))) throw new Error('floor');
      },
    },
    {
      name: '@chairside/signing, createVerifier',
      note: 'bytes',
      run: () => verifier.verify({ body, header }),
    },
    {
      name: '@chairside/signing, createVerifier, text',
      note: 'the body as a string',
      run: () => verifier.verify({ body: text, header }),
    },
    {
      name: '@chairside/signing, verify',
      note: 'bytes, the secret as a string each time',
      run: () => verify({ body, header, secret }),
    },
    {
      name: 'floor of WebCrypto',
      note: 'subtle.verify with an imported key over "<t>." and the bytes, the hex decoded; awaited one by one',
      async run() {
        const message = Buffer.concat([Buffer.from(`${t}.`), body]);
        const equal = await crypto.subtle.verify('HMAC', imported, Buffer.from(hex, 'hex'), message);
        if (!equal) throw new Error('floor of WebCrypto');
      },
    },
    {
      name: '@chairside/signing/web, createVerifier',
      note: 'bytes; WebCrypto, awaited one by one',
      run: () => webVerifier.verify({ body, header }),
    },
    {
      name: 'stripe',
      note: 'verifyHeader: the same scheme, without parsing',
      run: () => webhooks.signature?.verifyHeader(body, header, secret, 300) || fail('stripe'),
    },
    {
      name: 'standardwebhooks',
      note: 'jsonParse: false; another scheme over the same bytes',
      run: () => standard.verify(body, standardHeaders, { jsonParse: false }),
    },
    {
      name: 'svix',
      note: 'parses the body too, which cannot be switched off',
      run: () => svix.verify(body, svixHeaders),
    },
    {
      name: '@octokit/webhooks-methods',
      note: 'no timestamp, string bodies only; promises, awaited one by one',
      run: async () => (await octokit.verify(secret, text, octokitHeader)) || fail('octokit'),
    },
  ];
}

export function signers(body: Buffer): Contestant[] {
  const text = body.toString();
  const now = new Date();
  const timestamp = Math.floor(now.getTime() / 1000);
  const keyObject = createSecretKey(secret, 'utf8');
  const signer = createSigner({ secret });
  const webSigner = web.createSigner({ secret });
  const base64 = `whsec_${key.toString('base64')}`;
  const [standard, svix] = [new StandardWebhook(base64), new SvixWebhook(base64)];
  return [
    {
      name: 'floor',
      note: 'createHmac with a KeyObject over "<t>." and the bytes, as hex, in the header; checks nothing',
      run: () =>
        `t=${timestamp},v1=${createHmac('sha256', keyObject).update(`${timestamp}.`).update(body).digest('hex')}`,
    },
    { name: '@chairside/signing, createSigner', note: 'bytes', run: () => signer.sign({ body, timestamp }) },
    {
      name: '@chairside/signing, createSigner, text',
      note: 'the body as a string',
      run: () => signer.sign({ body: text, timestamp }),
    },
    {
      name: 'floor of WebCrypto',
      note: 'subtle.sign with an imported key over "<t>." and the bytes, as hex; awaited one by one',
      async run() {
        const message = Buffer.concat([Buffer.from(`${timestamp}.`), body]);
        const mac = await crypto.subtle.sign('HMAC', imported, message);
        return `t=${timestamp},v1=${Buffer.from(mac).toString('hex')}`;
      },
    },
    {
      name: '@chairside/signing/web, createSigner',
      note: 'bytes; WebCrypto, awaited one by one',
      run: () => webSigner.sign({ body, timestamp }),
    },
    {
      name: 'stripe',
      note: 'generateTestHeaderString: the same scheme, string bodies only',
      run: () => webhooks.generateTestHeaderString({ payload: text, secret, timestamp }),
    },
    { name: 'standardwebhooks', note: 'another scheme', run: () => standard.sign('msg_1', now, body) },
    { name: 'svix', note: 'another scheme', run: () => svix.sign('msg_1', now, body) },
    {
      name: '@octokit/webhooks-methods',
      note: 'no timestamp, string bodies only; promises, awaited one by one',
      run: () => octokit.sign(secret, text),
    },
  ];
}

function fail(name: string): never {
  throw new Error(`${name} did not verify`);
}
