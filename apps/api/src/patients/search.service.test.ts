import { newId } from '@chairside/domain';
import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
const names = ['Ada Müller', 'Adam Mulligan', 'Ben Müller', 'Zoë O’Hara', '山田 太郎', 'Li van der Berg'];
let ids: string[];
beforeAll(async () => {
  api = await openTestApi();
  ids = [];
  for (const [index, name] of names.entries()) {
    const body = { clinicId: api.practice.clinicIds[0], name, phone: `+41 44 555 01 0${index}` };
    ids.push((await api.call('POST', '/api/patients', { body })).json._id);
  }
});
afterAll(() => api.close());

const search = (body: object, options: CallOptions = {}) =>
  api.call('POST', '/api/patients/search', { body, ...options });
const namesOf = (json: { name: string }[]) => json.map(({ name }) => name);

test.each([
  ['ada', ['Ada Müller', 'Adam Mulligan']],
  ['MULL ada', ['Ada Müller', 'Adam Mulligan']],
  ['müller', ['Ada Müller', 'Ben Müller']],
  ["o'hara zoe", ['Zoë O’Hara']],
  ['Müll Ben', ['Ben Müller']],
  ['muller zoe', []],
  ['mueller', ['Ada Müller', 'Ben Müller']],
  ['o hara', ['Zoë O’Hara']],
  ['山田太郎', ['山田 太郎']],
  ['Vanderberg', ['Li van der Berg']],
  ['li', ['Li van der Berg']],
  ['l', []],
])('the name %o finds %o, in the address and in a body', async (name, found) => {
  const listed = await api.call('GET', `/api/patients?name=${encodeURIComponent(name)}`);
  expect(listed.status).toBe(200);
  expect(namesOf(listed.json)).toEqual(found);
  const searched = await search({ name });
  expect({ status: searched.status, text: searched.text }).toEqual({ status: 200, text: listed.text });
});

test('a telephone number finds its patient, however it is written', async () => {
  expect(namesOf((await search({ phone: '555-01-02' })).json)).toEqual(['Ben Müller']);
  expect(namesOf((await api.call('GET', '/api/patients?phone=550100')).json)).toEqual(['Ada Müller']);
  for (const phone of ['0041445550102', '044 555 01 02', '+41 (0)44/555-01-02 ext. 7'])
    expect(namesOf((await search({ phone })).json)).toEqual(['Ben Müller']);
  expect((await search({ phone: '0049 4 555 01 02' })).json).toHaveLength(1);
  expect((await search({ phone: '+41 44 655 01 02' })).json).toEqual([]);
});

test('pages of a search lead on without an address, and their cursors are those of the list', async () => {
  const first = await search({ name: 'mull', limit: 2, fields: ['name'] });
  expect(first.json).toEqual([
    { _id: ids[0], name: names[0] },
    { _id: ids[1], name: names[1] },
  ]);
  const cursor = first.headers.get('x-next-cursor') ?? '';
  expect(first.headers.get('link')).toBeNull();
  const second = await search({ name: 'mull', limit: 2, cursor });
  expect(namesOf(second.json)).toEqual(['Ben Müller']);
  expect(second.headers.get('x-next-cursor')).toBeNull();
  const listed = await api.call('GET', `/api/patients?name=mull&limit=2&cursor=${cursor}`);
  expect(listed.json).toEqual(second.json);
  expect((await search({ name: 'ada', limit: 2, cursor })).json.details.issues).toMatchObject([
    { path: 'cursor' },
  ]);
});

test('a body has the filters of the list', async () => {
  const body = {
    clinicId: api.practice.clinicIds[0],
    _ids: [ids[1], newId()],
    updatedSince: '2020-01-01T00:00:00Z',
  };
  expect((await search({ ...body, fields: ['_id'] })).json).toEqual([{ _id: ids[1] }]);
  expect(await search({})).toMatchObject({ status: 200, json: { length: names.length } });
});

/** 249 different words, within the length of a name. */
const MANY_WORDS = Array.from({ length: 249 }, (_, index) => String.fromCodePoint(0x1401 + index)).join(' ');

