import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openingHoursSchema } from '@chairside/domain';
import { type Engine, startRedis } from '@chairside/local-services';
import {
  basic,
  canaryFinder,
  type Ended,
  environmentOf,
  type Folder,
  metricsUrl,
  openedDocuments,
  openFolder,
  plantConnection,
  type ServiceProcess,
  startCli,
  startWholeService,
  type WholeService,
} from '@chairside/test-support';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  appointment,
  CANARY,
  KINDS,
  linesOf,
  patient,
  SEALED_CANARY,
  SETTINGS,
  settingLinesOf,
} from './canary-records.ts';
import { type Operation, operationsOf } from './described-operations.ts';

/*
 * Records with a canary in every field of free text go through every operation of the OpenAPI document (a test of the
 * api proves that it contains every route), through every command of chairside-admin that handles patients, and to a
 * receiver that quotes them. The canary must not occur in a log line, a metric, the body or a header of an error, or a
 * command to Redis.
 */

type Call = { path: string; as?: string; body?: unknown; headers?: Record<string, string> };
type ApiResponse = { status: number; text: string; json: any };

let redis: Engine;
let service: WholeService;
let folder: Folder;
let monitor: Redis;
/** Every command that was sent to Redis, with its arguments. */
const sentToRedis: string[] = [];
/** Headers and bodies of the api's error responses. */
const errors: string[] = [];
/** The output of the commands, without the records that they export. */
const said: string[] = [];
/** Operations that were called, with the status of each response. */
const called = new Set<string>();
/** An id of each kind, by the name of its path parameter. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
  const client = new Redis(redis.url);
  monitor = await client.monitor();
  // `monitor` has a connection of its own.
  client.disconnect();
  monitor.on('monitor', (_time: string, command: string[]) => sentToRedis.push(command.join(' ')));
  service = await startWholeService(redis.url);
  folder = await openFolder();
});
afterAll(async () => {
  monitor.disconnect();
  await folder.close();
  await service.close();
  await redis.stop();
});

const administrator = () => `Token ${service.practice.administrator.token}`;

const send = async (
  method: string,
  { path, as = administrator(), body, headers = {} }: Call,
): Promise<ApiResponse> => {
  const response = await fetch(service.address + path, {
    method,
    headers: {
      ...(as !== '' && { authorization: as }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status >= 400) errors.push(`${method} ${JSON.stringify([...response.headers])} ${text}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, json: isJson && text !== '' ? JSON.parse(text) : undefined };
};

const operations = async (): Promise<Operation[]> =>
  operationsOf((await send('GET', { path: '/openapi.json', as: '' })).json);

const call = async (
  { method, template }: Pick<Operation, 'method' | 'template'>,
  options: Omit<Call, 'path'> & { path?: string } = {},
) => {
  const path = options.path ?? template.replace(/\{(\w+)\}/g, (_all, name) => ids[name] ?? `no ${name}`);
  const response = await send(method, { ...options, path });
  called.add(`${method} ${template} ${response.status}`);
  return response;
};

const isFinal = { finalTime: { $exists: true } };
/** Resolves when no event is unpublished and every delivery is final. */
const untilSent = async () => {
  const { database } = service;
  const left = async () => {
    const collections = ['patients', 'appointments', 'invoices', 'payments'];
    const waiting = collections.map((name) =>
      database.collection(name).countDocuments({ outboxAt: { $exists: true } }),
    );
    const unpublished = (await Promise.all(waiting)).reduce((sum, count) => sum + count, 0);
    // Afterwards, because an event leaves its record when its deliveries exist.
    const open = await database.collection('deliveries').countDocuments({ finalTime: { $exists: false } });
    return unpublished + open;
  };
  await expect.poll(left).toBe(0);
};

/**
 * Runs a command of chairside-admin, and adds its output to `said`. With `isData`, stdout contains records and is left
 * out.
 */
