// The requests that every receiver must accept or refuse in the same way. receivers.release.test.ts runs them.
import { createHmac, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sign } from '../src/index.ts';
import { SECRET } from './entries.ts';
import { type Vector, vectors } from './vectors.ts';

export const SECOND_SECRET = 'whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhlIHNhbWUgdXNlcg';
const FOREIGN_SECRET = 'whsec_YSBzZWNyZXQgdGhhdCBpcyBub3Qgb3VycyBhdCBhbGw';
const LIMIT = 1024 * 1024;

interface Sent {
  method?: string;
  path?: string;
  /** The value of each line with X-Service-Signature. */
  signatures: string[];
  /** Other headers. */
  headers?: [string, string][];
  body: Buffer;
  chunked?: boolean;
}

/** Returns the status and the body, such as `400 mismatch`. Repeated headers are sent as separate lines. */
export async function send(port: number, sent: Sent): Promise<string> {
  const { method = 'POST', path = '/webhooks', chunked = false, body } = sent;
  const lines = [
    ['Host', `127.0.0.1:${port}`],
    ['Connection', 'close'],
    ...(sent.headers ?? [['Content-Type', 'application/json']]),
    ...sent.signatures.map((value) => ['X-Service-Signature', value]),
    chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)],
  ];
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers: lines.flat(), agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
        resolve(`${response.statusCode} ${Buffer.concat(chunks)}`.trim());
      } catch (error) {
        reject(error);
      }
    });
    if (chunked) for (const part of split(body)) outgoing.write(part);
    outgoing.end(chunked ? undefined : body);
  });
}

function split(body: Buffer): Buffer[] {
  const third = Math.ceil(body.length / 3);
  return [0, 1, 2].map((index) => body.subarray(index * third, (index + 1) * third));
}

const now = () => Math.floor(Date.now() / 1000);
/** Spaces, an escape and 1.0, which a parser before the verification would lose. */
const eventOf = (id: string, name = 'Zo\\u00eb Łuksza') =>
  Buffer.from(`{ "id": "${id}", "event": "test.ping", "timestamp": 1.0, "data": { "name": "${name}" } }\n`);
const signed = (body: Buffer, secret: string | string[] = SECRET, ago = 0) =>
  sign({ body, secret, timestamp: now() - ago });

/** `sign` refuses an empty secret, so the header of a forger is made here. */
function forgedWithoutKey(body: Buffer): string {
  const t = now();
  return `t=${t},v1=${createHmac('sha256', '').update(`${t}.`).update(body).digest('hex')}`;
}

export interface Case {
  name: string;
  sent(): Sent;
  /** The status and the body of the response. */
  expected: string;
}

/** A case whose body is an event with this id, and is signed unless the function says otherwise. */
function event(name: string, expected: string, change: (body: Buffer) => Partial<Sent> = () => ({})): Case {
  const sent = () => {
    const body = eventOf(idOf(name));
    return { signatures: [signed(body)], body, ...change(body) };
  };
  return { name, expected, sent };
}
/** The id of the event of a case. */
export const idOf = (name: string): string => `evt_${name.replaceAll(/\W+/g, '_')}`;

const text = (charset: string): [string, string][] => [
  ['Content-Type', `application/json; charset=${charset}`],
];
const gzipped: [string, string][] = [
  ['Content-Type', 'application/json'],
  ['Content-Encoding', 'gzip'],
];

