import { describe, expect, it, vi } from 'vitest';
import type { Chairside } from '../src/index.ts';
import { BASE_URL, createClock, createStub, failure, inOrder, networkError } from './stub.ts';

const DONE = { body: { _id: 'a' } };
const unreachable = failure(503, 'ServiceUnavailable', { 'retry-after': '2' });

const get = (client: Chairside) => client.patients.get('a');
const create = (client: Chairside) => client.patients.create({ clinicId: 'c' });
const update = (client: Chairside) => client.patients.update('a', { name: 'n' });
const remove = (client: Chairside) => client.patients.delete('a');
const createOther = (client: Chairside) =>
  client.webhookSubscriptions.create({ clinicId: 'c', url: 'https://example.com' });

describe('a response that arrives in part', () => {
  const withBody = (body: () => Promise<string>) => {
    const headers = new Headers({ 'x-request-id': 'req_7' });
    const fetch = async () => ({ status: 200, headers, text: body });
    return createStub(() => DONE, { fetch, retry: false, timeout: 50 }).client;
  };

  it.each([
    ['breaks', 'ConnectionError', () => Promise.reject(networkError('UND_ERR_SOCKET'))],
    ['does not end', 'TimeoutError', () => new Promise<string>(() => {})],
  ])('and %s is an error with the id of its request', async (_, name, body) => {
    await expect(get(withBody(body))).rejects.toMatchObject({ name, requestId: 'req_7' });
  });
});

describe('a temporary failure', () => {
  it.each([
    ['429 with seconds', failure(429, 'TooManyRequests', { 'retry-after': '7' }), [7000]],
    [
      '429 with a date',
      failure(429, 'TooManyRequests', { 'retry-after': 'Thu, 31 Jan 2030 00:00:30 GMT' }),
      [30_000],
    ],
    ['503', unreachable, [2000]],
    ['503 of a proxy, without Retry-After', { status: 503, body: '<html>' }, [250]],
    ['502', { status: 502, body: '' }, [250]],
    ['504', { status: 504, body: '' }, [250]],
    ['408', failure(408, 'RequestTimeout'), [250]],
    ['no connection', networkError('ECONNREFUSED'), [250]],
    ['a connection that breaks', networkError('ECONNRESET'), [250]],
  ])('is retried after its wait: %s', async (_, reply, expected) => {
    for (const call of [get, create, update, remove]) {
      const { client, seen, waits } = createStub(inOrder(reply, DONE));
      expect(await call(client)).toEqual({ _id: 'a' });
      expect(seen).toHaveLength(2);
      expect(waits).toEqual(expected);
    }
  });

  it('is retried at most four times, with waits that double', async () => {
    const { client, seen, waits } = createStub(() => networkError('ECONNRESET'));
    await expect(get(client)).rejects.toMatchObject({ name: 'ConnectionError', code: 'ECONNRESET' });
    expect(seen).toHaveLength(5);
    expect(waits).toEqual([250, 500, 1000, 2000]);
  });

  it('is retried after a wait with jitter, even with Retry-After', async () => {
    const clock = createClock();
    clock.runtime.random = () => 1;
    const { client, waits } = createStub(inOrder(networkError('ECONNRESET'), unreachable, DONE), { clock });
    await get(client);
    expect(waits).toEqual([500, 3000]);
  });

  it('is not waited for longer than the limit', async () => {
    const hour = failure(429, 'TooManyRequests', { 'retry-after': '3600' });
    const { client, waits } = createStub(inOrder(hour));
    await expect(get(client)).rejects.toMatchObject({ status: 429, retryAfter: 3600 });
    expect(waits).toEqual([]);
    const patient = createStub(inOrder(hour, DONE), { retry: { maxDelay: 3_600_000 } });
    await get(patient.client);
    expect(patient.waits).toEqual([3_600_000]);
  });

  it('is not retried if the options of the client or the call disable retries', async () => {
    const never = createStub(inOrder(unreachable), { retry: false });
    await expect(get(never.client)).rejects.toMatchObject({ status: 503 });
    const once = createStub(inOrder(unreachable));
    await expect(once.client.patients.get('a', { retry: false })).rejects.toMatchObject({ status: 503 });
    const twice = createStub(inOrder(unreachable, unreachable));
    await expect(twice.client.patients.get('a', { retry: { maxAttempts: 2 } })).rejects.toThrow('503');
    expect(twice.seen).toHaveLength(2);
  });
});

