import { Script } from 'node:vm';
import { eventNames } from '@chairside/domain';
import { basic, createKey } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';
import { createContract, NO_OPERATIONS } from './document.ts';

let api: TestApi;
let document: any;
let operations: { method: string; path: string; operation: any }[];
beforeAll(async () => {
  api = await openTestApi();
  document = (await api.call('GET', '/openapi.json', { as: '' })).json;
  operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});
afterAll(() => api.close());

const filled = (path: string) => path.replace(/\{\w+\}/g, 'x');
const withStatus = (status: number) => operations.filter(({ operation }) => status in operation.responses);

test('docs/openapi.json is up to date; update it with: npm test -- apps/api/test/openapi.service.test.ts -u', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../../docs/openapi.json');
});

test('the document contains exactly the routes of the api', () => {
  const routes = api.app.routeList
    .filter(({ method, url }) => method !== 'HEAD' && !NO_OPERATIONS.includes(url))
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
});

test('every integer has a format that its bounds fit into, because generators take it for one of 32 bits', () => {
  const wrong: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, format, minimum, maximum } = value as Record<string, unknown>;
    if ([type].flat().includes('integer')) {
      const isBounded = typeof minimum === 'number' && typeof maximum === 'number' && minimum < maximum;
      const isSmall = isBounded && minimum >= -(2 ** 31) && maximum < 2 ** 31;
      if (!isBounded || format !== (isSmall ? 'int32' : 'int64')) wrong.push(path);
    }
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`);
  };
  visit(document, '');
  expect(wrong).toEqual([]);
  const { properties } = document.components.schemas.PatientEvent;
  expect(properties.timestamp.format).toBe('int64');
});

test('no schema is called new, because generators call the constructor of a schema so', () => {
  const names = Object.keys(document.components.schemas);
  expect(names.filter((name) => names.includes(`New${name}`))).toEqual([]);
});

test('the document states the access of each route', () => {
  for (const { method, path, operation } of operations) {
    const url = path.replace(/\{(\w+)\}/g, ':$1');
    const access = api.app.routeList.find((route) => route.url === url && route.method === method)?.access;
    if (access === 'public') expect(operation.security).toEqual([]);
    else if (access && 'role' in access) expect(operation['x-required-role']).toBe(access.role);
    else if (access && 'scope' in access) expect(operation['x-required-scope']).toBe(access.scope);
    else if (access?.anyScope.length === 0) expect(operation).not.toHaveProperty('x-required-scope');
    else expect(operation['x-required-scope']).toEqual(access?.anyScope);
  }
});

describe('documented responses', () => {
  test('returns 415 to a body of another type', async () => {
    const as = token(api.practice.administrator.token);
    for (const { method, path } of withStatus(415)) {
      const options = { as, body: 'text', headers: { 'content-type': 'text/plain' } };
      const { status } = await api.call(method, filled(path), options);
      expect({ method, path, status }).toEqual({ method, path, status: 415 });
      if (path.endsWith('/current')) expect((await api.call('GET', path, { as })).status).toBe(200);
    }
  });

  test('returns 413 to a body that is too large', async () => {
    const as = token(api.practice.administrator.token);
    for (const { method, path } of withStatus(413)) {
      const { status } = await api.call(method, filled(path), { as, body: { name: 'x'.repeat(1_100_000) } });
      expect({ method, path, status }).toEqual({ method, path, status: 413 });
    }
  });

  test('returns 429 to a key beyond its rate limit', async () => {
    const { secret } = await createKey(
      api.practice.store,
      { name: 'slow', scopes: [], rateLimit: 1 },
      new Date(),
    );
    const guarded = withStatus(429).filter(({ operation }) => operation.security.length > 0);
    for (const { method, path } of guarded) {
      // Begins a window if that of an earlier call has ended.
      await api.call('GET', '/api/clinics', { as: basic(secret) });
      const { status } = await api.call(method, filled(path), { as: basic(secret) });
      expect({ method, path, status }).toEqual({ method, path, status: 429 });
    }
  });

  test('returns the version as ETag, 304 for the same version, and 412 for another', async () => {
    const body = { clinicId: api.practice.clinicIds[0] };
    for (const path of ['/api/patients', '/api/appointments']) {
      const created = await api.call('POST', path, { body: { ...body, externalId: 'pms:1' } });
      const tag = created.headers.get('etag') ?? '';
      const one = `${path}/${created.json._id}`;
      const byExternalId = `${path}/external/pms:1`;
      for (const each of [one, byExternalId])
        expect((await api.call('GET', each, { headers: { 'if-none-match': tag } })).status).toBe(304);
      for (const [method, each, sent] of [
        ['PUT', one, { body: {} }],
        ['PUT', byExternalId, { body: {} }],
        ['DELETE', one, {}],
      ] as const) {
        const options = { headers: { 'if-match': '"999"' }, ...sent };
        expect((await api.call(method, each, options)).status).toBe(412);
      }
    }
    // The others have tests of their own (setting-writes.service.test.ts, if-match.service.test.ts).
    const isTested = (path: string) =>
      /providers|procedures|calendarblocks|openinghours|webhooksubscriptions|apikeys|operators/.test(path);
    const paths = withStatus(412).flatMap(({ path }) => (isTested(path) ? [] : [path]));
    expect([...new Set(paths)].sort()).toEqual([
      '/api/appointments/external/{externalId}',
      '/api/appointments/{appointmentId}',
      '/api/patients/external/{externalId}',
      '/api/patients/{patientId}',
    ]);
  });

  test('returns the first result for a repeated Idempotency-Key, or 409 with another body', async () => {
    const idempotent = operations.filter(({ operation }) =>
      operation.parameters?.some(({ $ref }: { $ref?: string }) => $ref?.endsWith('Idempotency-Key')),
    );
    // Only creations of records are tested here. Batches, redeliveries and settings have their own tests.
    const creations = idempotent
      .map(({ path }) => path)
      .filter((path) => !/\{|batch|providers|procedures|calendarblocks/.test(path));
    expect(creations.sort()).toEqual(['/api/appointments', '/api/patients']);
    for (const path of creations) {
      const headers = { 'idempotency-key': `of ${path}` };
      const body = { clinicId: api.practice.clinicIds[0] };
      await api.call('POST', path, { body, headers });
      const replayed = await api.call('POST', path, { body, headers });
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      const other = await api.call('POST', path, { body: { clinicId: api.practice.clinicIds[1] }, headers });
      expect(other.status).toBe(409);
    }
  });

  test('returns only the selected fields of a list', async () => {
    const { json } = await api.call('GET', '/api/clinics?fields=name');
    expect(Object.keys(json[0])).toEqual(['_id', 'name']);
  });
});

describe('the examples of an operation are consistent', () => {
  const jsonOf = (part: { content?: Record<string, { example?: unknown }> } | undefined): unknown =>
    part?.content?.['application/json']?.example;
  const examples = () =>
    operations.map(({ operation }) => ({
      id: operation.operationId as string,
      sent: jsonOf(operation.requestBody) as Record<string, unknown> | undefined,
      responded: [jsonOf(operation.responses[200])].flat() as (Record<string, unknown> | undefined)[],
    }));

  test('a field of the request example has the same value in the response example', () => {
    const compared: string[] = [];
    for (const { id, sent = {}, responded } of examples()) {
      for (const [name, value] of Object.entries(sent)) {
        if (responded[0] === undefined || !(name in responded[0])) continue;
        // No response shows their values.
        if (name === 'headers') continue;
        compared.push(id);
        expect({ id, [name]: responded[0][name] }).toEqual({ id, [name]: value });
      }
    }
    expect(new Set(compared).size).toBeGreaterThan(8);
  });

  test('a new record has not been used, and an active record has not been disabled', () => {
    for (const { id, responded } of examples()) {
      for (const response of responded) {
        const fields = Object.keys(JSON.parse(JSON.stringify(response ?? {})));
        if (/^create|^testWebhook|^redeliver/.test(id)) {
          for (const later of [
            'lastUsedTime',
            'lastDeliveryTime',
            'lastStatusCode',
            'finalTime',
            'attemptTime',
          ])
            expect({ id, fields }).not.toMatchObject({ fields: expect.arrayContaining([later]) });
        }
        if (response?.active === true)
          expect({ id, fields }).toEqual({
            id,
            fields: fields.filter((name) => !name.startsWith('disabled')),
          });
      }
    }
    const [test] = examples().filter(({ id }) => id === 'testWebhookSubscription');
    expect(test?.responded).toEqual([expect.objectContaining({ kind: 'test', event: 'test.ping' })]);
  });
});

test('the name of an event determines its data, in the log and in its webhook', () => {
  const { mapping } = document.components.schemas.Event.discriminator;
  expect(Object.keys(mapping)).toEqual(eventNames);
  for (const [name, reference] of Object.entries<string>(mapping)) {
    const { properties } = document.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)];
    const record = name.charAt(0).toUpperCase() + name.slice(1, name.indexOf('.'));
    const webhook = document.webhooks[name].post.requestBody.content['application/json'].schema.properties;
    const typed = { $ref: `#/components/schemas/${record}` };
    expect({ name, logged: properties.data, sent: webhook.data }).toEqual({
      name,
      logged: typed,
      sent: typed,
    });
    expect(properties.event.enum).toContain(name);
    expect(webhook.event.const).toBe(name);
  }
});

