import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWholeService, testEngines, type WholeService } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bookFirst } from '../examples/booking.ts';
import { create } from '../examples/errors.ts';
import { measured } from '../examples/fetch.ts';
import { main } from '../examples/first.ts';
import { follow } from '../examples/follow.ts';
import { importPatients } from '../examples/import.ts';
import { read } from '../examples/lists.ts';
import { confirmed, createKey } from '../examples/operators.ts';
import { book } from '../examples/records.ts';
import { save } from '../examples/versions.ts';
import { redeliverFailed, subscribe } from '../examples/webhooks.ts';
import worker from '../examples/worker.ts';
import { Chairside, ChairsideError, type FetchInit, type WebhookDelivery } from '../src/index.ts';
import { realRuntime } from '../src/runtime.ts';

/* Tests the client and the examples of its README against the api and the dispatcher, which run as processes. */

let service: WholeService;
let clinicId: string;
let chairside: Chairside;
let administrator: Chairside;
/** An address that stays the same when the api is restarted on another port. */
const ADDRESS = 'http://localhost';
/** Waits for a tenth of the time, so that the log is read, and a stopped api is retried, more often. */
const impatient = {
  ...realRuntime,
  sleep: (...[time, signal]: Parameters<typeof realRuntime.sleep>) => realRuntime.sleep(time / 10, signal),
};
const toApi = (url: string, init: FetchInit) => fetch(url.replace(ADDRESS, service.address), init);

beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
  [clinicId] = service.practice.clinicIds;
  chairside = new Chairside({ baseUrl: ADDRESS, fetch: toApi, apiKey: service.practice.apiKey }, impatient);
  const { token } = service.practice.administrator;
  administrator = new Chairside({ baseUrl: ADDRESS, fetch: toApi, accessToken: token });
});
afterAll(() => service.close());

const refusal = async (call: PromiseLike<unknown>): Promise<ChairsideError> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof ChairsideError) return error;
    throw error;
  }
  throw new Error('not refused');
};

const ended = async (id: string): Promise<WebhookDelivery> => {
  const read = () => administrator.webhookDeliveries.get(id);
  await expect.poll(async () => (await read()).outcome).not.toBeOneOf(['queued', 'sending']);
  return read();
};