const command = async (args: string[], { isData = false, json = false } = {}): Promise<Ended> => {
  const given = [...args, '--organization', service.practice.organizationId, ...(json ? ['--json'] : [])];
  const ended = await startCli(environmentOf(service), given).ended;
  said.push(ended.stderr, isData ? '' : ended.stdout);
  return ended;
};
const importLines = async (kind: string, lines: readonly (object | string)[]): Promise<Ended> => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const file = await folder.write(`${kind}-${said.length}.ndjson`, `${text.join('\n')}\n`);
  return command(['import', kind, file, '--events', 'changes']);
};

const canaryPath = (template: string): string => template.replace(/\{\w+\}/g, CANARY);

/** Bodies with a canary as the value of each of these fields, as the whole body, and in text that is not JSON. */
const canaryBodies = (properties: readonly string[]): unknown[] => {
  if (properties.length === 0) return [];
  const values = [CANARY, `${CANARY}@example.com`, [CANARY], { [CANARY]: CANARY }];
  const objects = values.map((value) => Object.fromEntries(properties.map((name) => [name, value])));
  return [CANARY, [CANARY], `{"${CANARY}`, ...objects];
};

/**
 * Calls an operation several times, always with a canary in the path, and in turn with another canary in the body, in a
 * header or in the query.
 */
const refuse = async (operation: Operation, as: string): Promise<void> => {
  const { method, template, parameters, properties } = operation;
  const path = canaryPath(template);
  const hasBody = method !== 'GET' && method !== 'DELETE';
  for (const body of [undefined, ...(hasBody ? canaryBodies(properties) : [])])
    await call(operation, { path, as, body });
  for (const header of ['idempotency-key', 'if-match', 'if-none-match'])
    await call(operation, { path, as, headers: { [header]: CANARY } });
  for (const name of parameters) {
    const queries = [`${name}=${CANARY}`, `limit=1&${name}=${CANARY}`, `${name}=${CANARY}&${name}=2`];
    for (const query of queries) await call(operation, { path: `${path}?${query}`, as });
  }
};

/** One delivery has what its receiver has returned. A list of deliveries does not. */
const checkResponsesOf = ({ method, template }: Operation, text: string): void => {
  if (method !== 'GET') return;
  if (/webhookdeliveries\/./.test(template)) expect(text).toContain(CANARY);
  else if (/(\/|webhook)deliveries$/.test(template)) expect(text).not.toContain(CANARY);
};

/** The operation that takes nothing, and responds to everybody. */
const REFUSES_NOBODY = ['GET /api/passwordresets'];

/**
 * These operations need an app for codes or a passkey, and take and return nothing of a patient. The tests of
 * apps/api/src/own-factors call them.
 */
const ABOUT_FACTORS = /^\/api\/sessions\/(challenge|passkey|current\/factors)|\/factors$/;

