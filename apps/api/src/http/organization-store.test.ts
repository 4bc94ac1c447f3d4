import type { Principal } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { organizationStore } from './organization-store.ts';

const app = Fastify();
afterEach(() => app.close());

test('returns the store of the current principal, and fails on a route without a principal', async () => {
  // A stand-in for the store of an organization. The tested code only passes it on.
  organizationStore(app, { organization: (id) => ({ id }) as unknown as OrganizationStore });
  app.decorateRequest('principal');
  const of = (organizationId: string) => ({ organizationId }) as Principal;
  app.get('/private', { config: { access: { role: 'staff' } } }, (request) => {
    request.principal = of('first');
    const first = request.store;
    request.principal = of('second');
    return [first, request.store];
  });
  app.get('/public', { config: { access: 'public' } }, (request) => request.store);

  expect((await app.inject('/private')).json()).toEqual([{ id: 'first' }, { id: 'second' }]);
  const failed = await app.inject('/public');
  expect(failed.statusCode).toBe(500);
  expect(failed.json().message).toBe(
    "GET /public used request.store without a principal. Set an access other than 'public'.",
  );
});