test('no field of a request body has a default, because client generators would require the field', () => {
  const withDefault = Object.entries<{ properties?: Record<string, object> }>(document.components.schemas)
    .filter(([name]) => /Create|Update|Request/.test(name))
    .flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        'default' in schema ? [`${name}.${field}`] : [],
      ),
    );
  expect(withDefault).toEqual([]);
});

describe('the reference page', () => {
  test('loads nothing from other servers', async () => {
    const { status, headers, text } = await api.call('GET', '/docs', { as: '' });
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';.*connect-src 'self'/,
    );
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
      'data:,',
      '/docs/reference.js',
    ]);
  });

  test('has a valid script that requests no fonts, telemetry or agent', async () => {
    const { text } = await api.call('GET', '/docs/reference.js', { as: '' });
    expect(() => new Script(text)).not.toThrow();
    const last = text.slice(text.lastIndexOf('\n') + 1);
    expect(last).toMatch(/^Scalar\.createApiReference\('#app', \{"url":"\/openapi.json",/);
    expect(last).toContain('"withDefaultFonts":false,"telemetry":false,"agent":{"disabled":true}');
  });
});

describe('the comparison with the document', () => {
  const respond = (status: number, json: unknown, headers: Record<string, string> = {}) => ({
    status,
    json,
    text: JSON.stringify(json),
    headers: new Headers({ 'x-request-id': '1', 'content-type': 'application/json', ...headers }),
  });
  const clinic = { _id: 'a', lastEditTime: '2030-01-01T00:00:00.000Z' };

  test.each([
    ['an unknown status', '/api/clinics', respond(418, {})],
    ['a body with another schema', '/api/clinics', respond(200, {})],
    ['an unknown field', '/api/clinics/a', respond(200, { ...clinic, other: 1 })],
    ['a missing field', '/api/clinics/a', respond(200, { _id: 'a' })],
    ['a missing header', '/api/clinics/a', respond(200, clinic, { 'x-other': '1' })],
    [
      'an event whose data is another record',
      '/api/events/e',
      respond(200, {
        id: 'e',
        event: 'invoice.paid',
        timestamp: 1,
        clinicIds: [],
        loggedTime: clinic.lastEditTime,
        data: clinic,
      }),
    ],
    ['a failure with another body', '/api/clinics', respond(400, { error: 'bad' })],
    ['an unknown path', '/api/nothing', respond(200, {})],
  ])('detects %s', (_name, path, given) => {
    const contract = createContract(document);
    contract.check('GET', '/api/clinics/a', respond(200, clinic));
    expect(() => contract.check('GET', path, given)).toThrow('differs from the document');
  });
});

test('refuses at start a route with incomplete documentation', async () => {
  const { openApiDocument } = await import('../src/reference/document.ts');
  const route = {
    method: 'GET',
    url: '/api/new',
    handler: async () => {},
    config: { access: 'public' },
  } as const;
  expect(() => openApiDocument([route])).toThrow('GET /api/new: needs an operationId');
});
