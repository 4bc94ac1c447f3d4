import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Folder, openFolder } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { emptyCli } from './cli.ts';

/** The hosts to which the proxy was asked to connect. It connects to none. */
let asked: string[];
let folder: Folder;
let proxyUrl: string;
const proxy = createServer((request, response) => {
  asked.push(String(request.url));
  response.writeHead(502).end();
});
proxy.on('connect', ({ url }, socket) => {
  asked.push(String(url));
  socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
});

beforeAll(async () => {
  folder = await openFolder();
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  proxy.close();
  await folder.close();
});

const run = (url: string, environment: Record<string, string>) =>
  emptyCli(folder, {
    CHAIRSIDE_URL: url,
    CHAIRSIDE_API_KEY: `chairside_key_${'k'.repeat(43)}`,
    ...environment,
  }).start(['patients', 'get', 'one']).ended;

const API = 'https://api.chairside.invalid';

test.each(['HTTPS_PROXY', 'https_proxy'])('sends requests through the proxy of %s', async (name) => {
  expect((await run(API, { [name]: proxyUrl })).code).toBe(5);
  expect(new Set(asked)).toEqual(new Set(['api.chairside.invalid:443']));
});

test.each([
  ['NO_PROXY', 'api.chairside.invalid'],
  ['no_proxy', '.chairside.invalid'],
  ['NO_PROXY', 'example.com, *'],
])('connects without the proxy to the hosts of %s=%s', async (name, hosts) => {
  expect((await run(API, { HTTPS_PROXY: proxyUrl, [name]: hosts })).code).toBe(5);
  expect(asked).toEqual([]);
});

test('uses a proxy neither for http if only HTTPS_PROXY is set, nor for this computer', async () => {
  const server = createServer((_request, response) => {
    const body = { message: 'none', name: 'NotFound', statusCode: 404, details: { requestId: 'r' } };
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const host of ['127.0.0.1', 'localhost'])
    for (const environment of [{ HTTPS_PROXY: proxyUrl }, { HTTP_PROXY: proxyUrl, NO_PROXY: 'example.com' }])
      expect((await run(`http://${host}:${port}`, environment as Record<string, string>)).code).toBe(4);
  expect(asked).toEqual([]);
  server.close();
});