it.each([
  [400, 'ValidationError'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [412, 'PreconditionFailed'],
  [413, 'PayloadTooLarge'],
  [500, 'InternalServerError'],
])('%i is not retried', async (status, name) => {
  for (const call of [get, create, update, remove]) {
    const { client, seen } = createStub(inOrder(failure(status, name)));
    await expect(call(client)).rejects.toMatchObject({ status, name, requestId: 'req_1' });
    expect(seen).toHaveLength(1);
  }
});

describe('a POST that takes an Idempotency-Key', () => {
  it('sends a new key for each call, and the same key for its retries', async () => {
    const { client, seen } = createStub(inOrder(unreachable, networkError('ECONNRESET'), DONE, DONE));
    await create(client);
    await create(client);
    const keys = seen.map(({ init }) => init.headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it('sends the key of the caller', async () => {
    const { client, seen } = createStub(inOrder(DONE));
    await client.patients.create({ clinicId: 'c' }, { idempotencyKey: 'line 17' });
    expect(seen[0]?.init.headers['idempotency-key']).toBe('line 17');
  });

  it('waits while the first request with its key is still running', async () => {
    const running = failure(409, 'Conflict', { 'retry-after': '30' });
    const { client, waits } = createStub(inOrder(networkError('ECONNRESET'), running, DONE));
    await create(client);
    expect(waits).toEqual([250, 30_000]);
  });
});

describe('a request that must not be sent twice', () => {
  const calls: [string, (client: Chairside) => PromiseLike<unknown>][] = [
    ['create a subscription', createOther],
    ['send a test', ({ webhookSubscriptions }) => webhookSubscriptions.test('a')],
    ['create a key', ({ apiKeys }) => apiKeys.create({ name: 'n' })],
    [
      'create an operator',
      ({ operators }) => operators.create({ email: 'a@b.c', password: 'p', role: 'staff' }),
    ],
    ['confirm', ({ sessions }) => sessions.confirm({ password: 'p' })],
    ['change the password', ({ sessions }) => sessions.changePassword({ password: 'p', newPassword: 'q' })],
    ['reveal', ({ apiKeys }) => apiKeys.reveal('a', { password: 'p' })],
    ['any POST', (client) => client.request('POST', '/api/new', { body: {} })],
  ];

  it.each(calls)('is not repeated once it may have arrived: %s', async (_, call) => {
    for (const reply of [unreachable, networkError('ECONNRESET'), failure(429, 'TooManyRequests')]) {
      const { client, seen } = createStub(inOrder(reply));
      await expect(call(client)).rejects.toBeInstanceOf(Error);
      expect(seen).toHaveLength(1);
      expect(seen[0]?.init.headers).not.toHaveProperty('idempotency-key');
    }
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    'is repeated if the connection was never opened: %s',
    async (code) => {
      const { client, seen } = createStub(inOrder(networkError(code), DONE));
      await createOther(client);
      expect(seen).toHaveLength(2);
    },
  );
});

describe('a timeout', () => {
  it('ends an attempt, even if `fetch` ignores the signal, and is retried', async () => {
    vi.useFakeTimers();
    try {
      const { client, seen } = createStub((_, count) => (count === 1 ? new Promise(() => {}) : DONE), {
        timeout: 1000,
      });
      const reading = get(client).then(() => 'done');
      await vi.advanceTimersByTimeAsync(1000);
      expect(await reading).toBe('done');
      expect(seen[0]?.init.signal.aborted).toBe(true);
      expect(seen).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('covers the body of the response, and its error contains the time', async () => {
    vi.useFakeTimers();
    try {
      const { client } = createStub(() => DONE, {
        fetch: async () => ({ status: 200, headers: new Headers(), text: () => new Promise(() => {}) }),
        retry: false,
      });
      const reading = expect(client.patients.get('a', { timeout: 50 })).rejects.toMatchObject({
        name: 'TimeoutError',
        message: 'api.example.com sent no complete response within 50 ms.',
      });
      await vi.advanceTimersByTimeAsync(50);
      await reading;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a signal', () => {
  const reason = new Error('enough');

  it('sends nothing if it is already aborted', async () => {
    const { client, seen } = createStub(() => DONE);
    await expect(client.patients.get('a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(seen).toHaveLength(0);
  });

  it('ends a request with its reason, and is not retried', async () => {
    const controller = new AbortController();
    const { client, seen } = createStub(({ init }) => {
      controller.abort(reason);
      return init.signal.reason;
    });
    await expect(client.patients.get('a', { signal: controller.signal })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });

  it('also ends a request whose retries are disabled, with its reason', async () => {
    const controller = new AbortController();
    const { client } = createStub(({ init }) => {
      controller.abort(reason);
      return Object.assign(new Error('aborted'), { cause: init.signal.reason });
    });
    const options = { signal: controller.signal, retry: false } as const;
    await expect(client.patients.get('a', options)).rejects.toBe(reason);
  });

  it('has no listener left after a call and after a list', async () => {
    const { signal } = new AbortController();
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    const { client } = createStub(() => ({ body: [] }));
    await client.patients.get('a', { signal });
    await client.patients.list({}, { signal }).toArray();
    expect(add).toHaveBeenCalledTimes(2);
    expect(remove.mock.calls).toEqual(add.mock.calls);
  });

  it('ends a wait', async () => {
    const controller = new AbortController();
    const clock = createClock();
    clock.runtime.sleep = async (_, signal) => {
      controller.abort(reason);
      throw signal?.reason;
    };
    const { client } = createStub(inOrder(unreachable), { clock });
    await expect(client.patients.get('a', { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('a response that does not come from the api', () => {
  it('is an error that does not contain the response', async () => {
    const { client } = createStub(inOrder({ body: '<html>secret</html>' }));
    const error: any = await get(client).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'UnexpectedResponse', status: 200 });
    expect(error.message).not.toContain('secret');
  });

  it('is an error for a redirect, which is not followed', async () => {
    const { client, seen } = createStub(
      inOrder({ status: 302, headers: { location: 'https://evil.example' } }),
    );
    await expect(get(client)).rejects.toMatchObject({ name: 'UnexpectedResponse', status: 302 });
    expect(seen[0]?.init.redirect).toBe('manual');
  });
});

describe('the arguments of a call', () => {
  it.each([
    ['an empty id', (client: Chairside) => client.patients.get('')],
    // TypeScript forbids this value, but callers in JavaScript can pass it.
    ['no id', (client: Chairside) => client.patients.get(undefined as never)],
    ['an id that leads elsewhere', (client: Chairside) => client.patients.get('..')],
    ['an id that leads nowhere', (client: Chairside) => client.patients.delete('.')],
    [
      'a key with a line break',
      (c: Chairside) => c.patients.create({ clinicId: 'c' }, { idempotencyKey: 'a\nb' }),
    ],
    ['an empty key', (c: Chairside) => c.patients.create({ clinicId: 'c' }, { idempotencyKey: '' })],
    ['an entity tag with umlauts', (client: Chairside) => client.patients.delete('a', { ifMatch: '"ö"' })],
    [
      'a date that is none',
      (client: Chairside) => client.patients.list({ updatedSince: new Date('x') }).page(),
    ],
    ['a body that is no JSON', (client: Chairside) => client.request('POST', '/api/x', { body: 1n })],
    ['a path without a slash', (client: Chairside) => client.request('GET', 'api/patients')],
    ['a path with another host', (client: Chairside) => client.request('GET', '//evil.example/api')],
    ['a path that leads upwards', (client: Chairside) => client.request('GET', '/api/../x')],
    ['a path with a space', (client: Chairside) => client.request('GET', '/api/a b')],
    ['a path with a fragment', (client: Chairside) => client.request('GET', '/api/a#b\\c ')],
  ])('are checked before anything is sent: %s', async (_, call) => {
    const { client, seen } = createStub(() => DONE);
    await expect(call(client)).rejects.toMatchObject({ name: 'InvalidArgument' });
    expect(seen).toHaveLength(0);
  });

  it('are encoded', async () => {
    const { client, seen } = createStub(() => ({ body: [] }));
    await client.patients.get('a/b?c=d#e %');
    await client.patients.list({ clinicId: 'a+b&c', _ids: ['x', 'y'], updatedSince: new Date(0) }).page();
    expect(seen[0]?.path).toBe('/api/patients/a%2Fb%3Fc%3Dd%23e%20%25');
    expect(seen[1]?.query).toEqual({
      ...{ clinicId: 'a+b&c', _ids: 'x,y', updatedSince: '1970-01-01T00:00:00.000Z', limit: '1000' },
    });
  });
});

it('a path in the address becomes a prefix of the path', async () => {
  const { client, seen } = createStub(() => DONE, { baseUrl: `${BASE_URL}/practice/` });
  await get(client);
  expect(seen[0]?.path).toBe('/practice/api/patients/a');
});

describe('a call', () => {
  it('returns its response on request', async () => {
    const headers = { 'x-request-id': 'req_9', etag: '"3"', 'idempotent-replayed': 'true' };
    const { client } = createStub(() => ({ ...DONE, headers }));
    const { data, response } = await create(client).withResponse();
    expect(data).toEqual({ _id: 'a' });
    expect(response).toMatchObject({ status: 200, requestId: 'req_9', etag: '"3"', isReplay: true });
    expect(response.headers.get('etag')).toBe('"3"');
  });

  it('is one request, however often it is awaited', async () => {
    const { client, seen } = createStub(() => DONE);
    const call = get(client);
    expect(call).toBeInstanceOf(Promise);
    expect([await call, await call, (await call.withResponse()).data]).toEqual([
      DONE.body,
      DONE.body,
      DONE.body,
    ]);
    expect(await call.finally(() => {})).toEqual(DONE.body);
    expect(await Promise.all([call, Promise.race([call])])).toEqual([DONE.body, DONE.body]);
    expect(seen).toHaveLength(1);
  });

  it('that fails causes one rejection, however it is awaited', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { client } = createStub(() => failure(404, 'NotFound'));
    await expect(get(client).withResponse()).rejects.toMatchObject({ status: 404 });
    await expect(get(client).catch(({ status }) => status)).resolves.toBe(404);
    await expect(get(client).finally(() => {})).rejects.toMatchObject({ status: 404 });
    // Unhandled rejections are reported before the next turn of the event loop.
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
    get(client);
    await expect.poll(() => unhandled.mock.calls.length).toBe(1);
    process.off('unhandledRejection', unhandled);
  });

  it('resolves with undefined if the record is unchanged', async () => {
    const { client, seen } = createStub(inOrder({ status: 304, headers: { etag: '"1"' } }));
    expect(await client.clinics.get('a', { ifNoneMatch: '"1"' })).toBeUndefined();
    expect(seen[0]?.init.headers['if-none-match']).toBe('"1"');
  });

  it('resolves with undefined if the response has no body', async () => {
    const { client } = createStub(inOrder({ status: 204 }));
    expect(await client.request('DELETE', '/session')).toBeUndefined();
  });

  it.each([
    [{ apiKey: 'key' }, 'Basic a2V5'],
    [{ accessToken: 'token' }, 'Token token'],
  ])('is sent with the credential %o', async (credential, authorization) => {
    const { client, seen } = createStub(() => DONE, credential as object);
    await get(client);
    expect(seen[0]?.init.headers).toMatchObject({ accept: 'application/json', authorization });
  });
});
