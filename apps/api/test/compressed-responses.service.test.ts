import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
  const asking = request(api.url + path, { headers, method }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
};

describe.each(['/docs/reference.js', '/openapi.json'])('%s', (path) => {
  test('is compressed once: every caller gets the same bytes with a known length', async () => {
    const responses = [
      await ask(path, { 'accept-encoding': 'gzip' }),
      await ask(path, { 'accept-encoding': 'br;q=1, gzip;q=0.5' }),
      await ask(path, { 'accept-encoding': '*' }),
    ];
    for (const { headers, body } of responses) {
      expect(headers['content-encoding']).toBe('gzip');
      // A response that is compressed while it is sent has no Content-Length.
      expect(headers['content-length']).toBe(String(body.length));
      expect(body.equals(responses[0]?.body ?? Buffer.of())).toBe(true);
    }
    for (const encoding of ['identity', 'gzip;q=0', 'gzip;q=0, *', 'br', '']) {
      const plain = await ask(path, { 'accept-encoding': encoding });
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect(plain.body.equals(gunzipSync(responses[0]?.body ?? Buffer.of()))).toBe(true);
      expect(plain.headers.vary).toBe('Origin, accept-encoding');
    }
  });

  test('has an entity tag, and returns 304 to a caller that has this version', async () => {
    const { headers } = await ask(path, {});
    expect(headers.etag).toMatch(/^W\/"[\w-]{43}"$/);
    for (const tag of [headers.etag ?? '', '*']) {
      const known = await ask(path, { 'if-none-match': tag, 'accept-encoding': 'gzip' });
      expect({ status: known.status, length: known.body.length }).toEqual({ status: 304, length: 0 });
      expect(known.headers.vary).toBe('Origin, accept-encoding');
    }
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });
});

test('a record is compressed in one piece, so that a stalled reader keeps only its compressed bytes in memory', async () => {
  const [clinicId] = api.practice.clinicIds;
  const reminders = Array.from({ length: 20 }, (_, index) => ({ text: `${index}`.repeat(2000) }));
  const { json } = await api.call('POST', '/api/appointments', { body: { clinicId, reminders } });
  const path = `/api/appointments/${json._id}`;
  const authorization = `Basic ${Buffer.from(api.practice.apiKey).toString('base64')}`;
  const packed = await ask(path, { authorization, 'accept-encoding': 'gzip' });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(packed.headers['content-length']).toBe(String(packed.body.length));
  expect(packed.headers.vary).toContain('accept-encoding');
  const plain = await ask(path, { authorization, 'accept-encoding': 'gzip;q=0' });
  expect(plain.headers).not.toHaveProperty('content-encoding');
  const refused = await ask(path, { authorization, 'accept-encoding': 'gzip;q=0, *' });
  expect(refused.headers).not.toHaveProperty('content-encoding');
  expect(plain.body.equals(gunzipSync(packed.body))).toBe(true);
  expect(plain.body.length).toBeGreaterThan(packed.body.length * 2);
});

test.each(['/api/appointments/:id', '/openapi.json', '/docs/guide'])(
  'a HEAD of %s has the headers of the GET, whatever encoding the caller accepts',
  async (route) => {
    const [clinicId] = api.practice.clinicIds;
    const reminders = Array.from({ length: 20 }, () => ({ text: 'é'.repeat(1000) }));
    const { json } = await api.call('POST', '/api/appointments', { body: { clinicId, reminders } });
    const path = route.replace(':id', json._id);
    const authorization = `Basic ${Buffer.from(api.practice.apiKey).toString('base64')}`;
    for (const encoding of ['gzip', '*', 'x-gzip', 'gzip;q=0', 'gzip;q=0, *', 'identity', '']) {
      const headersOf = async (method: string) => {
        const { headers } = await ask(path, { authorization, 'accept-encoding': encoding }, method);
        const { etag, vary, 'content-encoding': coding, 'content-length': length } = headers;
        return { encoding, etag, vary, coding, length };
      };
      expect(await headersOf('HEAD')).toEqual(await headersOf('GET'));
    }
  },
);
