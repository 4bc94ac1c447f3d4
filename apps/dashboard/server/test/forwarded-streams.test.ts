import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Dashboard, openDashboard } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
});
afterAll(() => dashboard.close());
afterEach(() => {
  dashboard.received.length = 0;
  dashboard.lines.length = 0;
  dashboard.respond = (_received, response) => void response.end('{}');
  dashboard.early = () => false;
});

const get = (path: string) => request(`${dashboard.address}${path}`, { headers: dashboard.signedIn }).end();

test('forwards a list as it arrives, and closes the connection when the api aborts it', async () => {
  let rest: () => void = () => {};
  dashboard.respond = (_received, response) => {
    response.writeHead(200).write('[1,');
    rest = () => void response.destroy();
  };
  const [response] = await once(get('/api/patients'), 'response');
  const [first] = await once(response, 'data');
  expect(String(first)).toBe('[1,');
  rest();
  await expect(text(response)).rejects.toThrow('aborted');
});

test('ends the request to the api when the browser disconnects', async () => {
  const left = new Promise((resolve) => {
    dashboard.respond = (_received, response) => {
      response.on('close', resolve);
      response.writeHead(200).write('[1,');
    };
  });
  const call = get('/api/patients');
  const [response] = await once(call, 'response');
  await once(response, 'data');
  call.destroy();
  await left;
});

test('an upload that the browser breaks off does not reach the api, and is no failure of it', async () => {
  const failures = async () => /api_failures_total (\d+)/.exec(await dashboard.metrics())?.[1];
  const before = await failures();
  const headers = { ...dashboard.signedIn, 'content-type': 'application/json', 'content-length': '9' };
  const call = request(`${dashboard.address}/api/patients`, { method: 'POST', headers });
  call.on('error', () => {});
  const arrived = once(dashboard.app.server, 'request');
  call.write('{');
  await arrived;
  call.destroy();
  await expect.poll(() => dashboard.lines.some((line) => line.includes('request aborted'))).toBe(true);
  expect(await failures()).toBe(before);
  expect(dashboard.received).toEqual([]);
  expect(dashboard.lines.join('')).not.toContain('the api does not respond');
});

test('refuses a body that the api would not read, before it is sent', async () => {
  const headers = { ...dashboard.signedIn, 'content-type': 'application/json' };
  const call = request(`${dashboard.address}/api/patients`, { method: 'POST', headers });
  call.end(Buffer.alloc(256 * 1024 + 1, ' '));
  const [response] = await once(call, 'response');
  expect(response.statusCode).toBe(413);
  expect(JSON.parse(await text(response))).toMatchObject({ name: 'PayloadTooLarge' });
  expect(dashboard.received).toEqual([]);
});

test('responds when the api aborts an upload', async () => {
  dashboard.early = (incoming) => {
    incoming.socket.destroy();
    return true;
  };
  const headers = { ...dashboard.signedIn, 'transfer-encoding': 'chunked' };
  const call = request(`${dashboard.address}/api/patients`, { method: 'POST', headers });
  call.end('{}');
  const [response] = await once(call, 'response');
  expect(response.statusCode).toBe(503);
  response.resume();
});

test('stalled readers do not block the connections of others, and their own are closed', async () => {
  let time = 0;
  let step = 0;
  const busy = await openDashboard(undefined, { now: () => (time += step), interval: 200 });
  let open = 0;
  busy.respond = ({ url }, response) => {
    if (url !== '/api/patients') return void response.end('{}');
    open += 1;
    response.on('close', () => (open -= 1));
    response.writeHead(200).write(Buffer.alloc(16_000_000, ' '));
  };
  const fetchAs = async (path: string, cookie = String(busy.signedIn.cookie)) => {
    const call = request(busy.address + path, { headers: { ...busy.signedIn, cookie } }).end();
    const [response] = await once(call, 'response');
    response.on('error', () => {});
    return response.statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 24 }, () => fetchAs('/api/patients')));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await fetchAs('/api/clinics')).toBe(429);
  expect(await fetchAs('/api/clinics', `chairside=chairside_token_${'b'.repeat(43)}`)).toBe(200);
  // From here on, the clock advances by 31 s between two checks, so a response without progress between them has
  // stalled.
  step = 31_000;
  await expect.poll(() => open).toBe(0);
  expect(await fetchAs('/api/clinics')).toBe(200);
  expect(await busy.metrics()).toMatch(/stalled_responses_total 24/);
  await busy.close();
});

test('forwards one request when a body has two lengths, or is not one request', async () => {
  const send = async (lines: readonly string[]): Promise<string> => {
    const socket = connect(Number(new URL(dashboard.address).port), '127.0.0.1');
    socket.end(lines.join('\r\n'));
    return text(socket);
  };
  const head = (more: readonly string[]) => [
    'POST /api/patients HTTP/1.1',
    `Host: ${new URL(dashboard.publicUrl).host}`,
    `Origin: ${dashboard.publicUrl}`,
    `Cookie: ${dashboard.signedIn.cookie}`,
    'Content-Type: application/json',
    ...more,
  ];
  const smuggled = 'GET /api/operators HTTP/1.1\r\nHost: api\r\n\r\n';
  for (const more of [
    ['Content-Length: 2', 'Transfer-Encoding: chunked', '', '0', '', smuggled],
    ['Content-Length: 2', 'Content-Length: 60', '', `{}${smuggled}`],
    ['Transfer-Encoding: chunked, identity', '', '0', '', smuggled],
    ['Transfer-Encoding : chunked', '', '0', '', smuggled],
  ]) {
    expect(await send(head(more))).toMatch(/^HTTP\/1\.1 400 /);
  }
  expect(dashboard.received).toEqual([]);
});