describe('a canary in every field goes', () => {
  test('through an import, its refused lines, and errors of the database', async () => {
    const lines = linesOf(service.practice.clinicIds[0]);
    // The receiver fails and quotes the request.
    service.receiver.respond = ({ raw }, response) =>
      void response.writeHead(500, `${CANARY} reason`).end(raw);
    for (const kind of KINDS) {
      expect((await importLines(kind, [lines[kind]])).code).toBe(0);
      const wrong = {
        ...lines[kind],
        externalId: `${CANARY}-x`,
        clinicId: CANARY,
        patientId: CANARY,
        [CANARY]: 1,
      };
      const typed = Object.fromEntries(Object.keys(lines[kind]).map((field) => [field, [CANARY]]));
      expect((await importLines(kind, [wrong, typed, `{"${CANARY}": ${CANARY}`, CANARY])).code).toBe(1);
    }
    for (const [kind, line] of Object.entries(settingLinesOf(service.practice.clinicIds[0])))
      expect((await importLines(kind, [line])).code).toBe(0);
    const treatments = service.database.collection('treatments');
    const taken = { unique: true, partialFilterExpression: { name: `${CANARY} treatment` } };
    const index = await treatments.createIndex({ name: 1 }, taken);
    const same = { ...lines.treatment, externalId: `${CANARY}-6` };
    expect((await importLines('treatment', [same])).code).toBe(1);
    await treatments.dropIndex(index);
    await untilSent();
    const events = service.receiver.posts.map(({ json }) => json.event).sort();
    expect(events).toEqual(['appointment.created', 'invoice.created', 'patient.created', 'payment.created']);
    for (const { raw } of service.receiver.posts) expect(String(raw)).toContain(CANARY);
  });

  test('through every operation that succeeds', async () => {
    const all = (await operations()).filter(({ template }) => !ABOUT_FACTORS.test(template));
    const { practice, receiver, database } = service;
    const [clinicId] = practice.clinicIds;
    ids.externalId = `${CANARY}:${SEALED_CANARY}`;
    ids.webhookSubscriptionId = service.subscription._id;
    ids.webhookDeliveryId = String(
      (await database.collection('deliveries').findOne({ ...isFinal, event: 'patient.created' }))?._id,
    );
    for (const kind of ['clinic', ...KINDS]) {
      ids[`${kind}Id`] = String((await database.collection(`${kind}s`).findOne())?._id);
    }
    for (const [kind, collection] of Object.entries(SETTINGS)) {
      const name = kind.replace('-block', 'Block');
      ids[`${name}Id`] = String((await database.collection(collection).findOne())?._id);
    }
    await practice.store.openingHours.set(
      String(ids.clinicId),
      openingHoursSchema.parse({ weekdays: { monday: [{ opens: '08:00', closes: '16:00' }] } }),
    );
    ids.eventId = String(
      (await database.collection('events').findOne({ insertedAt: { $exists: true } }))?._id,
    );
    ids.connectionId = await plantConnection(database, {
      organizationId: practice.organizationId,
      operatorId: practice.administrator._id,
    });
    const { email, password } = practice.staff;
    const session = (await send('POST', { path: '/api/sessions', as: '', body: { email, password } })).json
      .token;
    const own = { as: `Token ${session}` };
    const operator = { email: 'another@example.com', password: 'a long enough password', role: 'staff' };
    const inviteOne = async (email: string) => {
      const made = await practice.store.operators.invite(
        { email, role: 'staff', name: CANARY },
        false,
        new Date(),
      );
      if (typeof made === 'string') throw new Error(made);
      return made;
    };
    // The service sends mails from now on.
    const { lanes, operatorLinks } = service.store.everyOrganization;
    await lanes.lease('mail', 'worker', 3_600_000);
    const secretOfReset = async (): Promise<string> => {
      const forgetful = {
        email: 'forgetful@example.com',
        password: operator.password,
        role: 'staff' as const,
      };
      const made = await practice.store.operators.create(forgetful, new Date());
      if (typeof made === 'string') throw new Error(made);
      await operatorLinks.requestReset(made.email, new Date());
      const mails = database.collection<{ _id: string; sealed?: unknown }>('mails');
      const found = await mails.findOne({ operatorId: made._id });
      const cipher = await service.store.ciphers.of(practice.organizationId);
      const place = { collection: 'mails', _id: found?._id ?? '', field: 'sealed' };
      return JSON.parse(cipher.open(found?.sealed, place)).link.secret;
    };
    const { operator: waiting } = await inviteOne('waiting@example.com');
    const invitedOne = await inviteOne('invited@example.com');
    const options: Record<string, Partial<Call>> = {
      'POST /api/sessions': {
        as: '',
        body: { email: practice.administrator.email, password: practice.administrator.password },
      },
      'GET /api/availability': {
        path: `/api/availability?${new URLSearchParams({ clinicId: ids.clinicId ?? '', from: '2031-01-06', to: '2031-01-07', durationMinutes: '30' })}`,
      },
      'GET /api/sessions/current': own,
      'DELETE /api/sessions/current': own,
      'POST /api/sessions/current/confirm': { body: { password: practice.administrator.password } },
      'POST /api/sessions/current/tokens': { body: { name: CANARY, access: 'webhooks' } },
      'PUT /api/sessions/current/notices': { body: { appConnected: true } },
      'PUT /api/organization': { body: { requiredFactors: 'off' } },
      'PUT /api/sessions/current/password': {
        ...own,
        body: { password, newPassword: `${password} and more` },
      },
      'POST /api/operators': { body: operator },
      'POST /api/operators/{operatorId}/invitation': { path: `/api/operators/${waiting._id}/invitation` },
      'POST /api/invitations/complete': {
        as: '',
        body: { secret: invitedOne.secret, password: operator.password },
      },
      'POST /api/passwordresets': { as: '', body: { email: operator.email } },
      'POST /api/passwordresets/complete': {
        as: '',
        body: { secret: await secretOfReset(), password: operator.password },
      },
      'PUT /api/operators/{operatorId}': { body: { active: false } },
      'POST /api/apikeys': { body: { name: 'another' } },
      'PUT /api/apikeys/{apiKeyId}': { body: { name: 'renamed' } },
      'GET /api/apikeys/current': { as: basic(practice.apiKey) },
      'POST /api/apikeys/{apiKeyId}/rotate': { body: { overlapHours: 1 } },
      'POST /api/apikeys/{apiKeyId}/reveal': { body: { password: practice.administrator.password } },
      'POST /api/providers': { body: { name: `${CANARY} provider`, clinicIds: [clinicId] } },
      'POST /api/procedures': { body: { name: `${CANARY} procedure`, durationMinutes: 30 } },
      'POST /api/calendarblocks': {
        body: {
          clinicId,
          startTime: '2026-12-24T00:00:00Z',
          endTime: '2026-12-25T00:00:00Z',
          kind: 'CLOSED',
        },
      },
      'PUT /api/providers/{providerId}': { body: { name: `${CANARY} renamed` } },
      'PUT /api/procedures/{procedureId}': { body: { name: `${CANARY} renamed` } },
      'PUT /api/calendarblocks/{calendarBlockId}': { body: { kind: 'OTHER' } },
      'PUT /api/clinics/{clinicId}/openinghours': { body: { weekdays: {} } },
      'POST /api/clinics/{clinicId}/openinghours/preview': {
        body: { from: '2031-01-06', to: '2031-01-07', durationMinutes: 30, hours: { weekdays: {} } },
      },
      'POST /api/patients': { body: { clinicId, ...patient }, headers: { 'idempotency-key': CANARY } },
      'POST /api/patients/search': { body: { name: patient.name, email: patient.email } },
      'PUT /api/patients/{patientId}': { body: { ...patient, name: `${CANARY} again` } },
      'PUT /api/patients/external/{externalId}': { body: { ...patient, clinicId } },
      'PUT /api/appointments/external/{externalId}': { body: { ...appointment, clinicId } },
      'POST /api/batch': {
        body: {
          writes: [
            { method: 'upsert', kind: 'patient', externalId: `${CANARY}-1`, body: { ...patient, clinicId } },
            { method: 'create', kind: 'appointment', body: { clinicId, ...appointment } },
          ],
        },
      },
      'POST /api/appointments': { body: { clinicId, patientId: ids.patientId, ...appointment } },
      'PUT /api/appointments/{appointmentId}': { body: { ...appointment, status: 'NO_SHOW' } },
      'POST /api/webhooksubscriptions': { body: { clinicId, url: receiver.url } },
      'PUT /api/webhooksubscriptions/{webhookSubscriptionId}': { body: { active: true } },
      'POST /api/webhooksubscriptions/{webhookSubscriptionId}/redeliver': {
        body: { since: '2030-01-01T00:00:00Z' },
      },
    };
    const rank = ({ method, template }: Operation) =>
      ['POST', 'PUT', 'GET', 'DELETE'].indexOf(method) +
      (template === '/api/sessions/current' ? 10 : 0) -
      // The sessions of an operator end before the operator is deleted.
      (template === '/api/operators/{operatorId}/sessions' ? 0.5 : 0);
    for (const operation of all.toSorted((a, b) => rank(a) - rank(b))) {
      const { method, template } = operation;
      const response = await call(operation, options[`${method} ${template}`]);
      expect({ method, template, status: response.status }).toEqual({ method, template, status: 200 });
      checkResponsesOf(operation, response.text);
      if (method !== 'POST') continue;
      // The following operations use the ids of the created records.
      const below = all.find((each) =>
        each.template.startsWith(`${template.replace(/deliver$/, 'deliveries')}/{`),
      );
      const name = /\{(\w+)\}$/.exec(below?.template ?? '')?.[1];
      if (name !== undefined && name !== 'webhookSubscriptionId') ids[name] = response.json._id;
    }
    expect(
      all.map(({ method, template }) => `${method} ${template} 200`).filter((each) => !called.has(each)),
    ).toEqual([]);
    await untilSent();
  });

  test('back to authorized callers: in lists, filtered lists and pages, as one record, as an event', async () => {
    for (const kind of KINDS) {
      for (const query of ['', '?limit=1', '?updatedSince=2020-01-01T00:00:00Z']) {
        const as = basic(service.practice.apiKey);
        const { status, text } = await send('GET', { path: `/api/${kind}s${query}`, as });
        expect(status).toBe(200);
        expect(text).toContain(CANARY);
      }
    }
    const filtered = await send('GET', { path: `/api/patients?email=${patient.email}&limit=1` });
    expect(filtered.json).toHaveLength(1);
    const searches = [{ name: CANARY }, { phone: patient.phone }, { name: patient.name, limit: 10 }];
    for (const body of searches) {
      const found = await send('POST', { path: '/api/patients/search', body });
      expect(found.text).toContain(CANARY);
      const listed = await send('GET', { path: `/api/patients?${new URLSearchParams(body as never)}` });
      expect(listed.text).toBe(found.text);
    }
    await expect.poll(async () => (await send('GET', { path: '/api/events' })).text).toContain(CANARY);
  });

  test('into every path, query, body and header of every operation that refuses it', async () => {
    for (const operation of await operations()) {
      const { method, template } = operation;
      // A sign-out can be refused only for its credentials.
      const isSignOut = method === 'DELETE' && template === '/api/sessions/current';
      if (!isSignOut)
        for (const as of [administrator(), basic(service.practice.apiKey)]) await refuse(operation, as);
      await call(operation, {
        path: canaryPath(template),
        as: `Basic ${Buffer.from(CANARY).toString('base64')}`,
      });
      await send('PATCH', { path: canaryPath(template) });
    }
    await send('GET', { path: `/${CANARY}?${CANARY}=1` });
    await send('GET', { path: `/api/patients/${CANARY}%ff` });
    await send('GET', { path: `/api/patients/${CANARY.repeat(100)}` });
    await send('POST', {
      path: '/api/sessions',
      as: '',
      body: { email: patient.email, password: `${CANARY} word` },
    });
    expect(errors.length).toBeGreaterThan(500);
    const refused = (await operations()).map(({ method, template }) => `${method} ${template}`);
    expect(
      refused.filter(
        (operation) =>
          operation.includes(' /api/') && ![...called].some((each) => each.startsWith(`${operation} 4`)),
      ),
    ).toEqual(REFUSES_NOBODY);
  });

  test('into values that the database refuses', async () => {
    const appointments = service.database.collection('appointments');
    const [clinicId] = service.practice.clinicIds;
    const times = { startTime: '2032-01-01T10:00:00Z', endTime: '2032-01-01T11:00:00Z' };
    const partialFilterExpression = { startTime: new Date(times.startTime) };
    const taken = { unique: true, partialFilterExpression };
    const index = await appointments.createIndex({ 'procedures.name': 1 }, taken);
    const create = (body: object) => send('POST', { path: '/api/appointments', body: { clinicId, ...body } });
    await create({ ...appointment, ...times });
    const { json } = await create(appointment);
    const path = `/api/appointments/${json._id}`;
    const refused = await send('PUT', { path, body: { ...appointment, ...times } });
    expect(refused.status).toBe(500);
    await appointments.dropIndex(index);
    await untilSent();
  });

  test('through deliveries whose stored responses contain it', async () => {
    const stored = await openedDocuments(service, 'deliveries');
    // These are the newest deliveries. The subscription of the first deliveries was deleted.
    const newest = stored
      .filter(({ responseBody }) => responseBody?.includes(CANARY))
      .sort((one, other) => other.createdTime - one.createdTime)
      .slice(0, 2);
    const ids = newest.map(({ _id }) => String(_id));
    expect(ids).toHaveLength(2);
    for (const json of [false, true]) {
      const listed = await command(['delivery', 'list', '--limit', '1000'], { json });
      const shown = await Promise.all(ids.map((id) => command(['delivery', 'show', id], { json })));
      for (const { code, stdout } of [listed, ...shown]) {
        expect(code).toBe(0);
        expect(stdout).not.toContain(CANARY);
      }
      for (const id of ids) expect(listed.stdout).toContain(id);
    }
  });

  test('into the database, where only sealed values contain what identifies a patient', async () => {
    const [key = '', reminder = ''] = Object.entries(appointment.reminders[0] ?? {})[0] ?? [];
    const texts = [...Object.values(patient), key, reminder, `${CANARY} ${SEALED_CANARY} notes`];
    const collections = ['patients', 'appointments', 'treatments', 'events', 'deliveries'];
    const opened = await Promise.all(collections.map((name) => openedDocuments(service, name)));
    const all = JSON.stringify(opened);
    expect(texts.filter((text) => !all.includes(text))).toEqual([]);
    const find = canaryFinder(SEALED_CANARY);
    const everything = await service.database.listCollections({ type: 'collection' }).toArray();
    for (const { name } of everything) {
      const raw = service.database.collection(name).find({}, { raw: true });
      for await (const document of raw) {
        const encoding = find(document as unknown as Buffer);
        expect({ name, encoding }).toEqual({ name, encoding: undefined });
      }
    }
    expect(everything.length).toBeGreaterThan(20);
  });

  test('through export and erase', async () => {
    for (const kind of KINDS) {
      const file = join(folder.path, `${kind}.out`);
      const [{ stdout, code }] = await Promise.all([
        command(['export', kind], { isData: true }),
        command(['export', kind, '--output', file]),
      ]);
      expect(code).toBe(0);
      expect(stdout).toContain(CANARY);
      expect(await readFile(file, 'utf8')).toBe(stdout);
    }
    const rotate = ['rotate-data-key', '--organization', service.practice.organizationId];
    for (const args of [['check'], rotate]) {
      const { code, stdout, stderr } = await startCli(environmentOf(service), ['encryption', ...args]).ended;
      said.push(stdout, stderr);
      expect({ args, code }).toEqual({ args, code: 0 });
    }
    const imported = await service.database.collection('patients').findOne({ externalId: { $exists: true } });
    const erase = ['patient', 'erase', String(imported?._id)];
    await Promise.all([true, false].map((json) => command([...erase, '--dry-run'], { json })));
    await command([...erase, '--keep-billing'], { json: true });
    await command(erase, { json: false });
    expect(said.join('\n')).toContain('is erased');
  });
});

