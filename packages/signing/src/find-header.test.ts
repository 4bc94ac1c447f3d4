import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { BODY, refusal, SECRET } from '../test/entries.ts';
import { type HeaderSource, sign, signatureHeader, verify } from './index.ts';
import { signatureHeader as fromWeb } from './web.ts';

describe('signatureHeader', () => {
  it.each(['X-Service-Signature', 'x-service-signature', 'X-SERVICE-SIGNATURE', 'x-Service-signature'])(
    'finds %s in every kind of source',
    (name) => {
      const sources: HeaderSource[] = [
        { [name]: 'value' },
        { [name]: ['value'] },
        { headers: { [name]: 'value' } },
        new Headers({ [name]: 'value' }),
        new Request('http://localhost', { headers: { [name]: 'value' } }),
      ];
      for (const source of sources) expect(signatureHeader(source)).toBe('value');
    },
  );

  it.each<[string, HeaderSource]>([
    ['only multiValueHeaders', { multiValueHeaders: { 'X-Service-Signature': ['value'] } }],
    ['headers that are null', { headers: null, multiValueHeaders: { 'x-service-signature': ['value'] } }],
    [
      'headers without it',
      { headers: { host: 'a' }, multiValueHeaders: { 'X-SERVICE-SIGNATURE': ['value'] } },
    ],
    [
      'both',
      { headers: { 'x-service-signature': 'value' }, multiValueHeaders: { 'x-service-signature': ['no'] } },
    ],
    [
      "Lambda@Edge's form",
      {
        headers: { 'x-service-signature': [{ key: 'X-Service-Signature', value: 'value' }] },
      },
    ],
    ['headers in the form of Lambda@Edge', { 'x-service-signature': [{ value: 'value' }] }],
  ])('finds it in a Lambda event with %s', (_what, source) => {
    expect(signatureHeader(source)).toBe('value');
    expect(fromWeb(source)).toBe('value');
  });

  it('joins several values of a Lambda event', () => {
    for (const source of [
      { multiValueHeaders: { 'X-Service-Signature': ['a', 'b'] } },
      { headers: { 'x-service-signature': [{ value: 'a' }, { value: 'b' }] } },
    ])
      expect(signatureHeader(source)).toBe('a,b');
  });

  it('returns undefined if there is none', () => {
    const sources: HeaderSource[] = [
      {},
      { 'x-service-event': 'test.ping', 'x-service-signature': undefined },
      { headers: {} },
      { headers: null },
      { headers: null, multiValueHeaders: null },
      { multiValueHeaders: {} },
      new Headers(),
      new Request('http://localhost'),
      Object.create({ 'x-service-signature': 'inherited' }),
    ];
    for (const source of sources) expect(signatureHeader(source)).toBeUndefined();
  });

  it('joins several values with a comma, so that verify refuses them', async () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const value = sign({ body: BODY, secret: SECRET, timestamp });
    const headers = new Headers({ 'x-service-signature': value });
    headers.append('X-Service-Signature', value);
    for (const source of [headers, { 'X-Service-Signature': value, 'x-service-signature': value }]) {
      const header = signatureHeader(source);
      expect(await refusal(() => verify({ body: BODY, header, secret: SECRET }))).toMatchObject({
        code: 'malformed_header',
      });
    }
  });

  it.each([undefined, null, 'x-service-signature', 5, ['x-service-signature', 'value']])(
    'refuses %j',
    async (source) => {
      const error = await refusal(() => signatureHeader(source as never));
      expect(error.code).toBe('bad_option');
    },
  );

  it('reads a request from a socket with one header and with two', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(
        signatureHeader(request),
        signatureHeader(request.headers),
        signatureHeader(request.headersDistinct),
      );
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const value of ['one', ['one', 'two']]) {
      await new Promise((resolve, reject) => {
        send({ port, host: '127.0.0.1', headers: { 'X-Service-Signature': value }, agent: false }, resolve)
          .on('error', reject)
          .end();
      });
    }
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toEqual(['one', 'one', 'one', 'one, two', 'one, two', 'one,two']);
  });

  it('is the same function in both entries', () => {
    expect(fromWeb).toBe(signatureHeader);
  });
});
