import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import {
  basic,
  LONGEST_WAIT_MS,
  type LogLine,
  openedDocuments,
  plantTreatments,
  type ServiceProcess,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CALLER, type ProxiedProduct, type Response, startProxiedProduct } from './proxied-product.ts';

/*
 * The files of deploy/proxies in front of two apis, a dashboard and a connector. docs/operation/proxy.md promises what is
 * tested here. The last tests of each proxy kill its apis.
 */

const API = 'api.example.com';
const DASHBOARD = 'dashboard.example.com';
const CONNECTOR = 'mcp.example.com';
const KIB = 1024;
/** 48 MB, which is more than the buffers of all connections hold. */
const LONG_LIST = { rows: 20_000, nameLength: 2400 };
const CANARY = 'canary@example.com';

describe.each([['nginx'], ['Caddy']])('%s', (name) => {
  let product: ProxiedProduct;
  beforeAll(async () => {
    product = await startProxiedProduct(name);
  });
  afterAll(() => product.close());

  const asKey = () => ({ authorization: basic(product.service.practice.apiKey) });
  const send = (method: string, path: string, body?: object | string, headers: object = {}) =>
    product.send(API, method, path, {
      headers: { ...asKey(), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const patient = (fields: object = {}) => ({ clinicId: product.service.practice.clinicIds[0], ...fields });
  const firstLogged = (matches: (line: LogLine) => boolean): Promise<LogLine> =>
    Promise.race(product.apis.map((api) => api.logged(matches)));
  const errorOf = ({ status, json }: Response) => ({ status, ...json });
  const requestId = expect.any(String);

  test('passes calls with their tags to both apis, and both logs have the request id, but only the api the route', async () => {
    const created = await send('POST', '/api/patients', patient({ name: 'Ada', email: CANARY }));
    expect(created.status).toBe(200);
    const path = `/api/patients/${created.json._id}`;
    const read = await send('GET', path);
    expect(read.headers.etag).toBe('"1"');
    const edited = await send('PUT', path, { language: 'de' }, { 'if-match': read.headers.etag });
    expect(edited.status).toBe(200);
    expect((await send('PUT', path, { language: 'en' }, { 'if-match': read.headers.etag })).status).toBe(412);

    const found = await send('GET', `/api/patients?email=${CANARY}`);
    expect(found.json).toHaveLength(1);
    const id = String(found.headers['x-request-id']);
    expect(await firstLogged((line) => line.requestId === id)).toMatchObject({ route: '/api/patients' });
    await expect.poll(product.logs).toContain(id);
    const logs = await product.logs();
    for (const secret of [CANARY, created.json._id, product.service.practice.apiKey])
      expect(logs).not.toContain(secret);
    const isServed = (api: ServiceProcess) => api.lines.some(({ msg }) => msg === 'request');
    await vi.waitUntil(async () => (await send('GET', '/api/clinics')) && product.apis.every(isServed), {
      timeout: LONGEST_WAIT_MS,
    });
  });

  /** The address in the audit entry of the last sign-in of an operator. */
  const signedInFrom = async (operatorId: string): Promise<string> => {
    const { token } = product.service.practice.administrator;
    const { json } = await product.send(
      API,
      'GET',
      `/api/auditentries?action=signed_in&principalId=${operatorId}`,
      {
        headers: { authorization: `Token ${token}` },
      },
    );
    return json[0].address;
  };

  test('the services know the address of the caller, whatever the caller sends, also through the dashboard', async () => {
    const { staff, administrator } = product.service.practice;
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-proxy-secret': product.proxySecret };
    const signIn = (host: typeof API | typeof DASHBOARD, who: typeof staff, headers: object, from: string) =>
      product.send(host, 'POST', host === API ? '/api/sessions' : '/session', {
        headers: { ...forged, ...headers },
        body: JSON.stringify({ email: who.email, password: who.password }),
        from,
      });
    expect((await signIn(API, staff, {}, CALLER)).status).toBe(200);
    expect(await signedInFrom(staff._id)).toBe(CALLER);
    const origin = product.originOf(DASHBOARD);
    expect((await signIn(DASHBOARD, administrator, { origin }, '127.0.0.3')).status).toBe(200);
    expect(await signedInFrom(administrator._id)).toBe('127.0.0.3');
  });

  test('bodies and headers at the limits of the api pass, and larger ones get the errors of the api', async () => {
    const padded = (value: object, bytes: number): string => JSON.stringify(value).padEnd(bytes);
    const batch = { writes: [{ method: 'create', kind: 'patient', body: patient() }] };
    for (const [path, value, max] of [
      ['/api/patients', patient(), 256 * KIB],
      ['/api/batch', batch, 1024 * KIB],
    ] as const) {
      expect((await send('POST', path, padded(value, max))).status).toBe(200);
      expect(errorOf(await send('POST', path, padded(value, max + 1)))).toEqual({
        status: 413,
        statusCode: 413,
        name: 'PayloadTooLarge',
        message: `The body is larger than ${max} bytes. Send a smaller body.`,
        details: { requestId },
      });
    }
    // nginx refuses this one itself.
    expect(errorOf(await send('POST', '/api/batch', padded(batch, 3 * 1024 * KIB)))).toMatchObject({
      status: 413,
      statusCode: 413,
      name: 'PayloadTooLarge',
      details: { requestId },
    });
    const large = await send('GET', '/api/clinics', undefined, { 'x-large': 'x'.repeat(20 * KIB) });
    expect(errorOf(large)).toMatchObject({ status: 400, name: 'BadRequest', details: { requestId } });
    expect(large.json.message).toContain('The headers are larger than 16384 bytes');
  });

  test('health and metrics are private, and each host leads to its service', async () => {
    for (const host of [API, DASHBOARD, CONNECTOR] as const)
      for (const path of ['/health/ready', '/health/live', '//health/live', '/health%2Flive', '/metrics'])
        expect({ host, path, ...errorOf(await product.send(host, 'GET', path)) }).toMatchObject({
          status: 404,
          statusCode: 404,
          name: 'NotFound',
          details: { requestId },
        });
    expect(await product.send(DASHBOARD, 'GET', '/session')).toMatchObject({ status: 200, text: 'null' });
    const metadata = await product.send(CONNECTOR, 'GET', '/.well-known/oauth-protected-resource/mcp');
    expect(metadata.json).toMatchObject({ resource: `${product.originOf(CONNECTOR)}/mcp` });
    const stranger = connect({ ...product.connection, servername: 'other.example.com' });
    const [error] = await once(stranger, 'error');
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_SSL_/) });
  });

  test('a list is streamed: it stops while its reader stalls, and a reader gets all of it', async () => {
    await plantTreatments(product.service, LONG_LIST);
    const stalled = await product.open(API, '/api/treatments', asKey());
    const [begin] = await once(stalled, 'data');
    stalled.pause();
    // The api closes the connection after 30 s. If the proxy stored the list, the api would send it to its end.
    const ended = await firstLogged(({ route, msg }) => route === '/api/treatments' && /^request/.test(msg));
    expect(ended.msg).toBe('request aborted');
    // nginx closes the connection. Caddy 2.6 ends the response.
    const rest = await text(stalled).catch(() => '');
    expect(() => JSON.parse(begin + rest)).toThrow(SyntaxError);

    const whole = await product.open(API, '/api/treatments', asKey());
    expect(JSON.parse(await text(whole))).toHaveLength(LONG_LIST.rows);
  });

  /** The names of the stored patients, sorted. */
  const storedNames = async (prefix: string): Promise<string[]> =>
    (await openedDocuments(product.service, 'patients'))
      .map(({ name: stored }) => String(stored))
      .filter((stored) => stored.startsWith(prefix))
      .toSorted();

  test('an api that is killed while callers read and write: no read fails, each write is made once, and the other api goes on', async () => {
    const [killed] = product.apis;
    let isKilled = false;
    const loops: { calls: number; callsAfter: number }[] = [];
    /** Calls until each loop has called often, both before and after the kill. */
    const loop = async (call: (index: number) => Promise<void>): Promise<void> => {
      const own = { calls: 0, callsAfter: 0 };
      loops.push(own);
      while (loops.some(({ calls, callsAfter }) => calls < 20 || callsAfter < 20)) {
        await call(own.calls++);
        if (isKilled) own.callsAfter++;
      }
    };
    const post = (given: string, headers: object = {}) =>
      send('POST', '/api/patients', patient({ name: given }), headers);
    const keyed = (key: string) => post(key, { 'idempotency-key': key });

    const reads: number[] = [];
    const statuses = { keyed: new Map<string, number>(), plain: new Map<string, number>() };
    const problems: Response[] = [];
    const noted = (map: Map<string, number>, given: string, response: Response) => {
      map.set(given, response.status);
      if (response.status !== 200) problems.push(response);
    };
    const callers = Array.from({ length: 4 }, (_, caller) => [
      loop(async () => void reads.push((await send('GET', '/api/clinics')).status)),
      loop(async (index) =>
        noted(statuses.keyed, `keyed-${caller}-${index}`, await keyed(`keyed-${caller}-${index}`)),
      ),
      loop(async (index) =>
        noted(statuses.plain, `plain-${caller}-${index}`, await post(`plain-${caller}-${index}`)),
      ),
    ]).flat();
    const killing = vi
      .waitUntil(() => loops.every(({ calls }) => calls >= 20), { timeout: LONGEST_WAIT_MS })
      .then(() => killed.end('SIGKILL'))
      .then(() => {
        isKilled = true;
      });
    await Promise.all([killing, ...callers]);

    expect(new Set(reads)).toEqual(new Set([200]));
    for (const problem of problems)
      expect(errorOf(problem)).toMatchObject({
        status: 503,
        statusCode: 503,
        name: 'ServiceUnavailable',
        details: { requestId },
      });
    for (const { headers } of problems) expect(headers['retry-after']).toBe('1');
    // The first request may have reserved its key, and is waited for until its lease ends.
    const undecided = [...statuses.keyed].filter(([, status]) => status !== 200).map(([key]) => key);
    for (const key of undecided) await expect.poll(async () => (await keyed(key)).status).toBe(200);
    expect(await storedNames('keyed-')).toEqual([...statuses.keyed.keys()].toSorted());
    const plain = await storedNames('plain-');
    expect(new Set(plain).size).toBe(plain.length);
    const made = [...statuses.plain].filter(([, status]) => status === 200).map(([given]) => given);
    expect(plain).toEqual(expect.arrayContaining(made));
  });

  test('without any api, the error has the form of the api, and no log quotes the request', async () => {
    await product.apis[1].end('SIGKILL');
    const refused = await send('GET', `/api/patients?email=${CANARY}`);
    expect(errorOf(refused)).toEqual({
      status: 503,
      statusCode: 503,
      name: 'ServiceUnavailable',
      message: 'The service is unavailable. Try again later.',
      details: { requestId: refused.headers['x-request-id'] },
    });
    expect(refused.headers['retry-after']).toBe('1');
    await expect.poll(product.logs).toContain(refused.json.details.requestId);
    expect(await product.logs()).not.toContain(CANARY);
  });
});

test('nginx refuses an address that has 200 requests in flight, and no other one', async () => {
  const product = await startProxiedProduct('nginx');
  const [busy, sockets] = ['127.0.0.4', [] as TLSSocket[]];
  try {
    for (let index = 0; index < 200; index++) {
      const socket = connect({ ...product.connection, servername: API, localAddress: busy } as never);
      sockets.push(socket);
      await once(socket, 'secureConnect');
      // The request waits for the rest of its body.
      socket.write(`POST /api/sessions HTTP/1.1\r\nHost: ${API}\r\nContent-Length: 10\r\n\r\nx`);
    }
    const statusFrom = async (from: string) =>
      (await product.send(API, 'GET', '/api/clinics', { from })).status;
    await expect.poll(() => statusFrom(busy)).toBe(429);
    expect(await statusFrom(CALLER)).toBe(401);
    const { json, headers } = await product.send(API, 'GET', '/api/clinics', { from: busy });
    expect(json).toMatchObject({ statusCode: 429, name: 'TooManyRequests' });
    expect(headers['retry-after']).toBe('1');
  } finally {
    for (const socket of sockets) socket.destroy();
    await product.close();
  }
});
