import { type OrganizationSchedule, openSchedule, type Schedule } from '@chairside/mongodb/schedule';
import {
  createPractice,
  openTestStore,
  type Practice,
  quickPasswords,
  type TestStore,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tools } from '../src/tools/index.ts';
import { runTool, type Tool } from '../src/tools/tool.ts';
import { type Connector, ERAS, openConnector, resultIn } from './connector.ts';
import { CANARY, MONDAY, plantSchedule, type ScheduleIds } from './practice-schedule.ts';

/*
 * The texts in the records of a patient contain a canary, and so do the texts in the practice settings that an
 * assistant may not see. The canary must not occur in a byte that leaves the connector: the responses are read from the
 * connection, not through the SDK, which drops fields that it does not expect.
 */
let store: TestStore;
let practice: Practice;
let ids: ScheduleIds;
let schedule: Schedule;
let connector: Connector;

/** Fields that no document has. A later version, an import or a person with a database client might add such fields. */
const strays = {
  patientName: CANARY,
  notes: [{ text: CANARY, by: { email: CANARY } }],
  title: CANARY,
  [CANARY]: 1,
};

beforeAll(async () => {
  store = await openTestStore(undefined, undefined, quickPasswords);
  practice = await createPractice(store.store);
  ids = await plantSchedule(store, practice);
  for (const { name } of await store.database.listCollections().toArray())
    await store.database.collection(name).updateMany({}, { $set: strays });
  await store.database
    .collection('operators')
    .updateMany({}, { $set: { email: CANARY, passwordHash: CANARY } });
  schedule = openSchedule({ url: store.url, appName: 'chairside-test' });
  connector = await openConnector({ schedule, redisPrefix: store.redisPrefix, now });
});
afterAll(async () => {
  await connector.close();
  await store.close();
});

const now = () => new Date('2031-06-01T00:00:00Z');
const token = () => connector.authorization.issue({ organization_id: practice.organizationId });

/** Calls of every tool, which together use every argument. */
const everyCall = (): [string, object][] => {
  const days = { clinicId: ids.clinicId, from: MONDAY, to: '2031-06-08' };
  return [
    ['list_clinics', {}],
    ['list_providers', {}],
    ['list_providers', { clinicId: ids.clinicId }],
    ['list_procedures', {}],
    ['list_procedures', { clinicId: ids.otherClinicId, query: 'c' }],
    ['list_procedures', { query: CANARY }],
    ['find_availability', { ...days, durationMinutes: 30 }],
    ['find_availability', { ...days, procedureId: ids.procedureId, providerId: ids.providerId }],
    ['find_availability', { ...days, clinicId: ids.otherClinicId, procedureId: ids.crownId }],
    ['list_calendar_blocks', days],
    ['count_appointments', days],
  ];
};

const hasCanary = (text: string): boolean => {
  const encodings = [
    text,
    decodeURIComponent(text.replaceAll('%', '%25')),
    Buffer.from(text).toString('latin1'),
  ];
  return encodings.some((each) => each.toLowerCase().includes(CANARY));
};

