import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { token } from './api.ts';
import { type ContractPractice, openContractPractice } from './contract-practice.ts';

/*
 * The chapter "What the service does" of the service description. Points 4 and 5 concern other programs, whose wire formats and commands the
 * description excludes. Point 3 is in apps/demo/test/contract-events.release.test.ts.
 */
let api: ContractPractice;
beforeAll(async () => {
  api = await openContractPractice();
});
afterAll(() => api.close());

const one = () => `/api/appointments/${api.appointmentId}`;

describe('What the service does', () => {
  test('Bodies are JSON.', async () => {
    for (const path of ['/api/patients', `/api/patients/${api.patientId}`, '/api/patients/none']) {
      const { headers, text } = await api.call('GET', path);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(() => JSON.parse(text)).not.toThrow();
    }
  });

  test('1. The service lets an organization’s own tooling read and change … patients, appointments', async () => {
    for (const path of ['/api/patients', '/api/appointments']) {
      const { _id } = await api.ok('POST', path, { clinicId: api.clinicId });
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        expect((await api.ok(method, `${path}/${_id}`, body))._id).toBe(_id);
      }
    }
  });

  test.each(['clinics', 'invoices', 'payments', 'treatments'])(
    '1. … clinics, and read-only invoices, payments and treatments: %s',
    async (kind) => {
      const [{ _id }] = await api.ok('GET', `/api/${kind}`);
      const as = token(api.practice.administrator.token);
      for (const [method, path] of [
        ['POST', `/api/${kind}`],
        ['PUT', `/api/${kind}/${_id}`],
        ['DELETE', `/api/${kind}/${_id}`],
      ] as const) {
        expect((await api.call(method, path, { as, body: {} })).status).toBe(405);
      }
    },
  );

  test('2. Every request acts within one organization. A key carries its organization.', async () => {
    const theirs = await api.call('GET', '/api/clinics', { as: basic(api.stranger.apiKey) });
    const ids = theirs.json.map(({ _id }: { _id: string }) => _id);
    expect(ids.sort()).toEqual([...api.stranger.clinicIds].sort());
    const ours = await api.call('GET', '/api/clinics');
    expect(ours.json.map(({ _id }: { _id: string }) => _id).sort()).toEqual(
      [...api.practice.clinicIds, api.clinicId].sort(),
    );
  });

  test('2. … so the organization is never sent in a request', async () => {
    const { organizationId } = api.practice;
    expect((await api.call('GET', `/api/patients?organizationId=${organizationId}`)).status).toBe(400);
    const body = { clinicId: api.clinicId, organizationId };
    expect((await api.call('POST', '/api/patients', { body })).status).toBe(400);
  });

  test('2. A record owned by another organization behaves as if it does not exist (404).', async () => {
    for (const path of [one(), `/api/patients/${api.patientId}`]) {
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        const as = token(api.stranger.administrator.token);
        expect((await api.call(method, path, { as, ...(body && { body }) })).status).toBe(404);
      }
      await api.ok('GET', path);
    }
  });

  test('6. Each integration should use its own key with the narrowest scopes, and delete the key when it is retired.', async () => {
    const administrator = token(api.practice.administrator.token);
    const body = { name: 'Recall', scopes: ['clinics:read'] };
    const key = await api.ok('POST', '/api/apikeys', body, administrator);
    const as = basic(key.secret);
    await api.ok('GET', '/api/clinics', undefined, as);
    expect((await api.call('GET', '/api/patients', { as })).status).toBe(403);
    await api.ok('DELETE', `/api/apikeys/${key._id}`, undefined, administrator);
    await expect.poll(async () => (await api.call('GET', '/api/clinics', { as })).status).toBe(401);
  });
});
