import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { boundConnections, connectionLimits, createMetricsServer } from '@chairside/http-server';
import { BUILD } from '@chairside/startup';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

/** Sends these bytes, and returns the response when the connection has ended. */
const exchange = async (bytes: string): Promise<{ status: number; head: string; json: any }> => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, json: JSON.parse(body) };
};

test.each([
  [
    'a megabyte of header',
    `GET /api/clinics HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(1_000_000)}\r\n\r\n`,
  ],
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
  [
    'two Host headers',
    'GET /health/live HTTP/1.1\r\nHost: a.example\r\nhOST: b.example\r\nConnection: close\r\n\r\n',
  ],
  ['no Host header', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n'],
  [
    'two Content-Length headers',
    'POST /api/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
  ],
])('responds to %s with the error body', async (_name, bytes) => {
  const { status, head, json } = await exchange(bytes);
  expect(status).toBe(400);
  expect(json).toEqual({
    message: expect.any(String),
    name: 'BadRequest',
    statusCode: 400,
    details: { requestId: expect.any(String) },
  });
  expect(head).toMatch(new RegExp(`^x-request-id: ${json.details.requestId}`, 'im'));
});

test('forbids browsers to load or cache anything, on every response', async () => {
  for (const path of ['/api/clinics', '/api/nothing', '/health/live']) {
    const { headers } = await api.call('GET', path);
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('strict-transport-security')).toMatch(/max-age/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

test('allows only the configured origin to call from a browser', async () => {
  const preflight = (origin: string) =>
    fetch(`${api.url}/api/patients`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const allowed = await preflight('https://app.example.com');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  const other = await preflight('https://evil.example');
  expect(other.headers.has('access-control-allow-origin')).toBe(false);
  const response = await api.call('GET', '/api/clinics', { headers: { origin: 'https://app.example.com' } });
  expect(response.headers.get('access-control-expose-headers')).toContain('X-Next-Cursor');
});

test('allows no origin by default', async () => {
  const closed = await openTestApi([], []);
  const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
  const preflight = await closed.call('OPTIONS', '/api/patients', { headers, as: '' });
  const response = await closed.call('GET', '/api/clinics', { headers });
  await closed.close();
  expect({ preflight: preflight.status, response: response.status }).toEqual({
    preflight: 405,
    response: 200,
  });
  for (const { headers } of [preflight, response]) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('metrics contain only route, method and status of a request', async () => {
  await api.call('GET', '/api/patients/canary-of-a-path?email=canary@example.com');
  await api.call('GET', '/canary-of-no-path');
  const server = createMetricsServer(api.metrics);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const scrape = () => fetch(`http://127.0.0.1:${port}/metrics`);
  // The request is counted after its response has been sent.
  await expect.poll(async () => (await scrape()).text()).toMatch(/route="none",status="404"\} [1-9]/);
  const response = await scrape();
  const metrics = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(metrics).toMatch(
    /chairside_api_request_duration_seconds_count\{method="GET",route="\/api\/patients\/:patientId",status="400"\} 1/,
  );
  expect(metrics).toMatch(/chairside_api_redis_ready [01]/);
  expect(metrics).not.toContain('canary');
  expect((await fetch(`http://127.0.0.1:${port}/api/patients`)).status).toBe(404);
  const live = `http://127.0.0.1:${port}/health/live`;
  expect(await (await fetch(live)).json()).toEqual({ status: 'ok', ...BUILD });
  expect((await fetch(live, { method: 'POST' })).status).toBe(405);
  server.close();
});

test('closes connections beyond the limit at once, counts them, and keeps the open ones', async () => {
  const bounded = Fastify({ forceCloseConnections: true });
  const counted = { connections: 0, dropped: 0 };
  const metrics = {
    connections: (count: number) => {
      counted.connections = count;
    },
    dropped: () => {
      counted.dropped++;
    },
  };
  boundConnections(bounded, metrics, 3);
  await bounded.listen({ host: '127.0.0.1', port: 0 });
  const { port } = bounded.server.address() as { port: number };
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const sockets = [await open(), await open(), await open()];
  await expect.poll(() => counted.connections).toBe(3);
  expect(await text(await open())).toBe('');
  expect(counted).toEqual({ connections: 3, dropped: 1 });
  sockets[0]?.destroy();
  await expect.poll(() => counted.connections).toBe(2);
  await open();
  await expect.poll(() => counted.connections).toBe(3);
  await bounded.close();
});

// These two tests wait for timeouts of the server, so they run concurrently.
test.concurrent('responds with 408 to a caller that sends its headers too slowly, and closes the connection', async ({
  expect,
}) => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write('GET /api/clinics HTTP/1.1\r\nHost: x\r\n');
  const dripping = setInterval(() => socket.write('X-Drip: 1\r\n'), 500);
  const response = await text(socket);
  clearInterval(dripping);
  expect(response).toContain('408 Request Timeout');
  expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    name: 'RequestTimeout',
    statusCode: 408,
  });
});

test.concurrent('the api counts its connections towards their limit, and closes silent ones', async ({
  expect,
}) => {
  expect(connectionLimits.find(({ id }) => id === 'connections')?.value).toBe(4000);
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.on('error', () => {});
  const exposed = async () => (await api.metrics.expose()).text;
  await expect.poll(exposed).toMatch(/^chairside_api_connections [1-9]/m);
  // The server closes the connection, with or without a response.
  await text(socket);
});

test('closes a connection with many pipelined requests, and serves the requests of others meanwhile', async () => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  const closed = once(socket, 'close');
  socket.on('error', () => {}).resume();
  socket.write('GET /api/clinics HTTP/1.1\r\nHost: x\r\nAuthorization: Token abc\r\n\r\n'.repeat(500));
  await closed;
  expect((await api.call('GET', '/api/clinics')).status).toBe(200);
});

test('serves the requests of one connection one after the other', async () => {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  for (let count = 0; count < 20; count++) {
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    const [part] = await once(socket, 'data');
    expect(String(part)).toMatch(/^HTTP\/1\.1 200/);
  }
  socket.destroy();
});