test.each([
  [{ name: '--' }, 'name', 'must have a word, which is at least one letter or digit'],
  [{ name: '' }, 'name', 'must have a word, which is at least one letter or digit'],
  [{ name: MANY_WORDS }, 'name', 'must have at most 8 different words'],
  [{ name: 'abc\0d' }, 'name', 'NUL'],
  [{ name: 'x'.repeat(501) }, 'name', 'at most 500 characters'],
  [{ phone: '12345' }, 'phone', 'must have at least 6 digits'],
  [{ phone: '044 555 01 00, 044 555 01 01' }, 'phone', 'must be one telephone number'],
  [{ limit: 0 }, 'limit', 'must be a whole number from 1 to 1000'],
  [{ limit: '10' }, 'limit', 'must be a whole number from 1 to 1000'],
  [{ cursor: 'x' }, 'limit', 'is required if cursor is set'],
  [{ fields: ['outbox'] }, 'fields.0', 'must be the name of one of these fields: _id, clinicId, externalId'],
  [{ _ids: Array.from({ length: 201 }, (_, index) => String(index)) }, '_ids', 'at most 200 ids'],
  [{ nickname: 'x' }, 'nickname', 'is not a known field'],
])('refuses %j', async (body, path, message) => {
  const { status, json } = await search(body);
  expect(status).toBe(400);
  expect(json.details.issues).toMatchObject([{ path, message: expect.stringContaining(message) }]);
});

test('refuses the same in the address', async () => {
  for (const [query, path] of [
    ['name=--', 'name'],
    [`name=${encodeURIComponent(MANY_WORDS)}`, 'name'],
    ['phone=12345', 'phone'],
    ['phone=0445550100%3B0445550101', 'phone'],
  ]) {
    const { status, json } = await api.call('GET', `/api/patients?${query}`);
    expect({ status, paths: json.details.issues.map((issue: { path: string }) => issue.path) }).toEqual({
      status: 400,
      paths: [path],
    });
  }
});

test('is audited like a list, and is in no log, metric and error', async () => {
  const [name, phone] = ['Quetzalcoatl', '90210902109'];
  const body = { clinicId: api.practice.clinicIds[0], name: `Xiuh ${name}`, phone };
  const { _id } = (await api.call('POST', '/api/patients', { body })).json;
  const { headers } = await search({ name, limit: 10 });
  await search({ name: `${name} quetzal`, phone });
  await search({ name: 'qu', phone: '90210' });
  await api.call('GET', `/api/patients?name=${name}&phone=${phone}&limit=-1`);
  await search({ name, cursor: name, limit: 1 });
  const { json: entries } = await api.call('GET', `/api/auditentries?recordId=${_id}&action=listed`, {
    as: token(api.practice.administrator.token),
  });
  expect(entries.reverse()).toMatchObject([
    { kind: 'patient', action: 'listed', requestId: headers.get('x-request-id') },
    { kind: 'patient', action: 'listed' },
  ]);
  const told = JSON.stringify([api.logs, entries]) + (await api.metrics.expose()).text;
  for (const text of [name, phone, 'quetzal']) expect(told.toLowerCase()).not.toContain(text.toLowerCase());
  // A duration or a number of bytes may have these digits.
  expect(told).not.toMatch(/(?<![\d.])90210(?!\d)/);
  await api.call('DELETE', `/api/patients/${_id}`);
});

test('staff and API keys search, and find nothing of another organization', async () => {
  const { apiKey } = api.practice;
  expect((await search({ name: 'ada' }, { as: token(api.practice.staff.token) })).status).toBe(200);
  expect((await search({ name: 'ada' }, { as: basic(apiKey) })).status).toBe(200);
  const stranger = await search({ name: 'ada' }, { as: token(api.stranger.administrator.token) });
  expect({ status: stranger.status, text: stranger.text }).toEqual({ status: 200, text: '[]' });
});

test('a search that is off is refused, and other filters still find', async () => {
  const organizations = api.database.collection('organizations');
  const of = { _id: api.practice.organizationId };
  await organizations.updateOne(of, { $set: { patientSearch: 'off' } });
  for (const response of [
    await search({ name: 'ada' }),
    await search({ phone: '550100', limit: 10 }),
    await api.call('GET', '/api/patients?name=ada'),
  ])
    expect(response).toMatchObject({
      status: 403,
      json: { name: 'Forbidden', message: expect.stringContaining('is off for your organization') },
    });
  expect((await search({ _ids: [ids[0]] })).json).toHaveLength(1);
  await organizations.updateOne(of, { $unset: { patientSearch: '' } });
  expect((await search({ name: 'ada' })).json).toHaveLength(2);
});