export const cases: Case[] = [
  event('valid', '204'),
  event('valid with the second secret', '204', (body) => ({ signatures: [signed(body, SECOND_SECRET)] })),
  event('valid with one v1 of two', '204', (body) => ({
    signatures: [signed(body, [FOREIGN_SECRET, SECRET])],
  })),
  event('valid and chunked', '204', () => ({ chunked: true })),
  event('valid with ISO-8859-1 declared', '204', () => ({ headers: text('iso-8859-1') })),
  event('valid with UTF-16 declared', '204', () => ({ headers: text('utf-16') })),
  event('valid without a Content-Type', '204', () => ({ headers: [] })),
  event('valid with a query', '204', () => ({ path: '/webhooks?clinic=1' })),
  event('valid and 290 s old', '204', (body) => ({ signatures: [signed(body, SECRET, 290)] })),
  event('valid and 290 s in the future', '204', (body) => ({ signatures: [signed(body, SECRET, -290)] })),
  event('valid with 300,000 bytes', '204', () => {
    const body = eventOf(idOf('valid with 300,000 bytes'), 'Z'.repeat(300_000));
    return { body, signatures: [signed(body)] };
  }),
  event('valid with 1 MiB', '204', () => {
    const id = idOf('valid with 1 MiB');
    const body = eventOf(id, 'Z'.repeat(LIMIT - eventOf(id, '').length));
    return { body, signatures: [signed(body)] };
  }),

  event('no header', '400 missing_header', () => ({ signatures: [] })),
  event('an empty header', '400 missing_header', () => ({ signatures: [''] })),
  event('no v1', '400 no_signature', () => ({ signatures: [`t=${now()}`] })),
  event('a v1 of 63 digits', '400 malformed_header', (body) => ({ signatures: [signed(body).slice(0, -1)] })),
  event('a v1 of 65 digits', '400 malformed_header', (body) => ({ signatures: [`${signed(body)}0`] })),
  event('two headers, the first valid', '400 malformed_header', (body) => ({
    signatures: [signed(body), signed(body, FOREIGN_SECRET)],
  })),
  event('two headers, the second valid', '400 malformed_header', (body) => ({
    signatures: [signed(body, FOREIGN_SECRET), signed(body)],
  })),
  event('two headers, both valid', '400 malformed_header', (body) => ({
    signatures: [signed(body), signed(body, SECRET, 1)],
  })),
  event('two headers, the first empty', '400 malformed_header', (body) => ({
    signatures: ['', signed(body)],
  })),
  event('two headers, the second empty', '400 malformed_header', (body) => ({
    signatures: [signed(body), ''],
  })),
  event('two headers, the second another scheme', '400 malformed_header', (body) => ({
    signatures: [signed(body), 'v2=abc'],
  })),

  event('forged with an empty key', '400 mismatch', (body) => ({ signatures: [forgedWithoutKey(body)] })),
  event('forged with another secret', '400 mismatch', (body) => ({
    signatures: [signed(body, FOREIGN_SECRET)],
  })),
  event('forged with both secrets and the comma as key', '400 mismatch', (body) => ({
    signatures: [signed(body, `${SECRET},${SECOND_SECRET}`)],
  })),
  event('a changed body', '400 mismatch', (body) => ({ body: Buffer.from(`${body} `) })),
  event('a changed body, chunked', '400 mismatch', (body) => ({
    body: Buffer.from(`${body} `),
    chunked: true,
  })),
  event('an empty body instead', '400 mismatch', () => ({ body: Buffer.alloc(0) })),
  event('compressed after it was signed', '400 mismatch', (body) => ({
    headers: gzipped,
    body: gzipSync(body),
  })),
  event('forged and old', '400 mismatch', (body) => ({ signatures: [signed(body, FOREIGN_SECRET, 400)] })),

  event('400 s old', '400 too_old', (body) => ({ signatures: [signed(body, SECRET, 400)] })),
  event('400 s in the future', '400 too_new', (body) => ({ signatures: [signed(body, SECRET, -400)] })),

  event('signed as gzip', '400 bad_json', (body) => {
    const compressed = gzipSync(body);
    return { headers: gzipped, body: compressed, signatures: [signed(compressed)] };
  }),
  event('not JSON', '400 bad_json', () => ({
    body: Buffer.from('hello'),
    signatures: [signed(Buffer.from('hello'))],
  })),
  event('text after the JSON', '400 bad_json', (valid) => {
    const body = Buffer.from(`${valid}}`);
    return { body, signatures: [signed(body)] };
  }),
  event('an empty body', '400 bad_json', () => ({
    body: Buffer.alloc(0),
    signatures: [signed(Buffer.alloc(0))],
  })),
  event('random bytes', '400 bad_json', () => {
    const body = randomBytes(2000);
    return { body, signatures: [signed(body)] };
  }),

  ...[false, true].map((chunked) =>
    event(`over 1 MiB${chunked ? ', chunked' : ''}`, '413', () => {
      const body = Buffer.alloc(LIMIT + 1, ' ');
      return { body, signatures: [signed(body)], chunked };
    }),
  ),
  event('GET', '405', () => ({ method: 'GET', body: Buffer.alloc(0) })),
  event('PUT', '405', () => ({ method: 'PUT' })),
  event('another path', '404', () => ({ path: '/webhooks/other' })),
  // The last case: when it is printed, the test knows that no refused event was printed.
  event('valid again', '204'),
];

/** The vectors of one list of secrets, as cases. */
export interface VectorGroup {
  secrets: string[];
  cases: Case[];
}

// HTTP cannot carry these characters, and removes blanks at both ends.
const UNSENDABLE = /[\0\r\n]|[^\0-\xff]|^[ \t]|[ \t]$/;
const sendable = ({ header, tolerance, expect }: Vector) =>
  tolerance === 300 && expect !== 'bad_option' && !UNSENDABLE.test(header ?? '');

/** The expectation at the present time. The HMAC comes before the time, so `too_old` shows that a signature matched. */
function expectedNow({ expect, header }: Vector): string {
  const isOver = expect === 'accept' || expect === 'too_old' || expect === 'too_new';
  if (!isOver) return `400 ${expect}`;
  return Number(/(?:^|,\s*)t=(\d+)/.exec(header ?? '')?.[1]) > now() ? '400 too_new' : '400 too_old';
}

function vectorCase(vector: Vector): Case {
  const body = Buffer.from(vector.bodyBase64, 'base64');
  // The event is read after the time is checked, so these vectors are signed again.
  const isParsed = vector.operation === 'unwrap';
  const sent = () => {
    if (isParsed) return { body, signatures: [sign({ body, secret: vector.secret, timestamp: now() })] };
    return { body, signatures: vector.header === null ? [] : [vector.header] };
  };
  const accepted = isParsed && vector.expect === 'accept' ? '204' : undefined;
  return { name: vector.name, sent, expected: accepted ?? expectedNow(vector) };
}

export const vectorGroups: VectorGroup[] = [
  ...Map.groupBy(vectors.filter(sendable), ({ secret }) => JSON.stringify(secret)),
].map(([secrets, group]) => ({
  secrets: [JSON.parse(secrets)].flat(),
  cases: group.map(vectorCase),
}));