test('no tool returns data of a patient, whatever its arguments are', async () => {
  const seen = new Set<string>();
  for (const era of ERAS) {
    for (const [tool, input] of everyCall()) {
      const { status, headers, text } = await connector.call(tool, input, { token: token(), era });
      const all = `${JSON.stringify([...headers])}${text}`;
      expect({ tool, input, status, leaks: hasCanary(all) }).toEqual({
        tool,
        input,
        status: 200,
        leaks: false,
      });
      seen.add(tool);
    }
  }
  expect([...seen].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
  // The responses were not empty. They contain fields next to those with canaries.
  const results = connector.replies.map(({ text }) => text).join();
  for (const shown of ['Dr. Ines Albers', 'Check-up (50 %)', 'MEETING', '"total":2', `"start":"${MONDAY}`])
    expect(results.replaceAll('\\"', '"')).toContain(shown);
});

/** A canary for the arguments and the headers of a caller. */
const ARGUMENT = 'wellensittich';

test('no error, log line or metric quotes an argument, a token or a record', async () => {
  const before = connector.replies.length;
  const used = token();
  const inputs = [
    { clinicId: ARGUMENT, from: ARGUMENT, to: ARGUMENT, [ARGUMENT]: ARGUMENT },
    { clinicId: ARGUMENT, from: MONDAY, to: MONDAY },
  ];
  for (const { name } of tools)
    for (const input of inputs) await connector.call(name, input, { token: used });
  await connector.message('tools/call', { name: ARGUMENT, arguments: {} }, { token: used });
  await connector.message(ARGUMENT, { [ARGUMENT]: ARGUMENT }, { token: used });
  const headers = { authorization: `Bearer ${used}`, 'content-type': 'application/json' };
  await connector.send('POST', headers, `{"${ARGUMENT}`);
  await connector.send('POST', headers, JSON.stringify({ method: ARGUMENT }));
  await connector.send('POST', { ...headers, authorization: `Bearer ${ARGUMENT}` }, '{}');
  await fetch(`${connector.address}/${ARGUMENT}?${ARGUMENT}`);
  const written = [...connector.lines, await connector.metrics()].join('\n');
  for (const outcome of ['refused', 'invalid']) expect(written).toContain(`"outcome":"${outcome}"`);
  for (const secret of [used, ARGUMENT]) expect(written).not.toContain(secret);
  expect(hasCanary(written)).toBe(false);
  expect(connector.replies.length).toBeGreaterThan(before + 15);
  expect(hasCanary(JSON.stringify(connector.replies.slice(before)))).toBe(false);
});

/** The same value with a stray field in one of its objects, for each object at any depth. */
const planted = (value: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, inner]) =>
    planted(inner).map((changed) =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
    ),
  );
  return Array.isArray(value) ? inside : [{ ...value, patientName: CANARY }, ...inside];
};

test('a result with a stray field at any depth is not sent', async () => {
  const context = {
    schedule: schedule.organization(practice.organizationId),
    now: now(),
    gone: new AbortController().signal,
  };
  let stopped = 0;
  for (const [name, input] of everyCall()) {
    const tool = tools.find((each) => each.name === name) as Tool;
    const answered = await tool.run(context, tool.input.parse(input));
    if (answered.outcome === 'refused') throw new Error(answered.reason);
    for (const result of planted(answered.result)) {
      const leaking: Tool = {
        ...tool,
        run: async () => ({ outcome: 'answered', result: result as typeof answered.result }),
      };
      const { outcome, response, cause } = await runTool(leaking, context, {});
      expect(outcome).toBe('failed');
      expect(hasCanary(JSON.stringify([response, (cause as Error).message, cause]))).toBe(false);
      stopped++;
    }
  }
  expect(stopped).toBeGreaterThan(80);
});

test('a schedule that returns more than it should reaches neither the client nor the log', async () => {
  const leaking = (own: OrganizationSchedule): OrganizationSchedule => ({
    ...own,
    providers: async () => ({
      // The types forbid this value.
      rows: [{ _id: '1', name: 'Dr. Ines Albers', clinicIds: [{ patientName: CANARY }] as never }],
      isCut: false,
    }),
    clinics: async () => ({
      rows: [{ _id: '1', name: 'North', patientName: CANARY }],
      isCut: false,
    }),
    procedures: async () => {
      throw new Error(`duplicate key: ${CANARY}`);
    },
  });
  const wrapped = openSchedule({ url: store.url, appName: 'chairside-test' });
  const other = await openConnector({
    schedule: { ...wrapped, organization: (id) => leaking(wrapped.organization(id)) },
  });
  expect(await other.metrics()).toMatch(/^chairside_mcp_faults_total 0$/m);
  const as = () => ({ token: other.authorization.issue({ organization_id: practice.organizationId }) });
  // The tool does not copy the stray field.
  expect(resultIn(await other.call('list_clinics', {}, as())).clinics).toEqual([{ id: '1', name: 'North' }]);
  // The tools refuse a value of a wrong type inside a field that they copy, and hide an error that quotes a record.
  for (const tool of ['list_providers', 'list_procedures'])
    expect(resultIn(await other.call(tool, {}, as())).error).toBe(
      'An internal error occurred. Try again later.',
    );
  expect(await other.metrics()).toContain('tool="list_providers",outcome="failed"');
  expect(await other.metrics()).toMatch(/^chairside_mcp_faults_total 2$/m);
  await other.close();
  expect(other.lines.filter((line) => line.includes('tool call failed'))).toHaveLength(2);
  expect(hasCanary(JSON.stringify([other.lines, other.replies]))).toBe(false);
});
