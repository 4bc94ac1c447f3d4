import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { apiAddress, basic, type ServiceProcess, startApi } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';
import { createLargeAppointments } from './large-appointments.ts';

/*
 * Many callers at the same time, most of which read nothing. The api process has the heap size for a container of 512
 * MiB. The tests assert that the process survives and that its resident memory stays below the limit of the container.
 */
const CONTAINER = 512;
const NODE_OPTIONS = '--max-old-space-size=384 --max-semi-space-size=8';

let api: TestApi;
let service: ServiceProcess;
let address: string;
let as: string;
beforeAll(async () => {
  api = await openTestApi();
  as = basic(api.practice.apiKey);
  // The list is 17 MB long.
  await createLargeAppointments(api.practice, 105);
  service = startApi({
    ...api.environment,
    NODE_OPTIONS,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'info',
  });
  address = await apiAddress(service);
});
afterAll(async () => {
  await service.end('SIGTERM');
  await api.close();
});

const peakMemory = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;
const isAlive = async (): Promise<boolean> => (await fetch(`${address}/health/live`)).ok;

/** Sends each request on its own connection, and reads nothing. Resolves when all are connected. */
const askInSilence = async (path: string, times: number): Promise<Socket[]> =>
  Promise.all(
    Array.from({ length: times }, async () => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${as}\r\n\r\n`);
      return socket;
    }),
  );
const status = async (method: string, path: string): Promise<number | undefined> => {
  const asking = request(address + path, { method, agent: false, headers: { authorization: as } });
  asking.end();
  const [response] = await once(asking, 'response');
  response.resume();
  return response.statusCode;
};
/** The requests that have ended. The connection of a response that stalls is closed after a while. */
const ended = () => service.lines.filter(({ msg }) => msg === 'request' || msg === 'request aborted').length;

test('90 connections that request a list of 17 MB and read nothing', async () => {
  for (const path of ['/api/appointments', '/api/appointments?limit=1000']) {
    const before = ended();
    const sockets = await askInSilence(path, 90);
    // At most four streams of the key are open at once. All other requests are refused, or their streams have ended.
    await expect.poll(() => ended() - before).toBeGreaterThanOrEqual(86);
    for (const socket of sockets) socket.destroy();
  }
  expect(await isAlive()).toBe(true);
  expect(peakMemory()).toBeLessThan(CONTAINER);
});

test('200 concurrent HEAD requests for the list', async () => {
  const statuses = await Promise.all(Array.from({ length: 200 }, () => status('HEAD', '/api/appointments')));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(peakMemory()).toBeLessThan(CONTAINER);
});

test('more idle connections than a process accepts', async () => {
  const sockets: Socket[] = [];
  let closed = 0;
  for (let opened = 0; opened < 5000; opened += 250) {
    const batch = Array.from({ length: 250 }, () => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.once('close', () => closed++);
      socket.resume();
      return socket;
    });
    await Promise.all(batch.map((socket) => once(socket, 'connect')));
    sockets.push(...batch);
  }
  await expect.poll(() => closed).toBeGreaterThanOrEqual(1000);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => isAlive().catch(() => false)).toBe(true);
  expect(peakMemory()).toBeLessThan(CONTAINER);
});
