import type { AddressInfo } from 'node:net';
import type { Principal, Refusal } from '@chairside/domain';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonBodies, MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES } from './json-bodies.ts';

let app: FastifyInstance;
let handled: number;
let respond: PromiseWithResolvers<void>;
beforeEach(async () => {
  handled = 0;
  respond = Promise.withResolvers();
  app = Fastify();
  app.setErrorHandler<Refusal>(({ limit }, _request, reply) => reply.status(400).send({ limit }));
  app.decorateRequest('takeTurn', async () => {});
  app.addHook('onRequest', async (request) => {
    const { organization } = request.headers;
    if (organization !== undefined) request.principal = { organizationId: organization } as Principal;
  });
  jsonBodies(app);
  app.post('/', async () => {
    handled++;
    await respond.promise;
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  respond.resolve();
  await app.close();
});

/** Sends a body of this size. Returns the limit that refuses it. */
const send = async (organization: string | undefined, size = MAX_BODY_BYTES): Promise<string | undefined> => {
  const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(organization !== undefined && { organization }) },
    body: JSON.stringify('x'.repeat(size - 2)),
  });
  return ((await response.json()) as { limit?: string }).limit;
};

test('bounds the bodies of one request, of one organization and of all organizations', async () => {
  expect(await send('a', MAX_BODY_BYTES + 1)).toBe('body');
  expect(await send(undefined, MAX_PUBLIC_BODY_BYTES + 1)).toBe('body_without_credentials');
  const held: Promise<string | undefined>[] = [];
  const hold = async (organization: string): Promise<void> => {
    for (let index = 0; index < 32; index++) held.push(send(organization));
    await expect.poll(() => handled).toBe(held.length);
  };
  await hold('a');
  expect(await send('a', 2)).toBe('bodies_of_organization');
  for (const organization of ['b', 'c', 'd']) await hold(organization);
  expect(await send('e', 2)).toBe('bodies');
  respond.resolve();
  expect(new Set(await Promise.all(held))).toEqual(new Set([undefined]));
  expect(await send('a')).toBeUndefined();
});
