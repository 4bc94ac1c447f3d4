// Writes vectors.json. It computes the signatures with node:crypto, never with the code that the vectors test. With
// `--check`, it writes nothing and fails if the file differs.
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Bytes = string | Uint8Array;

interface Row {
  name: string;
  secret: string | string[];
  header: string | null;
  body: Bytes;
  now?: number;
  tolerance?: number | false;
  unwrap?: true;
}

const T = 1_700_000_000;
const SECRET = `whsec_${Buffer.from('an example of thirty-two bytes 1').toString('base64url')}`;
const OTHER = `whsec_${Buffer.from('an example of thirty-two bytes 2').toString('base64url')}`;
const BODY =
  '{"id":"evt_1","event":"patient.updated","timestamp":1699999999,"data":{"_id":"pat_1","clinicId":"cli_1","name":"Zoë","lastEditTime":"2023-11-14T22:13:19.000Z"}}';

function mac(t: number | string, body: Bytes = BODY, secret = SECRET): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}
function signed(t: number | string, body: Bytes = BODY, secret = SECRET): string {
  return `t=${t},v1=${mac(t, body, secret)}`;
}
/** A case that varies only the header. */
function header(name: string, value: string | null): Row {
  return { name, secret: SECRET, header: value, body: BODY };
}
/** A case that varies only the body, which is signed unchanged. */
function body(name: string, content: Bytes, unwrap?: true): Row {
  return { name, secret: SECRET, header: signed(T, content), body: content, ...(unwrap && { unwrap }) };
}
/** A case that varies only the clock. */
function clock(name: string, now: number, tolerance: number | false, t: number | string = T): Row {
  return { name, secret: SECRET, header: signed(t), body: BODY, now, tolerance };
}
/**
 * A case that varies only the secret. `sign` is the secret that signs the header; by default, the given secret if it is
 * a string.
 */
function secret(
  name: string,
  value: string | string[],
  sign = typeof value === 'string' ? value : SECRET,
): Row {
  return { name, secret: value, header: signed(T, BODY, sign), body: BODY };
}

/** So many secrets that did not sign. */
const others = (count: number) =>
  Array.from({ length: count }, (_, index) => `whsec_${index}${'k'.repeat(16)}`);

const good = mac(T);
const wrong = mac(T, BODY, OTHER);
const event = (text: string) => BODY.replace('patient.updated', text);
const flip = (hex: string, at: number) =>
  hex.slice(0, at) + (hex[at] === '0' ? '1' : '0') + hex.slice(at + 1);
const dots = Array.from({ length: 16 }, () => `,v1=${wrong}`);

