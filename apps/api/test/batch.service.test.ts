import { once } from 'node:events';
import { connect } from 'node:net';
import { BYTES_OF_ROW } from '@chairside/domain';
import { basic, createKey, openedDocuments } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

type Result = {
  status: number;
  _id?: string;
  created?: boolean;
  changed?: boolean;
  record?: any;
  error?: any;
};
let count = 0;
const newExternalId = () => `pms:${++count}`;
const batch = (
  writes: readonly unknown[],
  options: { key?: string; as?: string; minimal?: boolean } = {},
) => {
  const { key, as, minimal } = options;
  return api.call('POST', '/api/batch', {
    body: { writes, ...(minimal && { return: 'minimal' }) },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    ...(as !== undefined && { as }),
  });
};
const resultsOf = async (...sent: Parameters<typeof batch>): Promise<Result[]> => {
  const { status, json } = await batch(...sent);
  expect(status).toBe(200);
  return json.results;
};
const patient = (body: object = {}) => ({
  method: 'create',
  kind: 'patient',
  body: { clinicId, ...body },
});
const upsert = (externalId: string, body: object = {}, kind = 'patient') => ({
  method: 'upsert',
  kind,
  externalId,
  body: { clinicId, ...body },
});
const eventsOf = async (_id: string | undefined, collection = 'patients') => {
  const [document] = await openedDocuments(api, collection, { _id });
  return (document?.outbox ?? []) as { _id: string; event: string; body: string; requestId: string }[];
};
/** Sends a batch, and does not read its response. `begun` resolves when the response has begun. */
const openUnread = (writes: readonly unknown[]) => {
  const { hostname, port } = new URL(api.url);
  const body = JSON.stringify({ writes });
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `POST /api/batch HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${basic(api.practice.apiKey)}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  const begun = once(socket, 'readable').then(() => socket.pause());
  return { begun, close: () => socket.destroy() };
};
const statuses = (results: readonly Result[]) => results.map(({ status }) => status);

test('writes of each method and kind, each with its result and its event', async () => {
  const [a, b, visit] = [newExternalId(), newExternalId(), newExternalId()];
  const first = (await api.call('POST', '/api/patients', { body: { clinicId, name: 'Ada' } })).json;
  const { json, headers } = await batch([
    patient({ externalId: a, name: 'Bea' }),
    upsert(b, { name: 'Cleo' }),
    { method: 'update', kind: 'patient', _id: first._id, body: { name: 'Ada B.' } },
    { method: 'create', kind: 'appointment', body: { clinicId, patientExternalId: b, externalId: visit } },
    upsert(b, { name: 'Cleo' }),
    { method: 'update', kind: 'patient', externalId: a, body: { phone: '1' } },
    { method: 'delete', kind: 'patient', _id: first._id },
    { method: 'delete', kind: 'appointment', externalId: visit },
  ]);
  const results: Result[] = json.results;
  expect(results.map(({ status, created, changed }) => [status, created, changed])).toEqual([
    [200, true, true],
    [200, true, true],
    [200, false, true],
    [200, true, true],
    [200, false, false],
    [200, false, true],
    [200, false, true],
    [200, false, true],
  ]);
  expect(results[3]?.record.patientId).toBe(results[1]?._id);
  expect(results[5]?.record).toMatchObject({ _id: results[0]?._id, name: 'Bea', phone: '1' });
  expect(results[6]?.record).toMatchObject({ _id: first._id, name: 'Ada B.' });
  expect((await api.call('GET', `/api/patients/external/${a}`)).json).toEqual(results[5]?.record);
  const events = await eventsOf(results[0]?._id);
  expect(events.map(({ event }) => event)).toEqual(['patient.created', 'patient.updated']);
  expect(new Set(events.map(({ requestId }) => requestId))).toEqual(new Set([headers.get('x-request-id')]));
  expect(JSON.parse(events[1]?.body ?? '').data).toEqual(results[5]?.record);
  expect((await eventsOf(first._id)).map(({ event }) => event)).toEqual([
    'patient.created',
    'patient.updated',
    'patient.deleted',
  ]);
});

test('a refused write stops no other one, and has the error of its single call', async () => {
  const taken = newExternalId();
  await resultsOf([upsert(taken)]);
  const { secret } = await createKey(
    api.practice.store,
    { name: 'patients', scopes: ['patients:read', 'patients:write'], rateLimit: 1000 },
    new Date(),
  );
  const as = basic(secret);
  const theirs = (
    await api.call('POST', '/api/patients', {
      as: token(api.stranger.administrator.token),
      body: { clinicId: api.stranger.clinicIds[0] },
    })
  ).json;
  const deep = JSON.parse(`${'['.repeat(50)}${']'.repeat(50)}`);
  const writes = [
    patient({ name: 'first' }),
    null,
    { method: 'destroy', kind: 'patient' },
    { method: 'create', kind: 'clinic', body: {} },
    { method: 'create', kind: 'patient', externalId: 'x', body: { clinicId } },
    { method: 'upsert', kind: 'patient', body: { clinicId } },
    { method: 'update', kind: 'patient', _id: 'a', externalId: 'b', body: {} },
    { method: 'delete', kind: 'patient', _id: 'a', body: {} },
    { method: 'create', kind: 'patient', body: { reminders: deep } },
    patient({ clinicId: 'nowhere' }),
    patient({ email: 'nobody', nickname: 'x' }),
    patient({ externalId: taken }),
    { method: 'create', kind: 'appointment', body: { clinicId } },
    { method: 'update', kind: 'patient', _id: theirs._id, body: {} },
    { method: 'delete', kind: 'patient', externalId: newExternalId() },
    { method: 'update', kind: 'patient', externalId: taken, ifMatch: '"7"', body: {} },
    { method: 'upsert', kind: 'patient', externalId: taken, body: { externalId: 'other' } },
    { method: 'update', kind: 'patient', externalId: taken, body: { _id: 'other' } },
    patient({ name: 'last' }),
  ];
  const results = await resultsOf(writes, { as });
  expect(statuses(results)).toEqual([
    ...[200, 400, 400, 400, 400, 400, 400, 400, 400, 400],
    ...[400, 409, 403, 404, 404, 412, 400, 400, 200],
  ]);
  const pathsOf = (index: number) => results[index]?.error.details.issues.map(({ path }: any) => path);
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((index) => pathsOf(index))).toEqual([
    [''],
    ['method'],
    ['kind'],
    ['externalId'],
    ['externalId'],
    ['externalId'],
    ['body'],
    [''],
    ['clinicId'],
    ['email', 'nickname'],
  ]);
  expect(results[11]?.error.details).toMatchObject({ reason: 'external_id_taken', _id: expect.any(String) });
  expect(results[12]?.error.details.requiredScope).toBe('appointments:write');
  const single = await api.call('POST', '/api/patients', {
    as,
    body: writes[10]?.body,
  });
  const { requestId, ...details } = single.json.details;
  expect(results[10]?.error).toMatchObject({ ...single.json, details });
});

test('writes of one record are made in their order, however it is named', async () => {
  const externalId = newExternalId();
  const [created] = await resultsOf([upsert(externalId, { name: '0' })]);
  const writes = Array.from({ length: 60 }, (_, index) => {
    const body = { name: `${index + 1}` };
    if (index % 3 === 0) return { method: 'update', kind: 'patient', _id: created?._id, body };
    return { method: index % 3 === 1 ? 'update' : 'upsert', kind: 'patient', externalId, body };
  });
  const results = await resultsOf(writes);
  expect(results.map(({ record }) => record.name)).toEqual(writes.map(({ body }) => body.name));
  const names = (await eventsOf(created?._id)).map(({ body }) => JSON.parse(body).data.name);
  expect(names).toEqual(Array.from({ length: 61 }, (_, index) => `${index}`));
});

test('a write that names the external id of an earlier one waits for it; a later one is as if alone', async () => {
  const [later, earlier] = [newExternalId(), newExternalId()];
  const visit = (patientExternalId: string) => ({
    method: 'create',
    kind: 'appointment',
    body: { clinicId, patientExternalId },
  });
  const results = await resultsOf([visit(later), upsert(later), upsert(earlier), visit(earlier)]);
  expect(statuses(results)).toEqual([400, 200, 200, 200]);
  const patientId = results[2]?._id;
  const gone = await resultsOf([
    { method: 'create', kind: 'appointment', body: { clinicId, patientId } },
    { method: 'delete', kind: 'patient', _id: patientId },
    { method: 'create', kind: 'appointment', body: { clinicId, patientId } },
    { method: 'create', kind: 'appointment', body: { clinicId, patientExternalId: earlier } },
  ]);
  expect(statuses(gone)).toEqual([200, 200, 400, 400]);
});

test('return: minimal leaves the records out', async () => {
  const [result] = await resultsOf([patient()], { minimal: true });
  expect(result).toEqual({ status: 200, _id: expect.any(String), created: true, changed: true });
});

test.each([
  ['no writes', { writes: [] }, 'writes'],
  ['501 writes', { writes: Array(501).fill({}) }, 'writes'],
  ['another field', { writes: [{}], onlyIfFree: true }, 'onlyIfFree'],
  ['another form', { writes: [{}], return: 'all' }, 'return'],
  ['writes that are no array', { writes: {} }, 'writes'],
])('a frame with %s refuses the whole batch', async (_name, body, path) => {
  const { status, json } = await api.call('POST', '/api/batch', { body });
  expect({ status, path: json.details.issues[0].path }).toEqual({ status: 400, path });
});

test('takes a body of 1 MiB, and no larger one', async () => {
  const writes = (bytes: number) => {
    const start = JSON.stringify({ writes: [patient({ name: 'x' }), 'REST'] });
    return start.replace('REST', 'x'.repeat(bytes - start.length + 4));
  };
  const largest = await api.call('POST', '/api/batch', { body: writes(2 ** 20) });
  expect(statuses(largest.json.results)).toEqual([200, 413]);
  const larger = await api.call('POST', '/api/batch', { body: writes(2 ** 20 + 1) });
  expect(larger.status).toBe(413);
});

test('a write that is nested forty thousand times is refused alone', async () => {
  const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
  const body = `{"writes":[{"method":"create","kind":"patient","body":${deep}},${JSON.stringify(patient())}]}`;
  const { json } = await api.call('POST', '/api/batch', {
    body,
    headers: { 'idempotency-key': newExternalId() },
  });
  expect(statuses(json.results)).toEqual([400, 200]);
});

test('many issues of many writes are shortened, and each write has one', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 0]));
  const writes = Array.from({ length: 450 }, () => patient(unknown));
  const { text, json } = await batch(writes);
  const issues = json.results.map(({ error }: any) => error.details.issues.length);
  expect(issues.slice(0, 11)).toEqual([...Array(10).fill(100), 1]);
  expect(json.results.at(-1).error.details).toMatchObject({ issues: [{}], moreIssues: 99 });
  expect(text.length).toBeLessThan(2 * 2 ** 20);
});

test('a batch with more values than a body may have is refused before it is parsed', async () => {
  // Characters in strings are no values, whatever is escaped.
  const name = `\\" ${'[,{'.repeat(20)}`;
  const full = Array.from({ length: 480 }, () => patient({ name }));
  expect(statuses((await batch(full)).json.results)).toEqual(full.map(() => 200));
  const { status, json } = await batch([patient({ name: Array.from({ length: 50_000 }, () => ({})) })]);
  expect([status, json.message]).toEqual([413, expect.stringContaining('50000 values')]);
});

