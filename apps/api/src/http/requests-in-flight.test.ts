import { setImmediate } from 'node:timers/promises';
import type { Principal, Refusal } from '@chairside/domain';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requestTurns } from './requests-in-flight.ts';

let app: FastifyInstance;
let arrived: number;
/** The organizations of the requests that have had their turn, and what ends these requests. */
let handled: { organization: string; end: () => void }[];
/** The limits that refused requests. */
let refusals: (string | undefined)[];
beforeEach(() => {
  [arrived, handled, refusals] = [0, [], []];
  app = Fastify();
  app.setErrorHandler<Refusal>(({ limit }, _request, reply) => {
    refusals.push(limit);
    return reply.status(503).send();
  });
  app.decorateRequest('authorizeAgain', async () => {});
  app.addHook('onRequest', async (request) => {
    arrived++;
    request.principal = { organizationId: request.headers.organization } as Principal;
  });
  requestTurns(app, { requestsWaiting: () => {} });
  app.get('/', async ({ principal: { organizationId: organization } }) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    handled.push({ organization, end });
    await promise;
    return '';
  });
});
afterEach(() => app.close());

/** Sends requests, and resolves when they have had their turn, wait for it, or are refused. */
const send = async (organization: string, count: number): Promise<void> => {
  const before = arrived;
  for (let index = 0; index < count; index++) void app.inject({ url: '/', headers: { organization } }).then();
  await expect.poll(() => arrived).toBe(before + count);
  // The hooks wait for no I/O, so one turn of the event loop is enough.
  await setImmediate();
};
const endAll = async (): Promise<void> => {
  while (handled.length > 0) {
    for (const { end } of handled.splice(0)) end();
    await setImmediate();
  }
};
const handledOf = (name: string): number =>
  handled.filter(({ organization }) => organization === name).length;

test('one organization has at most half of the turns, and organizations take turns', async () => {
  await send('greedy', 130);
  expect(handledOf('greedy')).toBe(128);
  await send('other', 100);
  await send('third', 40);
  expect([handledOf('other'), handledOf('third')]).toEqual([100, 28]);
  await send('third', 20);
  await send('neighbour', 1);
  expect(handled).toHaveLength(256);
  // One turn each for the greedy organization, the third one and the neighbour.
  for (const { end } of handled.splice(0, 3)) end();
  await expect.poll(() => handledOf('neighbour')).toBe(1);
  await endAll();
});

test('refuses a request of the organization with the most waiting when 2,000 wait', async () => {
  await send('greedy', 128 + 2000);
  expect(refusals).toEqual([]);
  await send('greedy', 1);
  expect(refusals).toEqual(['requests_waiting']);
  await send('neighbour', 1);
  expect([handledOf('neighbour'), refusals.length]).toEqual([1, 1]);
  await endAll();
});