const rows: Record<string, Row[]> = {
  accept: [
    header('one v1', signed(T)),
    header('upper-case hex', `t=${T},v1=${good.toUpperCase()}`),
    header('mixed-case hex', `t=${T},v1=${good.slice(0, 32).toUpperCase()}${good.slice(32)}`),
    header('v1 before t', `v1=${good},t=${T}`),
    header('two v1, the first matches', `t=${T},v1=${good},v1=${wrong}`),
    header('two v1, the second matches', `t=${T},v1=${wrong},v1=${good}`),
    header('t between two v1', `v1=${wrong},t=${T},v1=${good}`),
    header('sixteen v1, the last matches', `t=${T}${dots.slice(1).join('')},v1=${good}`),
    header('the same v1 twice', `t=${T},v1=${good},v1=${good}`),
    header('another scheme after', `${signed(T)},v2=abc`),
    header('another scheme before', `v0=${wrong},${signed(T)}`),
    header('another scheme without a value', `${signed(T)},v2=`),
    header('names are case-sensitive: V1 and T are other schemes', `T=1,V1=x,${signed(T)}`),
    header('names that begin like ours are other schemes', `ts=1,v11=x,${signed(T)}`),
    header('a header of exactly 4096 bytes', `${signed(T)},v2=`.padEnd(4096, 'x')),
    body('an empty body', ''),
    body('a body of one zero byte', new Uint8Array(1)),
    body('a body that is not UTF-8', Uint8Array.of(0xff, 0xfe, 0x80, 0x00, 0xc3, 0x28)),
    body('a body with a byte order mark', '\ufeff{}'),
    body('a body that ends in a line break', '{}\n'),
    body('a body with CR LF', '{\r\n}\r\n'),
    body('a body in several scripts', '{"name":"Zoë Łuksza 山田 🦷"}'),
    body('a body with a leading full stop', '.{}'),
    body(
      'a body of every byte value',
      Uint8Array.from({ length: 256 }, (_, index) => index),
    ),
    body('a body of 63 bytes, with t. over one hash block', 'x'.repeat(63)),
    body('a body of 2000 bytes', 'chairside '.repeat(200)),
    clock('exactly the tolerance old', T + 300, 300),
    clock('exactly the tolerance in the future', T - 300, 300),
    clock('a tolerance of one second, one second old', T + 1, 1),
    clock('a tolerance of half a second, same second', T, 0.5),
    clock('any age without a tolerance', T + 1_000_000_000, false),
    clock('any future without a tolerance', 0, false),
    clock('a fraction of a second in now is dropped', T + 300.9, 300),
    clock('t of one digit', 1, 300, 0),
    clock('t of twelve digits', 999_999_999_999, 300, '999999999999'),
    clock('t with leading zeros is signed as written', T, 300, `00${T}`),
    header('a space after the comma', `t=${T}, v1=${good}`),
    header('a tab after the comma', `t=${T},\tv1=${good}`),
    header('several blanks after each comma', `t=${T},  v1=${'0'.repeat(64)}, \t v1=${good}`),
    header('a space after the comma, v1 first', `v1=${good}, t=${T}`),
    header('a space before an unknown scheme', `t=${T}, v1=${good}, v2=abc`),
    secret('a secret without prefix', 'sixteen bytes is'),
    secret('a secret of sixteen bytes in eight letters', 'öööööööö'),
    secret('a secret longer than a hash block', `whsec_${'k'.repeat(200)}`),
    secret('a secret with a space inside', 'whsec_with a space inside it'),
    secret('a secret that looks like hex is not decoded', '00112233445566778899aabbccddeeff'),
    secret('a secret that looks like base64 is not decoded', 'AAECAwQFBgcICQoLDA0ODw=='),
    secret('two secrets, the first matches', [SECRET, OTHER]),
    secret('two secrets, the second matches', [OTHER, SECRET]),
    secret('a list of one secret', [SECRET]),
    secret('16 secrets, the last matches', [...others(15), SECRET]),
    body('an event unwraps', BODY, true),
    body('an event with an unknown name unwraps', event('clinic.painted'), true),
  ],
  missing_header: [header('no header', null), header('an empty header', '')],
  malformed_header: [
    header('no t', `v1=${good}`),
    header('neither t nor v1', 'v0=abc'),
    header('t without digits', `t=,v1=${good}`),
    header('t of thirteen digits, milliseconds', signed(`${T}000`)),
    header('t of fourteen digits', signed(`${T}0000`)),
    header('t with a sign', signed(`+${T}`)),
    header('t negative', signed(`-${T}`)),
    header('t with a fraction', signed(`${T}.0`)),
    header('t in hex', signed('0x6553f100')),
    header('t with an exponent', signed('17e8')),
    header('t with a letter at the end', signed(`${T}s`)),
    header('t in Arabic-Indic digits', signed('١٧٠٠٠٠٠٠٠٠')),
    header('t with a leading space', `t= ${T},v1=${mac(T)}`),
    header('t twice, the same', `t=${T},${signed(T)}`),
    header('t twice, different', `${signed(T)},t=${T + 1}`),
    header('two headers joined by a proxy', `${signed(T)}, ${signed(T)}`),
    header('t with an extra "="', `t==${T},v1=${good}`),
    header('v1 with an extra "="', `t=${T},v1==${good}`),
    header('v1 with a trailing "="', `t=${T},v1=${good}=`),
    header('another scheme with an extra "="', `${signed(T)},v2=YWJj=`),
    header('v1 without a value', `t=${T},v1=`),
    header('v1 of 63 digits', `t=${T},v1=${good.slice(1)}`),
    header('v1 of 65 digits', `t=${T},v1=${good}0`),
    header('v1 of 128 digits', `t=${T},v1=${good}${good}`),
    header('v1 of 62 digits', `t=${T},v1=${good.slice(2)}`),
    header('v1 with a letter that is not a hex digit', `t=${T},v1=g${good.slice(1)}`),
    header('v1 with a full-width digit', `t=${T},v1=０${good.slice(1)}`),
    header('v1 with a leading 0x', `t=${T},v1=0x${good.slice(2)}`),
    header('v1 in base64', `t=${T},v1=${Buffer.from(good, 'hex').toString('base64').replace('=', '')}`),
    header('a valid v1 and a malformed v1', `${signed(T)},v1=abc`),
    header('seventeen v1', `t=${T}${dots.join('')},v1=${good}`),
    header('a space before the comma', `t=${T} ,v1=${good}`),
    header('a space after a trailing comma', `${signed(T)}, `),
    header('only a space between two commas', `t=${T}, ,v1=${good}`),
    header('a line break after the comma', `t=${T},\nv1=${good}`),
    header('a no-break space after the comma', `t=${T},\u00a0v1=${good}`),
    header('two headers that a proxy joined with a space', `${signed(T)}, ${signed(T)}`),
    header('a leading space', ` ${signed(T)}`),
    header('a trailing space', `${signed(T)} `),
    header('a tab before the comma', `t=${T}\t,v1=${good}`),
    header('a line break', `${signed(T)}\n`),
    header('a zero byte', `${signed(T)}\u0000`),
    header('a trailing comma', `${signed(T)},`),
    header('a leading comma', `,${signed(T)}`),
    header('two commas', `t=${T},,v1=${good}`),
    header('a part without "="', `${signed(T)},v2`),
    header('a part without a name', `${signed(T)},=abc`),
    header('a semicolon instead of the comma', `t=${T};v1=${good}`),
    header('the signature alone', good),
    header('quotes', `"${signed(T)}"`),
    header('another scheme beyond ASCII', `${signed(T)},v2=é`),
    header('a header of 4097 bytes', `${signed(T)},v2=`.padEnd(4097, 'x')),
  ],
  no_signature: [
    header('t alone', `t=${T}`),
    header('an older scheme alone', `t=${T},v0=${good}`),
    header('V1 is not v1', `t=${T},V1=${good}`),
  ],
  mismatch: [
    header('another secret', `t=${T},v1=${wrong}`),
    header('the first digit changed', `t=${T},v1=${flip(good, 0)}`),
    header('the last digit changed', `t=${T},v1=${flip(good, 63)}`),
    header('t later than signed', `t=${T + 1},v1=${good}`),
    header('t with a leading zero that was not signed', `t=0${T},v1=${good}`),
    header('all zeros', `t=${T},v1=${'0'.repeat(64)}`),
    header('sixteen v1, none matches', `t=${T}${dots.join('')}`),
    header(
      'the body signed without t',
      `t=${T},v1=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`,
    ),
    header('a key without its prefix', signed(T, BODY, SECRET.slice('whsec_'.length))),
    {
      ...header('the key decoded from base64', null),
      header: `t=${T},v1=${createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64url'))
        .update(`${T}.${BODY}`)
        .digest('hex')}`,
    },
    { ...header('the body re-encoded by a JSON parser', signed(T, '{"a": 1.0}')), body: '{"a":1}' },
    { ...header('a line break added to the body', signed(T)), body: `${BODY}\n` },
    { ...header('a truncated body', signed(T)), body: BODY.slice(0, -1) },
    { ...header('an empty body instead', signed(T)), body: '' },
    { ...header('a digit moved from t into the body', signed(`${T}`, '1.{}')), body: '{}' },
    { ...header('the body decoded with replacement', signed(T, Uint8Array.of(0xff))), body: '\ufffd' },
    { ...header('a byte order mark removed', signed(T, '\ufeff{}')), body: '{}' },
    { ...header('the MAC is checked before the age', `t=${T},v1=${wrong}`), now: T + 100_000 },
    secret('two secrets, none matches', [OTHER, OTHER.toUpperCase()]),
    secret('the secret in another case', SECRET.toUpperCase(), SECRET),
  ],
  too_old: [
    clock('one second over the tolerance', T + 301, 300),
    clock('a tolerance of one second', T + 2, 1),
    clock('a day', T + 86_400, 300),
    clock('t zero', T, 300, 0),
  ],
  too_new: [
    clock('one second over the tolerance', T - 301, 300),
    clock('a tolerance of one second', T - 2, 1),
    clock('t of twelve digits', T, 300, '999999999999'),
  ],
  bad_json: [
    body('an empty body', '', true),
    body('text', 'hello', true),
    body('truncated JSON', BODY.slice(0, -1), true),
    body('bytes that are not UTF-8', Buffer.from(BODY.replace('Zoë', 'Zo\u00eb'), 'latin1'), true),
    body('a byte order mark', `\ufeff${BODY}`, true),
    body('null', 'null', true),
    body('a list', `[${BODY}]`, true),
    body('an event without id', BODY.replace('"id":"evt_1",', ''), true),
    body('an event whose name is a number', BODY.replace('"patient.updated"', '1'), true),
    body('an event without data', '{"id":"evt_1","event":"test.ping","timestamp":1}', true),
    body('an event whose data is null', '{"id":"evt_1","event":"test.ping","timestamp":1,"data":null}', true),
    body('an event whose data is a list', '{"id":"evt_1","event":"test.ping","timestamp":1,"data":[]}', true),
    body('an event whose data is text', '{"id":"evt_1","event":"test.ping","timestamp":1,"data":""}', true),
    body('an event whose timestamp is too large for a number', BODY.replace('1699999999', '1e999'), true),
    body('an event whose timestamp is text', BODY.replace('1699999999', '"1699999999"'), true),
  ],
  bad_secret: [
    secret('an empty secret', ''),
    secret('a secret of fifteen bytes', 'fifteen bytes .'),
    secret('a secret with a trailing line break', `${SECRET}\n`),
    secret('a secret with a leading space', ` ${SECRET}`),
    secret('an empty list', []),
    secret('a list with one bad secret', [SECRET, 'short']),
    secret('17 secrets', [...others(16), SECRET]),
  ],
  bad_option: [
    clock('a tolerance of zero', T, 0),
    clock('a negative tolerance', T, -300),
    clock('now in milliseconds', T * 1000, 300),
    clock('now negative', -1, 300),
  ],
};

