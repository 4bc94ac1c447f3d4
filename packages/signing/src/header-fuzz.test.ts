import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerifier, SignatureError } from './index.ts';
import { createVerifier as createWebVerifier } from './web.ts';

/**
 * The number of headers in the first test. The second test uses a quarter of this number. The release check sets five
 * times as many.
 */
const RUNS = Number(process.env.HEADER_FUZZ_RUNS ?? 200_000);
const SECRET = 'whsec_bWFkZSBmb3IgdGhlIGZ1enppbmcgb2YgaGVhZGVycw';
const T = '1700000000';
const hmac = (secret: string) => createHmac('sha256', secret).update(`${T}.{}`).digest('hex');
const GOOD = hmac(SECRET);
const FORGED = hmac(`${SECRET} of somebody else`);

/** A small seeded random generator. A failure reports the seed that reproduces it. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Creates three kinds of headers: damaged well-formed headers, shuffled parts of the grammar, and noise. */
function createHeaders(seed: number, signature: string) {
  const random = createRandom(seed);
  const pick = (list: readonly string[]) => list[random(list.length)] as string;
  const pieces = [
    ...[`t=${T}`, `t=0${T}`, 't=1700000000000', 't=', 't=x', `T=${T}`, 't=-1', 't=1e9', `t=${T}=`],
    ...[`v1=${signature}`, `v1=${signature.toUpperCase()}`, `v1=${signature}0`, `v1=${signature.slice(1)}`],
    ...[`v1=${'0'.repeat(64)}`, 'v1=', 'V1=', 'v0=abc', 'v2=', 'v2', '=', '', ' ', 'x=y=z', 'é=1', 'v11=1'],
  ];
  const alphabet = [...'t=v1,0123456789abcdefABCDEFgxz ;:"+-_.\t\n\0é０\ud800'];
  const noise = (length: number) => Array.from({ length }, () => pick(alphabet)).join('');
  const damage = (header: string): string => {
    const at = random(header.length + 1);
    const to = at + random(8);
    switch (random(6)) {
      case 0:
        return header.slice(0, at) + pick(alphabet) + header.slice(at + 1);
      case 1:
        return header.slice(0, at) + pick(alphabet) + header.slice(at);
      case 2:
        return header.slice(0, at) + header.slice(to);
      case 3:
        return header.slice(0, to) + header.slice(at);
      case 4:
        return `${header.slice(0, at)},${pick(pieces)},${header.slice(at)}`;
      default:
        return header.slice(0, at) + header.slice(at, to).toUpperCase() + header.slice(to);
    }
  };
  return (): string => {
    const kind = random(16);
    if (kind === 0) return noise(random(120));
    if (kind === 1) return Array.from({ length: random(30) }, () => pick(pieces)).join(',');
    if (kind < 8) return Array.from({ length: 1 + random(4) }, () => pick(pieces)).join(',');
    let header = `t=${T},v1=${signature}`;
    for (let edits = random(4); edits >= 0; edits--) header = damage(header);
    return random(500) === 0 ? header + noise(5000) : header;
  };
}

/**
 * A second implementation of the header rules, written from the specification of the scheme. Unlike the parser, it
 * splits the header into parts.
 */
function judge(header: string): string {
  if (header === '') return 'missing_header';
  if (header.length > 4096) return 'malformed_header';
  const parts = header.split(/,[ \t]*/);
  if (!parts.every((part) => /^[\x21-\x7e]+$/.test(part) && /^[^=]+=[^=]*$/.test(part)))
    return 'malformed_header';
  const of = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [times, signatures] = [of('t'), of('v1')];
  if (times.length !== 1 || !/^\d{1,12}$/.test(times[0] ?? '')) return 'malformed_header';
  if (signatures.length > 16 || !signatures.every((text) => /^[\da-f]{64}$/i.test(text)))
    return 'malformed_header';
  if (signatures.length === 0) return 'no_signature';
  return times[0] === T && signatures.some((text) => text.toLowerCase() === GOOD) ? 'accept' : 'mismatch';
}

function codeOf(error: unknown): string {
  return error instanceof SignatureError ? error.code : `foreign error: ${error}`;
}

describe('header fuzz', () => {
  const seed = Date.now() | 0;
  const request = { body: '{}', now: Number(T) };
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    // Creating the stack traces, which are not used, would take most of the time.
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  const compare = (verdict: string, header: string, seen: Map<string, number>) => {
    const expected = judge(header);
    if (verdict !== expected)
      expect.fail(`seed ${seed}: ${verdict}, not ${expected}, for ${JSON.stringify(header)}`);
    seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
  };
  const expectVariety = (seen: Map<string, number>, codes: string[], atLeast: number) => {
    expect([...seen.keys()].sort()).toEqual(codes);
    for (const code of codes) expect(seen.get(code)).toBeGreaterThan(code === 'missing_header' ? 0 : atLeast);
  };

  it('refuses each header without a valid signature, with the expected code', () => {
    const next = createHeaders(seed, FORGED);
    const { verify } = createVerifier({ secret: SECRET });
    const seen = new Map<string, number>();
    for (let run = 0; run < RUNS; run++) {
      const header = next();
      let verdict = 'accept';
      try {
        verify({ ...request, header });
      } catch (error) {
        verdict = codeOf(error);
      }
      if (verdict === 'accept') expect.fail(`seed ${seed}: accepted ${JSON.stringify(header)}`);
      compare(verdict, header, seen);
    }
    expectVariety(seen, ['malformed_header', 'mismatch', 'missing_header', 'no_signature'], RUNS / 100);
  });

  it('of the headers around the valid signature, accepts only those that still contain it', () => {
    const next = createHeaders(seed, GOOD);
    const { verify } = createVerifier({ secret: SECRET });
    const seen = new Map<string, number>();
    for (let run = 0; run < RUNS / 4; run++) {
      const header = next();
      let verdict = 'accept';
      try {
        verify({ ...request, header });
      } catch (error) {
        verdict = codeOf(error);
      }
      compare(verdict, header, seen);
    }
    expectVariety(
      seen,
      ['accept', 'malformed_header', 'mismatch', 'missing_header', 'no_signature'],
      RUNS / 400,
    );
  });

  it('gives the same result for 100,000 headers in the web entry', async () => {
    const { verify } = createWebVerifier({ secret: SECRET });
    const seen = new Map<string, number>();
    for (const signature of [GOOD, FORGED]) {
      const next = createHeaders(seed, signature);
      for (let run = 0; run < 50_000; run++) {
        const header = next();
        const verdict = await verify({ ...request, header }).then(() => 'accept', codeOf);
        compare(verdict, header, seen);
      }
    }
    expectVariety(seen, ['accept', 'malformed_header', 'mismatch', 'missing_header', 'no_signature'], 500);
  });

  // A quadratic parser or a backtracking pattern would exceed the time limit of this test.
  it.each(['t=1,', ',', '=', 'v1=', 'a', ' ', 'é', 't=1', 'a=', `v1=${GOOD},`])(
    'refuses thousands of headers made of %j, up to megabytes',
    (piece) => {
      const { verify } = createVerifier({ secret: SECRET });
      const most = Math.floor(4096 / piece.length);
      for (let run = 0; run < 2000; run++) {
        expect(() => verify({ ...request, header: piece.repeat(most - (run % 3)) })).toThrow(SignatureError);
      }
      expect(() => verify({ ...request, header: piece.repeat(5_000_000) })).toThrow('4096');
    },
  );
});
