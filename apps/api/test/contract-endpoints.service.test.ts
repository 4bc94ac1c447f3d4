import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { token } from './api.ts';
import {
  type ContractPractice,
  endpoints,
  identifier,
  openContractPractice,
  operatorEndpoints,
} from './contract-practice.ts';

/*
 * The chapters "States and transitions", "Endpoints" and "Versioning" of the service description. The statements about the records themselves
 * are in contract-records.service.test.ts.
 */
let api: ContractPractice;
let clinicId: string;
beforeAll(async () => {
  api = await openContractPractice();
  ({ clinicId } = api);
});
afterAll(() => api.close());

const administrator = () => token(api.practice.administrator.token);
const idsOf = (rows: { _id: string }[]) => rows.map(({ _id }) => _id);
/** Creates a subscription. @returns its path */
const subscribed = async (): Promise<string> => {
  const body = { clinicId, url: 'https://example.com/hook' };
  const { _id } = await api.ok('POST', '/api/webhooksubscriptions', body, administrator());
  return `/api/webhooksubscriptions/${_id}`;
};

/** A path of the description with the id of a new record or subscription, and a body that the route accepts. */
const request = async (method: string, path: string): Promise<[path: string, body: object | undefined]> => {
  const body = method === 'POST' ? { clinicId, url: 'https://example.com' } : {};
  if (path.includes('ubscription')) {
    const filled = path.includes('{') ? await subscribed() : path;
    return [filled, method === 'GET' || method === 'DELETE' ? undefined : body];
  }
  const list = path.replace(/\/\{.*/, '');
  const filled = list === path ? path : `${list}/${(await api.ok('POST', list, { clinicId }))._id}`;
  if (method === 'POST') return [filled, { clinicId }];
  return [filled, method === 'PUT' ? {} : undefined];
};

describe('States and transitions', () => {
  test.each(['REQUESTED', 'SCHEDULED', 'PATIENT_ARRIVED', 'NO_SHOW', 'CANCELED'])(
    'The status is settable through the update operation (PUT): %s',
    async (status) => {
      const { _id } = await api.ok('POST', '/api/appointments', { clinicId });
      expect((await api.ok('PUT', `/api/appointments/${_id}`, { status })).status).toBe(status);
      expect((await api.ok('GET', `/api/appointments/${_id}`)).status).toBe(status);
    },
  );

  test('| disabled | PUT subscription with active = true | operator access token | enabled |', async () => {
    const path = await subscribed();
    await api.ok('PUT', path, { active: false }, administrator());
    expect((await api.call('PUT', path, { body: { active: true } })).status).toBe(403);
    expect((await api.ok('PUT', path, { active: true }, administrator())).active).toBe(true);
  });
});

describe('Endpoints', () => {
  test.each([...endpoints.map(([method, path]) => [method, path] as const), ...operatorEndpoints])(
    'All successful operations answer 200 with a JSON body: %s %s',
    async (method, path) => {
      const [filled, body] = await request(method, path);
      const json = await api.ok(method, filled, body, administrator());
      expect(Array.isArray(json)).toBe(method === 'GET' && !path.includes('{'));
    },
  );

  test.each(
    [...endpoints.map(([method, path]) => [method, path] as const), ...operatorEndpoints].filter(
      ([method]) => method === 'POST' || method === 'PUT',
    ),
  )('Request bodies are application/json: %s %s', async (method, path) => {
    const [filled, body] = await request(method, path);
    for (const type of ['application/json', 'application/json; charset=utf-8']) {
      const headers = { 'content-type': type };
      expect((await api.call(method, filled, { as: administrator(), body, headers })).status).toBe(200);
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const refused = await api.call(method, filled, { as: administrator(), body: 'clinicId=1', headers });
    expect(refused.status).toBe(415);
  });

  test.each(endpoints)('authentication is either scheme: %s %s', async (method, path) => {
    for (const as of [basic(api.practice.apiKey), token(api.practice.staff.token)]) {
      const [filled, body] = await request(method, path);
      await api.ok(method, filled, body, as);
    }
  });

  test.each(endpoints)('%s %s: the scope is %s', async (method, path, scope) => {
    const [filled, body] = await request(method, path);
    const others = [...new Set(endpoints.map(([, , each]) => each))].filter((each) => each !== scope);
    const refused = await api.call(method, filled, { as: await api.keyWith(others), ...(body && { body }) });
    expect(refused.status).toBe(403);
    await api.ok(method, filled, body, await api.keyWith([scope]));
  });
});

describe('Webhook subscriptions', () => {
  const path = '/api/webhooksubscriptions';

  test.each(operatorEndpoints)(
    '(operator access token only; API keys are not accepted): %s %s',
    async (method, template) => {
      const [filled, body] = await request(method, template);
      const refused = await api.call(method, filled, body && { body });
      expect(refused.status).toBe(403);
      await api.ok(method, filled, body, administrator());
    },
  );

  test('GET | none | 200 array of subscriptions, without secrets', async () => {
    const one = await subscribed();
    const list = await api.ok('GET', path, undefined, administrator());
    expect(idsOf(list)).toContain(one.split('/').at(-1));
    for (const each of list) expect(each).not.toHaveProperty('secret');
  });

  test('POST | clinicId (string, required), url (string, required), events (array; empty means all events) | 200 the created subscription including its secret, returned this once and never retrievable again', async () => {
    const body = { clinicId, url: 'https://example.com/hook', events: [] };
    const created = await api.ok('POST', path, body, administrator());
    expect(created).toMatchObject({ ...body, active: true, secret: identifier });
    for (const get of [path, `${path}/${created._id}`]) {
      expect(JSON.stringify(await api.ok('GET', get, undefined, administrator()))).not.toContain(
        created.secret,
      );
    }
    for (const required of ['clinicId', 'url'] as const) {
      const { [required]: _left, ...rest } = body;
      expect((await api.call('POST', path, { body: rest, as: administrator() })).status).toBe(400);
    }
  });

  test('PUT | editable fields url, events, active; secret and clinic cannot change | 200 the updated subscription, without secret', async () => {
    const one = await subscribed();
    const changes = { url: 'https://example.org/', events: ['patient.created'], active: false };
    let expected = {};
    for (const [field, value] of Object.entries(changes)) {
      expected = { ...expected, [field]: value };
      const updated = await api.ok('PUT', one, { [field]: value }, administrator());
      expect(updated).toMatchObject(expected);
      expect(updated).not.toHaveProperty('secret');
    }
    for (const body of [{ secret: 'x' }, { clinicId: api.practice.clinicIds[1] }]) {
      expect((await api.call('PUT', one, { body, as: administrator() })).status).toBe(400);
    }
  });

  test('DELETE | 200 deleted', async () => {
    const one = await subscribed();
    await api.ok('DELETE', one, undefined, administrator());
    expect(idsOf(await api.ok('GET', path, undefined, administrator()))).not.toContain(one.split('/').at(-1));
  });
});

describe('Versioning', () => {
  test('The API description carries version 1.0.0.', async () => {
    expect((await api.ok('GET', '/openapi.json')).info.version).toBe('1.0.0');
  });

  test('All paths sit under /api with no version segment.', async () => {
    const { paths } = await api.ok('GET', '/openapi.json');
    for (const [method, path] of [...endpoints, ...operatorEndpoints]) {
      expect(Object.keys(paths[path])).toContain(method.toLowerCase());
    }
    const records = Object.keys(paths).filter((path) => path.startsWith('/api'));
    expect(records.filter((path) => /\/v?\d/.test(path))).toEqual([]);
  });
});