const cases = Object.entries(rows).flatMap(([expect, list]) =>
  list.map(({ name, secret, header, body, now = T, tolerance = 300, unwrap }) => ({
    name: `${expect}: ${name}`,
    expect,
    operation: unwrap ? 'unwrap' : 'verify',
    secret,
    header,
    bodyBase64: Buffer.from(body).toString('base64'),
    now,
    tolerance,
  })),
);
/** Rises only if a reader of the present format would misread the file. More cases and fields do not change it. */
const FORMAT = 1;
const text = `{
  "format": ${FORMAT},
  "scheme": "X-Service-Signature: t=<unix seconds>,v1=<hex of HMAC-SHA256(secret, t + \\".\\" + raw body)>",
  "fields": {
    "name": "expect, a colon, and what is special about the case; unique",
    "expect": "accept, or the code of the refusal",
    "operation": "verify, or unwrap (verify, then parse the event)",
    "secret": "one secret, or a list, any of which may match; the key is the UTF-8 of the whole text",
    "header": "the value of the header; null if the request has none",
    "bodyBase64": "the raw body in base64",
    "now": "the receiver's clock, Unix seconds",
    "tolerance": "seconds, in both directions; false to accept any age"
  },
  "cases": [
${cases.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}
  ]
}
`;

const path = join(import.meta.dirname, '../vectors.json');
if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (readFileSync(path, 'utf8') !== text)
  throw new Error('vectors.json differs from the output of scripts/make-vectors.ts');
console.log(`${cases.length} cases`);