test('a large body of few writes counts as many', async () => {
  const leftAfter = async (writes: object[]) => {
    const { headers } = await batch(writes);
    const [, left] = /"rows_of_key";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    return Number(left);
  };
  const before = await leftAfter([patient()]);
  const large = patient({ name: 'x'.repeat(100 * BYTES_OF_ROW) });
  expect(await leftAfter([large, large])).toBe(before - 201);
});

test('a program token may not send a batch', async () => {
  const as = token(api.practice.administrator.token);
  const password = api.practice.administrator.password;
  await api.call('POST', '/api/sessions/current/confirm', { as, body: { password } });
  const body = { name: 'program', access: 'webhooks' };
  const { json } = await api.call('POST', '/api/sessions/current/tokens', { as, body });
  expect((await batch([patient()], { as: token(json.token) })).status).toBe(403);
});

test('a batch whose caller has gone ends early, and a repeated one makes the rest', async () => {
  const key = newExternalId();
  // Each group of this batch is one write, so it takes a while.
  const externalId = newExternalId();
  const writes = Array.from({ length: 90 }, (_, index) => upsert(externalId, { name: `${index}` }));
  const gone = new AbortController();
  const call = fetch(`${api.url}/api/batch`, {
    method: 'POST',
    signal: gone.signal,
    headers: {
      authorization: basic(api.practice.apiKey),
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ writes }),
  });
  await expect
    .poll(async () => (await api.call('GET', `/api/patients?externalId=${externalId}`)).json.length)
    .toBe(1);
  gone.abort();
  await expect(call).rejects.toThrow();
  const { _id } = (await api.call('GET', `/api/patients/external/${externalId}`)).json;
  await expect.poll(async () => (await batch(writes, { key })).status).toBe(200);
  const events = await eventsOf(_id);
  expect(events.map(({ body }) => JSON.parse(body).data.name)).toEqual(
    writes.map(({ body }) => (body as { name?: string }).name),
  );
});

