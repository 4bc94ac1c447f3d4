import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { sign, verify } from '../src/index.ts';
import { refusal } from './entries.ts';
import { vectors } from './vectors.ts';

// Stripe's webhooks use the same scheme. Stripe's verifier accepts some malformed headers, so the two are compared only
// on well-formed headers: `t` without leading zeros, then `v1` in lower case, as both services write them.
const WELL_FORMED = /^t=(0|[1-9][0-9]{0,11})(,v1=[0-9a-f]{64})+(,v[02]=[a-zA-Z0-9]*)*$/;

const { webhooks } = new Stripe('sk_test_none');

function acceptedByStripe(
  body: Buffer,
  header: string,
  secret: string,
  tolerance: number,
  now: number,
): boolean {
  try {
    // Stripe expects milliseconds here.
    return webhooks.signature?.verifyHeader(body, header, secret, tolerance, undefined, now * 1000) === true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

const comparable = vectors.flatMap(
  ({ name, expect, operation, header, secret, bodyBase64, tolerance, now }) => {
    const body = Buffer.from(bodyBase64, 'base64');
    // Stripe decodes the body before it hashes it, and does not check for times in the future.
    const sameBytes = Buffer.from(new TextDecoder().decode(body)).equals(body);
    if (operation !== 'verify' || typeof secret !== 'string' || !WELL_FORMED.test(header ?? '') || !sameBytes)
      return [];
    if (['bad_secret', 'bad_option', 'too_new', 'malformed_header'].includes(expect)) return [];
    const options = {
      secret,
      header: header as string,
      tolerance: tolerance || Number.MAX_SAFE_INTEGER,
      now,
    };
    return [{ name, ...options, body, accept: expect === 'accept' }];
  },
);

describe('comparison with Stripe', () => {
  it('covers many accepted and refused cases', () => {
    expect(comparable.filter((row) => row.accept).length).toBeGreaterThan(20);
    expect(comparable.filter((row) => !row.accept).length).toBeGreaterThan(12);
  });

  it.each(comparable)('gives the same result: $name', ({ body, header, secret, tolerance, now, accept }) => {
    expect(acceptedByStripe(body, header, secret, tolerance, now)).toBe(accept);
  });

  it('both create the same header, and each accepts the header of the other', () => {
    for (let size = 0; size < 300; size++) {
      const body = Buffer.from('Zoë 🦷 {"a":1}\r\n'.repeat(20)).toString('latin1').slice(0, size);
      const secret = `whsec_${String(size).padStart(20, 'k')}`;
      const timestamp = 1_700_000_000 + size * 1000;
      const theirs = webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
      const ours = sign({ body, secret, timestamp });
      expect(ours).toBe(theirs);
      expect(verify({ body, header: theirs, secret, now: timestamp })).toEqual({ timestamp });
      expect(acceptedByStripe(Buffer.from(body), ours, secret, 300, timestamp)).toBe(true);
    }
  });

  it('both refuse signatures of another body or with another secret', async () => {
    const [secret, timestamp] = ['whsec_0123456789abcdef', 1_700_000_000];
    const header = webhooks.generateTestHeaderString({ payload: '{}', secret, timestamp });
    for (const wrong of [
      { body: '{ }', secret },
      { body: '{}', secret: `${secret}0` },
    ]) {
      expect(acceptedByStripe(Buffer.from(wrong.body), header, wrong.secret, 300, timestamp)).toBe(false);
      const { code } = await refusal(() => verify({ ...wrong, header, now: timestamp }));
      expect(code).toBe('mismatch');
    }
  });
});