describe('records', () => {
  it('are created, changed, edited and read', async () => {
    const appointment = await book(chairside, clinicId);
    expect(appointment.procedures).toMatchObject([{ procedureId: 'check-up', price: '80.00' }]);
    expect(await chairside.appointments.get(appointment._id)).toEqual(appointment);
    const patient = await chairside.patients.get(appointment.patientId ?? '');
    expect(patient).toMatchObject({ name: 'Ada Beispiel', language: 'en' });
    expect(patient).not.toHaveProperty('phone');
  });

  it('of a time are booked once, as in the example', async () => {
    const open = [{ opens: '08:00', closes: '09:00' }];
    const week = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
    const weekdays = { monday: open, ...week };
    await administrator.openingHours.set(clinicId, { weekdays, slotMinutes: 30 });
    const book = () => bookFirst(chairside, clinicId, '2030-12-02');
    const booked = await Promise.all([book(), book(), book()]);
    const starts = booked.map((appointment) => appointment?.startTime).toSorted();
    expect(starts).toEqual(['2030-12-02T08:00:00.000Z', '2030-12-02T08:30:00.000Z', undefined]);

    const [first, second] = booked.filter((appointment) => appointment !== undefined);
    const { startTime = '', endTime = '' } = second ?? {};
    const move = () => ({ startTime, endTime });
    const refused = await refusal(chairside.appointments.edit(first?._id ?? '', move, { onlyIfFree: true }));
    expect(refused).toMatchObject({ name: 'Conflict', status: 409, details: { reason: 'fully_booked' } });
    await chairside.appointments.update(second?._id ?? '', { status: 'CANCELED' });
    const moved = await chairside.appointments.edit(first?._id ?? '', move, { onlyIfFree: true });
    expect(moved.startTime).toBe(startTime);
  });

  it('have versions', async () => {
    const { data, response } = await chairside.patients.create({ clinicId, name: 'A' }).withResponse();
    expect(response).toMatchObject({ status: 200, etag: '"1"', isReplay: false });
    expect(response.requestId).toMatch(/^\w+$/);
    expect(await chairside.patients.get(data._id, { ifNoneMatch: '"1"' })).toBeUndefined();
    expect(await save(chairside, data._id, { name: 'B' }, '"1"')).toBeUndefined();
    expect(await save(chairside, data._id, { name: 'C' }, '"1"')).toMatchObject({
      newer: { name: 'B' },
      etag: '"2"',
    });
    expect(await refusal(chairside.patients.delete(data._id, { ifMatch: '"1"' }))).toMatchObject({
      status: 412,
    });
    expect(await chairside.patients.delete(data._id, { ifMatch: '"2"' })).toMatchObject({ name: 'B' });
    expect(await refusal(chairside.patients.get(data._id))).toMatchObject({ status: 404, name: 'NotFound' });
  });

  it('are edited by several callers at once without losing a change', async () => {
    const { _id } = await chairside.appointments.create({ clinicId });
    const add = (name: string) =>
      chairside.appointments.edit(
        _id,
        ({ procedures }) => ({ procedures: [...procedures, { procedureId: 'p', name }] }),
        { maxAttempts: 20 },
      );
    await Promise.all(['a', 'b', 'c', 'd'].map(add));
    const { procedures } = await chairside.appointments.get(_id);
    expect(procedures.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are edited once when the connection breaks after the write', async () => {
    let breaks = true;
    const fragile = new Chairside({
      ...{ baseUrl: ADDRESS, apiKey: service.practice.apiKey },
      async fetch(url, init) {
        const response = await toApi(url, init);
        if (init.method !== 'PUT' || !breaks) return response;
        breaks = false;
        throw new TypeError('terminated');
      },
    });
    const { _id } = await chairside.appointments.create({ clinicId });
    await fragile.appointments.edit(_id, ({ procedures }) => ({
      procedures: [...procedures, { procedureId: 'p', name: 'once' }],
    }));
    expect((await chairside.appointments.get(_id)).procedures).toMatchObject([{ name: 'once' }]);
  });

  it('are created once when the connection breaks after the write', async () => {
    let breaks = true;
    const fragile = new Chairside({
      ...{ baseUrl: ADDRESS, apiKey: service.practice.apiKey },
      async fetch(url, init) {
        const response = await toApi(url, init);
        if (!breaks) return response;
        breaks = false;
        throw new TypeError('terminated');
      },
    });
    const email = 'once@example.com';
    const { data, response } = await fragile.patients.create({ clinicId, email }).withResponse();
    expect(response.isReplay).toBe(true);
    expect(await chairside.patients.list({ email }).toArray()).toEqual([data]);
  });

  it('are imported once, however often the import is run', async () => {
    const lines = [1, 2, 3].map((line) => ({ clinicId, name: `line ${line}`, email: 'import@example.com' }));
    const wrong = { clinicId, email: 'nobody' };
    const { ids, refused } = await importPatients(chairside, 'run-1', [...lines, wrong]);
    expect(await importPatients(chairside, 'run-1', [...lines, wrong])).toEqual({ ids, refused });
    expect(refused).toEqual(new Map([[4, expect.any(String)]]));
    const found = await chairside.patients.list({ email: 'import@example.com' }).toArray();
    expect(found.map(({ _id }) => _id).sort()).toEqual([...ids.values()].sort());
    expect(ids.size).toBe(3);
    expect(await refusal(importPatients(chairside, 'run-1', lines))).toMatchObject({ status: 409 });
  });
});

describe('lists', () => {
  const email = 'list@example.com';
  let ids: string[];
  beforeAll(async () => {
    const created = Array.from({ length: 7 }, (_, index) =>
      chairside.patients.create({ clinicId, email, name: `P${index}`, language: 'en' }),
    );
    ids = (await Promise.all(created)).map(({ _id }) => _id).sort();
  });

  it('contain every row once, in the order of the api, across pages', async () => {
    const rows = await chairside.patients.list({ email }, { pageSize: 2 }).toArray();
    expect(rows.map(({ _id }) => _id)).toEqual(ids);
    const pages: number[] = [];
    for await (const { data } of chairside.patients.list({ email }, { pageSize: 3 }).pages())
      pages.push(data.length);
    expect(pages).toEqual([3, 3, 1]);
  });

  it('have filters and fields', async () => {
    const [a = '', , c = ''] = ids;
    const chosen = await chairside.patients.list({ _ids: [a, c], fields: ['name', 'email'] }).toArray();
    expect(chosen.map((each) => Object.keys(each).sort())).toEqual([
      ['_id', 'email', 'name'],
      ['_id', 'email', 'name'],
    ]);
    expect(
      await chairside.patients.list({ email, updatedSince: new Date(Date.now() + 60_000) }).toArray(),
    ).toEqual([]);
    const wrong = await refusal(chairside.patients.list({ nickname: 'x' } as object).page());
    expect(wrong).toMatchObject({ name: 'ValidationError', issues: [{ path: 'nickname' }] });
  });

  it('are read as in the example', async () => {
    await book(chairside, clinicId);
    const { languages, names, first } = await read(chairside, clinicId);
    expect(languages.get('en')).toBeGreaterThan(6);
    expect(names.map((each) => Object.keys(each).length)).not.toContain(3);
    expect(first.data.length).toBeGreaterThan(0);
  });

  it('of every other kind can be read', async () => {
    for (const group of ['clinics', 'invoices', 'payments', 'treatments'] as const) {
      expect(await chairside[group].list().toArray()).toBeInstanceOf(Array);
    }
    const [clinic] = await chairside.clinics.list().toArray();
    expect(await chairside.clinics.get(clinic?._id ?? '')).toEqual(clinic);
    for (const group of [
      'operators',
      'apiKeys',
      'webhookSubscriptions',
      'auditEntries',
      'sessions',
    ] as const) {
      expect((await administrator[group].list().page()).data.length).toBeGreaterThan(0);
    }
  });

  it('wait when the api reports that the rate limit is nearly used up', async () => {
    const key = await service.practice.store.apiKeys.create(
      { name: 'slow', scopes: ['patients:read'], rateLimit: 20 },
      new Date(),
    );
    const secret = key?.secret ?? '';
    const enough = new Error('enough');
    const waits: number[] = [];
    const runtime = {
      ...realRuntime,
      async sleep(milliseconds: number) {
        waits.push(milliseconds);
        throw enough;
      },
    };
    const slow = new Chairside({ baseUrl: ADDRESS, fetch: toApi, apiKey: secret }, runtime);
    const statuses: number[] = [];
    const reading = async () => {
      for (;;) statuses.push((await slow.patients.list({}, { pageSize: 1 }).page()).response.status);
    };
    await expect(reading()).rejects.toBe(enough);
    // One request of the limit of twenty is left to other callers.
    expect(statuses).toHaveLength(19);
    expect(waits[0]).toBeGreaterThan(0);
    expect(waits[0]).toBeLessThan(64_000);
  });
});

describe('errors', () => {
  it('describe the problem', async () => {
    const issues = await create(chairside, { clinicId: 'nowhere', email: 'nobody' });
    expect(issues).toHaveLength(2);
    expect(issues).toEqual(
      expect.arrayContaining([expect.stringContaining('clinicId '), expect.stringContaining('email ')]),
    );
    const reader = new Chairside({ baseUrl: ADDRESS, fetch: toApi, apiKey: service.practice.readOnlyApiKey });
    expect(await create(reader, { clinicId })).toEqual(['The key lacks the scope patients:write.']);
    const stranger = new Chairside({ baseUrl: ADDRESS, fetch: toApi, apiKey: 'chairside_key_x' });
    vi.spyOn(console, 'error').mockReturnValueOnce();
    const error = await refusal(create(stranger, { clinicId }) as Promise<unknown>);
    expect(error).toMatchObject({ status: 401, name: 'Unauthorized', requestId: expect.any(String) });
  });

  it('of the network contain the error code of the runtime', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const nobody = new Chairside({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', retry: false });
    expect(await refusal(nobody.patients.get('a'))).toMatchObject({
      name: 'ConnectionError',
      code: 'ECONNREFUSED',
      message: `The connection to 127.0.0.1:${port} failed (ECONNREFUSED).`,
    });
  });
});

describe('an operator', () => {
  it('signs in, creates a key, and confirms the password when the api asks for it', async () => {
    const { email, password, _id: operatorId } = service.practice.administrator;
    const key = await createKey({ baseUrl: service.address, email, password }, { name: 'Recall letters' });
    expect(key.secret).toMatch(/^chairside_key_/);
    await service.database
      .collection('sessions')
      .updateMany({ operatorId }, { $set: { confirmedTime: new Date(Date.now() - 3_600_000) } });
    const update = () =>
      administrator.apiKeys.update(key._id, { scopes: ['patients:read', 'patients:write'] });
    expect(await refusal(update())).toMatchObject({ details: { requiredConfirmation: 'password' } });
    expect((await confirmed(administrator, password, update)).scopes).toContain('patients:write');
    expect((await administrator.apiKeys.reveal(key._id, { password })).secret).toBe(key.secret);
    expect(await administrator.apiKeys.delete(key._id)).toMatchObject({ _id: key._id });
  });

  it('is created, must change the password, and signs out', async () => {
    const email = `new.${service.practice.organizationId}@example.com`;
    const first = 'chosen by somebody else';
    const { password: own } = service.practice.administrator;
    const operator = await confirmed(administrator, own, () =>
      administrator.operators.create({ email, password: first, role: 'staff' }),
    );
    const connection = { baseUrl: service.address, email };
    expect(await refusal(Chairside.signIn({ ...connection, password: 'wrong' }))).toMatchObject({
      status: 401,
    });
    const { token } = await Chairside.signIn({ ...connection, password: first });
    const staff = new Chairside({ baseUrl: service.address, accessToken: token });
    expect(await refusal(staff.clinics.list().page())).toMatchObject({
      details: { requiredPasswordChange: true },
    });
    await staff.sessions.changePassword({ password: first, newPassword: 'chosen by myself' });
    const {
      email: ofCurrent,
      organization,
      mail,
      factors,
      factorRequired,
      ...session
    } = await staff.sessions.current();
    expect({ ofCurrent, organization, mail, factors, factorRequired }).toEqual({
      factors: [],
      factorRequired: false,
      ofCurrent: email,
      organization: { name: 'Test practice' },
      mail: false,
    });
    expect(await staff.sessions.list().toArray()).toEqual([session]);
    expect(await administrator.operators.sessions(operator._id).toArray()).toEqual([session]);
    expect(session.userAgent).toBe('chairside-client/source');
    expect(await refusal(staff.operators.list().page())).toMatchObject({
      details: { requiredRole: 'administrator' },
    });
    await staff.sessions.signOut();
    expect(await refusal(staff.sessions.current())).toMatchObject({ status: 401 });
    await administrator.operators.update(operator._id, { active: false });
    await administrator.operators.delete(operator._id);
  });
});

describe('webhooks', () => {
  it('are subscribed to, tested and redelivered', async () => {
    const { receiver } = service;
    const { _id, secret, test } = await subscribe(administrator, clinicId, receiver.url);
    expect(secret).toMatch(/^whsec_/);
    expect(await ended(test._id)).toMatchObject({ kind: 'test', outcome: 'succeeded' });
    await chairside.patients.create({ clinicId });
    const deliveries = administrator.webhookDeliveries.list({
      webhookSubscriptionId: _id,
      event: 'patient.created',
    });
    await expect.poll(async () => (await deliveries.toArray())[0]?.outcome).toBe('succeeded');
    const [delivery] = await deliveries.toArray();
    const again = await administrator.webhookDeliveries.redeliver(delivery?._id ?? '');
    expect(await ended(again._id)).toMatchObject({ kind: 'redelivery', outcome: 'succeeded' });
    expect(await redeliverFailed(administrator, _id)).toEqual([]);
    const { _id: redeliveryId } = await administrator.webhookSubscriptions.redeliver(_id, {
      since: new Date(Date.now() - 60_000).toISOString(),
    });
    expect(await administrator.webhookSubscriptions.redelivery(_id, redeliveryId)).toMatchObject({
      _id: redeliveryId,
    });
    expect(await administrator.webhookSubscriptions.update(_id, { active: false })).toMatchObject({
      active: false,
    });
    await administrator.webhookSubscriptions.delete(_id);
  });
});

describe('the event log', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chairside-follow-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is followed without missing or repeated events, across restarts of the api and of the follower', async () => {
    const since = new Date();
    const file = join(folder, 'cursor');
    const seen: string[] = [];
    const made: string[] = [];
    const make = async () => {
      const { _id } = await chairside.patients.create({ clinicId, name: 'followed' });
      made.push(_id);
    };
    /** Follows the log until this many events were seen. */
    const until = async (count: number) => {
      const controller = new AbortController();
      const following = follow(
        chairside,
        async ({ event, data }) => {
          if (event === 'patient.created' && data.name === 'followed') seen.push(data._id);
          // The cursor is stored after this callback returns, and the loop ends when it requests the next event.
          if (seen.length === count) queueMicrotask(() => controller.abort(new Error('enough')));
        },
        { file, signal: controller.signal },
      );
      await expect(following).rejects.toThrow();
    };

    const { cursor } = chairside.events.follow({ since });
    await writeFile(file, cursor);
    for (let index = 0; index < 3; index++) await make();
    await until(2);
    expect(await readFile(file, 'utf8')).toMatch(/^v1\./);
    const rest = until(6);
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    await service.api.end('SIGKILL');
    await expect.poll(() => warned.mock.calls.length).toBeGreaterThan(0);
    await service.startApi();
    for (let index = 0; index < 3; index++) await make();
    await rest;
    warned.mockRestore();
    expect(seen).toEqual([...new Set(seen)]);
    expect([...seen].sort()).toEqual([...made].sort());

    const listed = await chairside.events.list({ event: 'patient.created', since }).toArray();
    const followed = listed.filter(({ data }) => (data as { name?: string }).name === 'followed');
    expect(followed.map(({ data }) => data._id)).toEqual(seen);
    const [first] = listed;
    expect(await chairside.events.get(first?.id ?? '')).toEqual(first);
  });

  it('refuses a `since` that is more than 30 days ago', async () => {
    const since = new Date(Date.now() - 31 * 86_400_000);
    const next = chairside.events.follow({ since })[Symbol.asyncIterator]().next();
    expect(await refusal(next)).toMatchObject({ name: 'LogExpired' });
  });

  it('ends when the access token is no longer valid', async () => {
    const { email, password } = service.practice.administrator;
    const { token } = await Chairside.signIn({ baseUrl: service.address, email, password });
    const operator = new Chairside({ baseUrl: service.address, accessToken: token });
    // The rejection is handled before the sign-out, because the follower may end before the response to the sign-out
    // arrives.
    const ended = refusal(
      operator.events.follow({ since: new Date(), minWait: 1 })[Symbol.asyncIterator]().next(),
    );
    await operator.sessions.signOut();
    expect(await ended).toMatchObject({ status: 401 });
  });
});