const metricsOf = async (process: ServiceProcess): Promise<string> =>
  (await fetch(await metricsUrl(process))).text();

// This test must be last: it checks the output of all tests above.
test('no log line, metric, error or command to Redis contains patient data', async () => {
  const { api, dispatcher } = service;
  // This is the last log line of the api, so all its earlier lines have been read.
  await send('DELETE', { path: '/health/live' });
  await api.logged(({ method, route }) => method === 'DELETE' && route === '/health/live');
  // Check that the log lines contain the details of requests, errors and deliveries.
  await api.logged(({ queryKeys }) => String(queryKeys) === 'email,limit');
  await api.logged(({ msg, err }) => msg === 'request failed' && err.code === 11000);
  await dispatcher.logged(({ outcome }) => outcome === 'failed');
  const places = {
    'lines of the api': JSON.stringify(api.lines),
    'lines of the dispatcher': JSON.stringify(dispatcher.lines),
    'metrics of the api': await metricsOf(api),
    'metrics of the dispatcher': await metricsOf(dispatcher),
    failures: errors.join('\n'),
    'what commands say': said.join('\n'),
    Redis: sentToRedis.join('\n'),
  };
  const find = canaryFinder(SEALED_CANARY);
  for (const [place, text] of Object.entries(places)) {
    expect({ place, encoding: find(Buffer.from(text)) }).toEqual({ place, encoding: undefined });
    expect({ place, isEmpty: text.length < 100 }).toEqual({ place, isEmpty: false });
    const at = text.toLowerCase().indexOf(CANARY);
    expect({ place, found: at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 50) }).toEqual({
      place,
      found: '',
    });
  }
});