describe('with an Idempotency-Key', () => {
  test('a repeated batch returns what was written, and makes the other writes', async () => {
    const key = newExternalId();
    const [a, b, missing] = [newExternalId(), newExternalId(), newExternalId()];
    const [before] = await resultsOf([upsert(a, { name: 'before' })]);
    const writes = [
      patient({ name: 'new' }),
      { method: 'update', kind: 'patient', externalId: a, body: { name: 'after' } },
      upsert(b),
      { method: 'delete', kind: 'patient', externalId: a },
      { method: 'update', kind: 'patient', externalId: missing, body: { name: 'late' } },
    ];
    const first = await resultsOf(writes, { key });
    expect(statuses(first)).toEqual([200, 200, 200, 200, 404]);
    await resultsOf([upsert(missing)]);
    const again = await resultsOf(writes, { key });
    expect(again.slice(0, 4)).toEqual(first.slice(0, 4));
    expect(again[4]).toMatchObject({ status: 200, record: { name: 'late' } });
    expect(await resultsOf(writes, { key })).toEqual(again);
    expect((await eventsOf(before?._id)).map(({ event }) => event)).toEqual([
      'patient.created',
      'patient.updated',
      'patient.deleted',
    ]);
  });

  test('another body is a 409, and so is a repeated one while the first is in flight', async () => {
    const key = newExternalId();
    const many = Array.from({ length: 200 }, () => patient());
    const both = await Promise.all([batch(many, { key }), batch(many, { key })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409);
    expect(refused?.json.details.code).toBe('idempotency_key_in_flight');
    const other = await batch([patient()], { key });
    expect(other.json.details.code).toBe('idempotency_key_reused');
  });

  test('a repeated batch never undoes what a later write of the same record has made', async () => {
    const [renamed, gone, kept] = [newExternalId(), newExternalId(), newExternalId()];
    await resultsOf([upsert(renamed), upsert(kept, { name: '1' })]);
    const writes = [
      { method: 'delete', kind: 'patient', externalId: gone },
      upsert(gone),
      upsert(kept, { name: '1' }),
      upsert(kept, { name: '2' }),
      { method: 'update', kind: 'patient', externalId: renamed, body: { externalId: newExternalId() } },
    ];
    const key = newExternalId();
    const first = await resultsOf(writes, { key });
    expect(statuses(first)).toEqual([404, 200, 200, 200, 200]);
    const again = await resultsOf(writes, { key });
    expect(statuses(again)).toEqual([409, 200, 200, 200, 200]);
    expect(again[2]).toEqual({ status: 200, _id: first[2]?._id, created: false, changed: false });
    expect(again[0]?.error.details.code).toBe('later_write_made');
    expect([1, 3, 4].map((index) => again[index])).toEqual([1, 3, 4].map((index) => first[index]));
    expect((await api.call('GET', `/api/patients/external/${gone}`)).status).toBe(200);
    expect((await api.call('GET', `/api/patients/external/${kept}`)).json.name).toBe('2');
    expect((await api.call('GET', `/api/patients/external/${renamed}`)).status).toBe(404);
  });

  test('a repeated batch creates nothing again that was deleted since, not even after an erasure', async () => {
    const [changed, erased] = [newExternalId(), newExternalId()];
    const [before] = await resultsOf([upsert(changed)]);
    const writes = [upsert(changed, { name: 'new' }), upsert(erased)];
    const key = newExternalId();
    const first = await resultsOf(writes, { key });
    await api.call('DELETE', `/api/patients/${before?._id}`);
    const { administration } = api.store.everyOrganization;
    const run = { id: 'run', organizationId: api.practice.organizationId, by: 'test' };
    const options = { keepBilling: false, isTrial: false, settleMs: 0 };
    await administration.erasePatient(run, first[1]?._id ?? '', options);
    const again = await resultsOf(writes, { key });
    expect(again[0]).toEqual(first[0]);
    expect(again[1]).toMatchObject({
      status: 409,
      error: { details: { code: 'idempotency_record_deleted' } },
    });
    for (const externalId of [changed, erased])
      expect((await api.call('GET', `/api/patients/external/${externalId}`)).status).toBe(404);
  });

  test('a repeated batch shows no record to a key that has lost the scope', async () => {
    const key = newExternalId();
    const made = await createKey(
      api.practice.store,
      { name: 'loses', scopes: ['patients:write'], rateLimit: 1000 },
      new Date(),
    );
    const as = basic(made.secret);
    expect(statuses(await resultsOf([patient({ name: 'Ada' })], { key, as }))).toEqual([200]);
    const administrator = token(api.practice.administrator.token);
    const { password } = api.practice.administrator;
    await api.call('POST', '/api/sessions/current/confirm', { as: administrator, body: { password } });
    const scopes = ['appointments:read'];
    await api.call('PUT', `/api/apikeys/${made._id}`, { as: administrator, body: { scopes } });
    await expect
      .poll(async () => (await batch([patient({ name: 'Ada' })], { key, as })).json)
      .toMatchObject({ results: [{ status: 403 }] });
  });
});

test('rows that name a record in several ways are made in their order', async () => {
  for (let round = 0; round < 10; round++) {
    const externalId = newExternalId();
    const { _id } = (await api.call('POST', '/api/patients', { body: { clinicId } })).json;
    const results = await resultsOf([
      { method: 'update', kind: 'patient', _id, body: { externalId } },
      upsert(externalId, { name: '1' }),
      { method: 'update', kind: 'patient', _id, body: { name: '2' } },
      { method: 'delete', kind: 'patient', externalId },
      { method: 'create', kind: 'appointment', body: { clinicId, patientId: _id } },
    ]);
    expect(statuses(results)).toEqual([200, 200, 200, 200, 400]);
    expect(results[3]?.record.name).toBe('2');
  }
});

test('batches beyond those in progress wait, also for a caller that does not read', async () => {
  const reminders = Array.from({ length: 20 }, () => ({ text: 'x'.repeat(4000) }));
  const [one] = await resultsOf([
    { method: 'create', kind: 'appointment', body: { clinicId, reminders, externalId: newExternalId() } },
  ]);
  const unchanged = { method: 'upsert', kind: 'appointment', externalId: one?.record.externalId, body: {} };
  const writes = Array.from({ length: 50 }, () => unchanged);
  const done = await Promise.all(Array.from({ length: 12 }, () => batch(writes)));
  expect(done.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const [clinicOfStranger] = api.stranger.clinicIds;
  const unread = Array.from({ length: 4 }, () => openUnread(writes));
  await Promise.all(unread.map(({ begun }) => begun));
  const late = batch([patient()]);
  const ofStranger = await batch([patient({ clinicId: clinicOfStranger })], {
    as: basic(api.stranger.apiKey),
  });
  expect(statuses(ofStranger.json.results)).toEqual([200]);
  for (const { close } of unread) close();
  expect((await late).status).toBe(200);
});

test('records beyond 4 MiB are left out of the response', async () => {
  const reminders = Array.from({ length: 20 }, () => ({ text: 'x'.repeat(4000) }));
  const [one] = await resultsOf([
    { method: 'create', kind: 'appointment', body: { clinicId, reminders, externalId: newExternalId() } },
  ]);
  const unchanged = { method: 'upsert', kind: 'appointment', externalId: one?.record.externalId, body: {} };
  const { text, json } = await batch(Array.from({ length: 100 }, () => unchanged));
  expect(statuses(json.results)).toEqual(Array(100).fill(200));
  expect(text.length).toBeLessThan(5 * 2 ** 20);
  expect(json.results[0].record).toEqual(one?.record);
  expect(json.results[99]).toEqual({ status: 200, _id: one?._id, created: false, changed: false });
});

test('a write that its single call would refuse as too large is refused alone', async () => {
  const results = await resultsOf([patient({ name: 'x'.repeat(270_000) }), patient()]);
  expect(statuses(results)).toEqual([413, 200]);
});

test('a write that a limit refuses says when it may be sent again', async () => {
  const small = await openTestApi([], undefined, { eventBytes: 2000 });
  onTestFinished(() => small.close());
  const body = { clinicId: small.practice.clinicIds[0], name: 'x'.repeat(200) };
  const writes = Array.from({ length: 20 }, () => ({ method: 'create', kind: 'patient', body }));
  const { json } = await small.call('POST', '/api/batch', { body: { writes } });
  const refused = json.results.filter(({ status }: Result) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { retryAfter } of refused) expect(retryAfter).toBeGreaterThan(0);
});

test('rows beyond the limit of a minute refuse the batch, before anything is written', async () => {
  const { secret } = await createKey(
    api.practice.store,
    { name: 'many', scopes: ['patients:write'], rateLimit: 1000 },
    new Date(),
  );
  const as = basic(secret);
  // Refused without a statement, so that the minute does not end before the limit is reached.
  const many = Array.from({ length: 500 }, () => ({ method: 'create', kind: 'patient', body: {} }));
  for (let sent = 0; sent < 16; sent++) expect((await batch(many, { as })).status).toBe(200);
  const key = newExternalId();
  const externalId = newExternalId();
  const refused = await batch([upsert(externalId)], { as, key });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await api.call('GET', `/api/patients/external/${externalId}`)).status).toBe(404);
  // Without a row left, the body is not even read.
  expect((await api.call('POST', '/api/batch', { body: {}, as })).status).toBe(429);
  // The key is free again, and the organization has room for others.
  expect((await batch([patient()], { as, key })).status).toBe(429);
  expect((await batch([upsert(externalId)])).status).toBe(200);
});