describe('the other examples', () => {
  it('first: prints the patients', async () => {
    vi.stubEnv('CHAIRSIDE_URL', service.address);
    vi.stubEnv('CHAIRSIDE_API_KEY', service.practice.apiKey);
    const log = vi.spyOn(console, 'log').mockReturnValue();
    await main();
    expect(log).toHaveBeenCalledWith(expect.any(String), 'Ada Beispiel');
    log.mockRestore();
    vi.unstubAllEnvs();
    await expect(main()).rejects.toThrow('`baseUrl`');
  });

  it('worker: responds with the clinics', async () => {
    const env = { CHAIRSIDE_URL: service.address, CHAIRSIDE_API_KEY: service.practice.apiKey };
    const response = await worker.fetch(new Request('https://worker.example.com'), env);
    expect(((await response.json()) as string[]).sort()).toEqual(['North', 'South']);
  });

  it('fetch: measures each attempt', async () => {
    const lines: string[] = [];
    const options = { baseUrl: service.address, apiKey: service.practice.apiKey };
    await measured(options, (line) => void lines.push(line))
      .clinics.list()
      .page();
    expect(lines).toEqual([expect.stringMatching(/^GET \/api\/clinics 200 \d+ ms$/)]);
  });
});

it('a raw request sends the credential of the client', async () => {
  const created = await chairside.request<{ _id: string }>('POST', '/api/patients', {
    body: { clinicId },
    idempotencyKey: 'own',
  });
  const listed = await chairside.request('GET', '/api/patients', { query: { _ids: [created._id] } });
  expect(listed).toMatchObject([{ _id: created._id }]);
});
