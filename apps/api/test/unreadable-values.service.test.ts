import { canaryFinder } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const CANARY = 'paradiesvogel';
type Stored = { _id: string; sealed?: any };

/** The value of a series without labels, or with the labels that its name has. */
const metric = async (series: string): Promise<number> => {
  const line = (await api.metrics.expose()).text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.split(' ').at(-1));
};

/** Changes a bit of the sealed value of a document, as a fault of a disk or somebody with access to the database would. */
const damage = async (collection: string, _id: string): Promise<void> => {
  const documents = api.database.collection<Stored>(collection);
  const bytes = Buffer.from((await documents.findOne({ _id }))?.sealed.buffer);
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  await documents.updateOne({ _id }, { $set: { sealed: bytes } });
};

test('a record that does not open is an error of its own requests, which says nothing, and of lists that reach it', async () => {
  const [clinicId] = api.practice.clinicIds;
  const create = async (name: string) =>
    (await api.call('POST', '/api/patients', { body: { clinicId, name: `${CANARY} ${name}` } })).json._id;
  const [before, damaged, after] = [await create('first'), await create('second'), await create('third')];
  await damage('patients', damaged);

  const body = { name: 'another' };
  expect(await metric('chairside_api_faults_total')).toBe(0);
  for (const [method, options] of [
    ['GET', {}],
    ['PUT', { body }],
    ['DELETE', {}],
  ] as const) {
    const { status, json } = await api.call(method, `/api/patients/${damaged}`, options);
    expect({ method, status, name: json.name }).toEqual({ method, status: 500, name: 'InternalServerError' });
    expect(canaryFinder(CANARY)(Buffer.from(JSON.stringify(json)))).toBeUndefined();
  }
  expect(await metric('chairside_api_faults_total')).toBe(3);
  // A batch is a 200, whatever happens to its rows.
  const update = { method: 'update', kind: 'patient', _id: damaged, body };
  expect((await api.call('POST', '/api/batch', { body: { writes: [update] } })).status).toBe(200);
  expect(await metric('chairside_api_faults_total')).toBe(4);
  for (const id of [before, after]) {
    expect((await api.call('GET', `/api/patients/${id}`)).status).toBe(200);
    expect((await api.call('PUT', `/api/patients/${id}`, { body })).status).toBe(200);
  }
  // The list reaches the record before its first chunk is sent.
  expect((await api.call('GET', '/api/patients')).status).toBe(500);
  expect((await api.call('GET', `/api/patients?_ids=${before},${after}`)).json).toHaveLength(2);
  // Other kinds work.
  expect((await api.call('GET', '/api/appointments')).status).toBe(200);

  const logged = api.logs.join('\n');
  expect(logged).toContain(damaged);
  expect(canaryFinder(CANARY)(Buffer.from(logged))).toBeUndefined();
});
