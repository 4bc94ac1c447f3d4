import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Resolve } from '../src/connect.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const HOSTS = 6;
/** Below the ports that a system gives out by itself: a server of another test must not get one that is to be closed. */
const FIRST_PORT = 12_000 + (process.pid % 8_000);
const PATIENTS = 30;

let dispatcher: TestDispatcher;
const servers: Server[] = [];
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
});
afterEach(async () => {
  await dispatcher.close();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const listen = async (port: number, received: string[]): Promise<number> => {
  const server = createServer((request, response) => {
    received.push(request.headers['x-service-delivery-id'] as string);
    request.resume().on('end', () => response.end());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
};

/** A network that is cut off until it is restored. */
type Network = { urls: string[]; resolve?: Resolve; restore(): Promise<void> };

/** Nobody listens on any of the hosts. */
const withoutWayOut = async (received: string[]): Promise<Network> => {
  const ports: number[] = [];
  for (let port = FIRST_PORT; ports.length < HOSTS; port++) {
    if (await listen(port, []).catch(() => undefined)) ports.push(port);
  }
  for (const server of servers.splice(0)) server.close();
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    async restore() {
      for (const port of ports) await listen(port, received);
    },
  };
};

/** The name server answers nothing but that it cannot answer. */
const withoutDns = async (received: string[]): Promise<Network> => {
  const port = await listen(0, received);
  let isAway = true;
  return {
    urls: Array.from({ length: HOSTS }, (_, host) => `http://receiver-${host}.test:${port}/hook`),
    async resolve() {
      if (isAway) throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
      return [{ address: '127.0.0.1', family: 4 }];
    },
    async restore() {
      isAway = false;
    },
  };
};

test.each([
  ['nobody can be connected to', withoutWayOut],
  ['no name can be looked up', withoutDns],
])(
  'while %s no event is lost, nobody is disabled, and one Delivery a second is tried',
  async (_name, cutOff) => {
    const received: string[] = [];
    const { urls, restore, ...network } = await cutOff(received);
    for (const url of urls) await dispatcher.subscribe(url);

    const workers = dispatcher.start({}, network);
    await dispatcher.createPatients(PATIENTS);
    await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg.startsWith('nobody can be reached')));
    expect(workers.isOut()).toBe(true);
    const { subscriptions } = dispatcher.practice.store;
    const deliveries = dispatcher.database.collection('deliveries');
    const total = HOSTS * PATIENTS;
    // Also those that had failed before it was known why are back in the queue.
    const inState = (status: object) => () => deliveries.countDocuments({ status });
    await expect.poll(inState({ $in: ['queued', 'sending'] })).toBe(total);
    // Failures are taken back right after their Deliveries.
    const healths = async () =>
      (await subscriptions.list()).map(({ active, consecutiveFailures }) => ({
        active,
        consecutiveFailures,
      }));
    await expect.poll(healths).toEqual(Array(HOSTS).fill({ active: true, consecutiveFailures: 0 }));
    expect(received).toEqual([]);

    await restore();
    await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'the outage is over'));
    await expect.poll(inState({ $eq: 'succeeded' }), { timeout: 30_000 }).toBe(total);
    expect(workers.isOut()).toBe(false);
    expect(new Set(received).size).toBe(total);
    expect(received).toHaveLength(total);
  },
);
