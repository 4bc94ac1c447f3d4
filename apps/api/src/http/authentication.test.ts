import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Principal, Refusal } from '@chairside/domain';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { authentication } from './authentication.ts';

const NO_STOPS = { read: async () => ({ organizations: new Set<string>(), hosts: new Set<string>() }) };

let app: FastifyInstance;
let arrived: number;
/** The networks whose credentials are being looked up, and what ends these lookups. */
let lookups: { network: string; end: () => void }[];
/** All credentials that were looked up. */
let lookedUp: string[];
/** The limits that refused requests. */
let refusals: (string | undefined)[];
beforeEach(() => {
  [arrived, lookups, lookedUp, refusals] = [0, [], [], []];
  app = Fastify();
  app.setErrorHandler<Refusal>(({ limit }, _request, reply) => {
    refusals.push(limit);
    return reply.status(503).send();
  });
  app.decorateRequest('callerAddress', '');
  app.decorateRequest('work', null as never);
  app.addHook('onRequest', async (request) => {
    arrived++;
    request.work = { ms: 0 };
    request.callerAddress = String(request.headers.network);
  });
  const find = async (secret: string) => {
    lookedUp.push(secret);
    const [network = ''] = secret.split(' ');
    const { promise, resolve: end } = Promise.withResolvers<void>();
    lookups.push({ network, end });
    await promise;
    return { organizationId: 'o', id: secret } as Extract<Principal, { kind: 'apiKey' }>;
  };
  authentication(
    app,
    {
      findApiKey: find,
      sessions: { findOperator: find } as never,
      programTokens: {} as never,
      stops: NO_STOPS,
    },
    { count: async () => {} },
  );
  app.get('/', { config: { access: { scope: 'clinics:read' } } }, async () => '');
});
afterEach(() => app.close());

/** Sends requests with credentials of their own, and resolves when these are looked up, wait for it, or are refused. */
const send = async (network: string, count: number): Promise<void> => {
  const before = arrived;
  for (let index = 0; index < count; index++) {
    const authorization = `Basic ${Buffer.from(`${network} ${arrived} ${index}`).toString('base64')}`;
    void app.inject({ url: '/', headers: { authorization, network } }).then();
  }
  await expect.poll(() => arrived).toBe(before + count);
  // The hooks before the lookup wait for no I/O, so one turn of the event loop is enough.
  await setImmediate();
};
const endAll = async (): Promise<void> => {
  while (lookups.length > 0) {
    for (const { end } of lookups.splice(0)) end();
    await setImmediate();
  }
};
const lookupsOf = (name: string): number => lookups.filter(({ network }) => network === name).length;

test('looks up five credentials of a network and ten in all at once, and networks take turns', async () => {
  await send('192.0.2.1', 20);
  expect(lookupsOf('192.0.2.1')).toBe(5);
  await send('192.0.2.2', 5);
  await send('192.0.2.3', 1);
  expect([lookupsOf('192.0.2.2'), lookups.length]).toEqual([5, 10]);
  // One turn each for the first network and the third.
  for (const { end } of lookups.splice(0, 2)) end();
  await expect.poll(() => lookupsOf('192.0.2.3')).toBe(1);
  await endAll();
});

test('a token that was valid waits for its organization, whatever networks it comes from', async () => {
  const call = async (network: string): Promise<void> => {
    const before = arrived;
    void app.inject({ url: '/', headers: { authorization: 'Token known', network } }).then();
    await expect.poll(() => arrived).toBe(before + 1);
    await setImmediate();
  };
  await call('192.0.2.1');
  lookups.splice(0)[0]?.end();
  await setImmediate();
  for (let index = 0; index < 10; index++) await call(`198.51.100.${index}`);
  expect(lookups).toHaveLength(5);
  await send('192.0.2.2', 1);
  expect(lookupsOf('192.0.2.2')).toBe(1);
  await endAll();
});

test('refuses a request of the network with the most waiting when 4,000 wait', async () => {
  await send('192.0.2.1', 5 + 4000);
  expect(refusals).toEqual([]);
  await send('192.0.2.1', 1);
  expect(refusals).toEqual(['lookups_waiting']);
  await send('192.0.2.2', 1);
  expect([lookupsOf('192.0.2.2'), refusals.length]).toEqual([1, 1]);
  await endAll();
});

test('a caller that has disconnected is not looked up', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  await send('192.0.2.1', 5);
  const closed = Promise.withResolvers<void>();
  app.server.once('connection', (socket) => socket.once('close', closed.resolve));
  const gone = connect(port, '127.0.0.1');
  gone.write(
    `GET / HTTP/1.1\r\nHost: x\r\nNetwork: 192.0.2.1\r\nAuthorization: Basic ${btoa('192.0.2.1 gone')}\r\n\r\n`,
  );
  await expect.poll(() => arrived).toBe(6);
  gone.destroy();
  await Promise.all([once(gone, 'close'), closed.promise]);
  await send('192.0.2.1', 1);
  await endAll();
  expect(lookedUp).not.toContain('192.0.2.1 gone');
  expect(lookedUp).toHaveLength(6);
});
