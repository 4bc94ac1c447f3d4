// What every library of Standard Webhooks must accept or refuse. standard-webhooks.release.test.ts runs the libraries.
import { createWebhookSigner, newWebhookSecret } from '../src/index.ts';

/** What a driver reads from one line. */
interface Row {
  secret: string;
  body: string;
  headers: Record<string, string>;
}

export interface Judged {
  name: string;
  expected: 'accept' | 'refuse';
  row: Row;
}

const SECRETS = 20;
const bodyOf = (name: string) => JSON.stringify({ id: 'e', event: 'patient.updated', data: { name } });
const bodies = {
  ASCII: bodyOf('Ada Lovelace'),
  'UTF-8 with an emoji and right-to-left text': bodyOf('Zoë 🦷 דנה مريم'),
  '300,000 bytes': bodyOf('Z'.repeat(300_000)),
  'a newline at the end': `${bodyOf('Ada Lovelace')}\n`,
};

/** The parts of a webhook that a case may change before it is signed. */
interface Unsigned {
  secret: string;
  eventId: string;
  body: string;
  timestamp: number;
}

const signed = ({ secret, ...message }: Unsigned) =>
  createWebhookSigner(secret)({
    event: 'patient.updated',
    deliveryId: 'd',
    subscriptionId: 's',
    ...message,
  });
const signatureOf = (unsigned: Unsigned): string => signed(unsigned)['webhook-signature'] ?? '';

/** A case changes the valid webhook: its body, or headers, where `undefined` removes one. */
type Change = (valid: Unsigned) => { body?: string; headers?: Record<string, string | undefined> };

const ago = (seconds: number): Change => {
  return (valid) => ({ headers: signed({ ...valid, timestamp: valid.timestamp - seconds }) });
};
const withSignature = (of: (valid: Unsigned) => string | undefined): Change => {
  return (valid) => ({ headers: { 'webhook-signature': of(valid) } });
};
const foreign = (valid: Unsigned) => signatureOf({ ...valid, secret: newWebhookSecret() });

const accepted: Record<string, Change> = {
  'as it was signed': () => ({}),
  // The libraries tolerate 300 s. The driver may need the rest on a busy machine.
  '200 s old': ago(200),
  '200 s in the future': ago(-200),
  'our signature, then a foreign one': withSignature((valid) => `${signatureOf(valid)} ${foreign(valid)}`),
  'a foreign signature, then ours': withSignature((valid) => `${foreign(valid)} ${signatureOf(valid)}`),
};
const refused: Record<string, Change> = {
  'a changed body': ({ body }) => ({ body: body.replace('patient.updated', 'patient.deleted') }),
  'a newline more': ({ body }) => ({ body: `${body}\n` }),
  'another secret': withSignature(foreign),
  'two foreign signatures': withSignature((valid) => `${foreign(valid)} ${foreign(valid)}`),
  'another id': () => ({ headers: { 'webhook-id': 'f' } }),
  'another timestamp': ({ timestamp }) => ({ headers: { 'webhook-timestamp': String(timestamp - 1) } }),
  '400 s old': ago(400),
  '400 s in the future': ago(-400),
  '400 s old, with the timestamp of now': withSignature((valid) =>
    signatureOf({ ...valid, timestamp: valid.timestamp - 400 }),
  ),
  'no webhook-id': () => ({ headers: { 'webhook-id': undefined } }),
  'no webhook-timestamp': () => ({ headers: { 'webhook-timestamp': undefined } }),
  'no webhook-signature': withSignature(() => undefined),
  'an empty webhook-signature': withSignature(() => ''),
  'an empty signature': withSignature(() => 'v1,'),
  'another version of the signature': withSignature((valid) => signatureOf(valid).replace('v1,', 'v2,')),
};

/** Every case with every body, for each of 20 secrets. */
export function rowsNow(): Judged[] {
  const timestamp = Math.floor(Date.now() / 1000);
  const changes = [
    ...Object.entries(accepted).map((each) => [...each, 'accept'] as const),
    ...Object.entries(refused).map((each) => [...each, 'refuse'] as const),
  ];
  return Array.from({ length: SECRETS }, newWebhookSecret).flatMap((secret) =>
    Object.entries(bodies).flatMap(([bodyName, body]) =>
      changes.map(([name, change, expected]) => {
        const valid = { secret, eventId: 'e', body, timestamp };
        const changed = change(valid);
        const headers = Object.entries({ ...signed(valid), ...changed.headers }).filter(
          (header): header is [string, string] => header[1] !== undefined,
        );
        const row = { secret, body: changed.body ?? body, headers: Object.fromEntries(headers) };
        return { name: `${name}, ${bodyName}`, expected, row };
      }),
    ),
  );
}
