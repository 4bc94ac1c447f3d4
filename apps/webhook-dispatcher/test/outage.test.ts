import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const HOSTS = 6;
/** Below the ports that a system gives out by itself: a server of another test must not get one that is to be closed. */
const FIRST_PORT = 12_000 + (process.pid % 8_000);
const PATIENTS = 30;

let dispatcher: TestDispatcher;
const servers: Server[] = [];
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
});
afterAll(async () => {
  await dispatcher.close();
  for (const server of servers) {
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

test('while nobody can be reached no event is lost, nobody is disabled, and one Delivery a second is tried', async () => {
  const ports: number[] = [];
  for (let port = FIRST_PORT; ports.length < HOSTS; port++) {
    if (await listen(port, []).catch(() => undefined)) ports.push(port);
  }
  for (const server of servers.splice(0)) server.close();
  for (const port of ports) await dispatcher.subscribe(`http://127.0.0.1:${port}/hook`);

  const workers = dispatcher.start();
  await dispatcher.createPatients(PATIENTS);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg.startsWith('nobody can be reached')));
  expect(workers.isOut()).toBe(true);
  const { subscriptions } = dispatcher.practice.store;
  const deliveries = dispatcher.database.collection('deliveries');
  const total = HOSTS * PATIENTS;
  // Also those that had failed before it was known why are back in the queue.
  const inState = (status: object) => () => deliveries.countDocuments({ status });
  await expect.poll(inState({ $in: ['queued', 'sending'] })).toBe(total);
  for (const { active, consecutiveFailures } of await subscriptions.list()) {
    expect({ active, consecutiveFailures }).toEqual({ active: true, consecutiveFailures: 0 });
  }

  const received: string[] = [];
  for (const port of ports) await listen(port, received);
  await dispatcher.untilLogged((logs) => logs.some(({ msg }) => msg === 'the outage is over'));
  await expect.poll(inState({ $eq: 'succeeded' }), { timeout: 30_000 }).toBe(total);
  expect(workers.isOut()).toBe(false);
  expect(new Set(received).size).toBe(total);
  expect(received).toHaveLength(total);
});
