import { once } from 'node:events';
import { type OpeningHours, openingHoursSchema, weekdays } from '@chairside/domain';
import { openSchedule, type Schedule } from '@chairside/mongodb/schedule';
import {
  createPractice,
  openTestStore,
  type Practice,
  quickPasswords,
  type TestStore,
} from '@chairside/test-support';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { tools } from '../src/tools/index.ts';
import { MAX_ROWS } from '../src/tools/tool.ts';
import { type Connector, ERAS, messageIn, openConnector, resultIn } from './connector.ts';
import { MONDAY, plantSchedule, type ScheduleIds } from './practice-schedule.ts';

let store: TestStore;
let practice: Practice;
let other: Practice;
let ids: ScheduleIds;
let otherIds: ScheduleIds;
let schedule: Schedule;
let connector: Connector;
/** The current time for the connector. Only slots after it are free. */
let now = new Date('2031-06-01T00:00:00Z');

beforeAll(async () => {
  store = await openTestStore(undefined, undefined, quickPasswords);
  [practice, other] = await Promise.all([createPractice(store.store), createPractice(store.store)]);
  [ids, otherIds] = await Promise.all([plantSchedule(store, practice), plantSchedule(store, other)]);
  schedule = openSchedule({ url: store.url, appName: 'chairside-test' });
  connector = await openConnector({ schedule, redisPrefix: store.redisPrefix, now: () => now });
});
afterAll(async () => {
  await connector.close();
  await store.close();
});

/** A token of a new grant, because requests of one grant are limited. */
const tokenOf = ({ organizationId }: Practice): string =>
  connector.authorization.issue({ organization_id: organizationId });
/** The structured result of a tool, or `{ error }`. */
const ask = async (tool: string, input: object = {}, of = practice) =>
  resultIn(await connector.call(tool, input, { token: tokenOf(of) }));
const monday = () => ({ clinicId: ids.clinicId, from: MONDAY, to: MONDAY });
const clock = (time: string) => `${MONDAY}T${time}:00+00:00`;

describe('the tools', () => {
  it('list_clinics returns the clinics of the organization', async () => {
    const clinic = (id: string, name: string) => ({ id, name, currency: 'EUR', timeZone: 'UTC' });
    expect(await ask('list_clinics')).toEqual({
      clinics: [clinic(ids.clinicId, 'North'), clinic(ids.otherClinicId, 'South')].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      ),
      isCut: false,
    });
  });

  it('list_providers returns display names and clinics', async () => {
    const all = {
      providers: [{ id: ids.providerId, name: 'Dr. Ines Albers', clinicIds: [...practice.clinicIds] }],
      isCut: false,
    };
    expect(await ask('list_providers')).toEqual(all);
    expect(await ask('list_providers', { clinicId: ids.clinicId })).toEqual(all);
  });

  it('list_procedures returns prices, and finds a part of a name or code literally', async () => {
    const checkUp = {
      id: ids.procedureId,
      name: 'Check-up (50 %)',
      code: 'A.1',
      price: '80.00',
      currency: 'EUR',
      durationMinutes: 30,
      bookable: true,
    };
    const crown = { id: ids.crownId, name: 'Crown', durationMinutes: 90, bookable: false };
    const found = (...procedures: object[]) => ({ procedures, isCut: false });
    expect(await ask('list_procedures')).toEqual(found(checkUp, crown));
    expect(await ask('list_procedures', { clinicId: ids.clinicId })).toEqual(found(checkUp));
    for (const query of ['UP (50', 'a.1'])
      expect(await ask('list_procedures', { query })).toEqual(found(checkUp));
    expect(await ask('list_procedures', { query: 'a.*1' })).toEqual(found());
  });

  it('find_availability leaves out appointments, blocks and closed hours', async () => {
    const starts = ['09:00', '09:30', '10:00', '10:30', '12:00', '12:30', '13:00', '13:30', '14:00', '14:30'];
    const result = await ask('find_availability', { ...monday(), procedureId: ids.procedureId });
    expect(result).toMatchObject({ timeZone: 'UTC', durationMinutes: 30, isCut: false });
    expect(result.openingHours).toEqual([
      { date: MONDAY, intervals: [{ start: clock('08:00'), end: clock('16:00') }] },
    ]);
    expect(result.slots.map(({ start }: any) => start)).toEqual([...starts, '15:00', '15:30'].map(clock));
    expect(result.slots[0]).toEqual({ start: clock('09:00'), end: clock('09:30') });
    expect(result).not.toHaveProperty('reason');
    const withProvider = await ask('find_availability', {
      ...monday(),
      durationMinutes: 120,
      providerId: ids.providerId,
    });
    expect(withProvider.slots.map(({ start }: any) => start)).toEqual([clock('09:00')]);
  });

  it('find_availability gives the reason if there is no slot', async () => {
    const search = { ...monday(), durationMinutes: 30 };
    const sunday = { ...search, from: '2031-06-01', to: '2031-06-01' };
    expect(await ask('find_availability', sunday)).toMatchObject({
      slots: [],
      openingHours: [{ date: '2031-06-01', intervals: [] }],
      reason: 'closed',
    });
    expect((await ask('find_availability', { ...search, durationMinutes: 600 })).reason).toBe('too_long');
    now = new Date('2031-06-03T00:00:00Z');
    expect((await ask('find_availability', search)).reason).toBe('past');
    now = new Date('2031-06-01T00:00:00Z');
  });

  it('list_calendar_blocks returns times and kinds', async () => {
    expect(await ask('list_calendar_blocks', monday())).toEqual({
      timeZone: 'UTC',
      blocks: [
        { start: clock('11:00'), end: clock('12:00'), kind: 'MEETING' },
        { start: clock('14:00'), end: clock('15:00'), kind: 'HOLIDAY', providerId: ids.providerId },
      ],
      isCut: false,
    });
  });

  it('count_appointments counts each day by status', async () => {
    const none = { REQUESTED: 0, SCHEDULED: 0, PATIENT_ARRIVED: 0, NO_SHOW: 0, CANCELED: 0 };
    const counted = await ask('count_appointments', { ...monday(), from: '2031-06-01' });
    expect(counted.timeZone).toBe('UTC');
    expect(counted.days).toEqual([
      { date: '2031-06-01', total: 0, byStatus: none },
      { date: MONDAY, total: 2, byStatus: expect.objectContaining({ NO_SHOW: 1 }) },
    ]);
  });

  it('a clinic without a known time zone has no days', async () => {
    const { organizationId } = practice;
    const clinic = { organizationId, name: 'Nowhere', timezone: 'Mars/Olympus' };
    await store.database.collection('clinics').insertOne({ _id: 'nowhere', ...clinic });
    const nowhere = { ...monday(), clinicId: 'nowhere' };
    for (const tool of ['count_appointments', 'list_calendar_blocks'])
      expect((await ask(tool, nowhere)).error).toMatch(/^The clinic has no time zone/);
    expect(await ask('find_availability', { ...nowhere, durationMinutes: 30 })).toMatchObject({
      slots: [],
      openingHours: [],
      reason: 'no_time_zone',
    });
    await store.database.collection('clinics').deleteOne({ _id: 'nowhere' });
  });
});

const openAlways: OpeningHours = openingHoursSchema.parse({
  weekdays: Object.fromEntries(weekdays.map((day) => [day, [{ opens: '00:00', closes: '24:00' }]])),
  slotMinutes: 5,
});

test('lists are cut at the limit, and report it', async () => {
  const { organizationId, clinicIds } = other;
  const many = Array.from({ length: MAX_ROWS + 1 }, (_, index) => ({
    _id: `${organizationId}${index}`,
    organizationId,
  }));
  const time = new Date(`${MONDAY}T13:00:00Z`);
  const rows: Record<string, object> = {
    clinics: { name: 'Clinic' },
    providers: { name: 'Provider', clinicIds },
    procedures: { name: 'Procedure', durationMinutes: 30, bookable: true },
    calendarBlocks: {
      clinicId: clinicIds[1],
      startTime: time,
      endTime: new Date(time.getTime() + 1),
      kind: 'BREAK',
    },
  };
  for (const [collection, fields] of Object.entries(rows))
    await store.database.collection(collection).insertMany(many.map((row) => ({ ...row, ...fields })));
  for (const [tool, list] of [
    ['list_clinics', 'clinics'],
    ['list_providers', 'providers'],
    ['list_procedures', 'procedures'],
    ['list_calendar_blocks', 'blocks'],
  ] as const) {
    const input = tool === 'list_calendar_blocks' ? { ...monday(), clinicId: clinicIds[1] } : {};
    const result = await ask(tool, input, other);
    expect({ tool, rows: result[list].length, isCut: result.isCut }).toEqual({
      tool,
      rows: MAX_ROWS,
      isCut: true,
    });
  }
  await other.store.openingHours.set(clinicIds[0], openAlways);
  const search = { clinicId: clinicIds[0], from: MONDAY, to: '2031-06-04', durationMinutes: 5 };
  const found = await ask('find_availability', search, other);
  expect([found.slots.length, found.isCut]).toEqual([MAX_ROWS, true]);
});

test('a search that starts again on the day of the last slot finds every slot, also with a day of 26 hours', async () => {
  const [clinicId] = other.clinicIds;
  await other.store.openingHours.set(clinicId, openAlways);
  // October 26 has 26 hours.
  await store.database
    .collection<{ _id: string }>('clinics')
    .updateOne({ _id: clinicId }, { $set: { timezone: 'Antarctica/Troll' } });
  const found = new Set<string>();
  const starts = ['2031-10-25'];
  for (const from of starts) {
    const search = { clinicId, from, to: '2031-10-28', durationMinutes: 5 };
    const { slots, isCut } = await ask('find_availability', search, other);
    for (const { start } of slots) found.add(start);
    const next = slots.at(-1).start.slice(0, 10);
    if (!isCut) break;
    expect(next > from).toBe(true);
    starts.push(next);
  }
  expect(found.size).toBe((24 + 26 + 24 + 24) * 12);
});

test('ids of another organization get the same response as ids that do not exist', async () => {
  const own = { clinicId: ids.clinicId, from: MONDAY, to: MONDAY, durationMinutes: 30 };
  const { durationMinutes: _, ...days } = own;
  const cases: [string, object, keyof ScheduleIds | 'procedureId'][] = [
    ['list_providers', {}, 'clinicId'],
    ['list_procedures', {}, 'clinicId'],
    ['find_availability', own, 'clinicId'],
    ['find_availability', own, 'providerId'],
    ['find_availability', days, 'procedureId'],
    ['list_calendar_blocks', days, 'clinicId'],
    ['count_appointments', days, 'clinicId'],
  ];
  for (const era of ERAS) {
    const token = tokenOf(practice);
    for (const [tool, input, field] of cases) {
      const callWith = (id: unknown) => connector.call(tool, { ...input, [field]: id }, { token, era });
      const [foreign, unknown] = await Promise.all([callWith(otherIds[field]), callWith('no-such-id')]);
      expect({ tool, field, text: foreign.text, status: foreign.status }).toEqual({
        tool,
        field,
        text: unknown.text,
        status: 200,
      });
      expect(resultIn(foreign).error).toMatch(new RegExp(`^${field}: `));
    }
  }
});

test('no argument and no message can name an organization', async () => {
  const foreign = { organizationId: other.organizationId, organization_id: other.organizationId };
  for (const { name } of tools) expect((await ask(name, foreign)).error).toContain('Unrecognized keys');
  const params = { name: 'list_clinics', arguments: {}, ...foreign };
  const headers = { 'x-organization-id': other.organizationId };
  const reply = await connector.message('tools/call', params, { token: tokenOf(practice), headers });
  for (const { id } of resultIn(reply).clinics) expect(practice.clinicIds).toContain(id);
});

const hostile: readonly (readonly [string, unknown])[] = [
  ['a NUL', 'a\0b'],
  ['a lone surrogate', 'a\ud800'],
  ['a database operator', { $gt: '' }],
  ['a list', [{ $ne: null }]],
  ['a long text', 'x'.repeat(50_000)],
  ['an empty text', ''],
  ['null', null],
  ['a number beyond 2^53', 2 ** 60],
  ['a date that does not exist', '2031-02-30'],
];

test.each(hostile)('refuses %s in any argument', async (_name, value) => {
  const fields = tools.flatMap(({ name, input }) =>
    Object.keys(input.shape)
      // As an id or as a query, this text is valid but matches nothing.
      .filter((field) => !(value === '2031-02-30' && (field.endsWith('Id') || field === 'query')))
      .map((field) => ({ name, field, known: Object.keys(input.shape) })),
  );
  expect(fields.length).toBeGreaterThan(5);
  const refusals = await Promise.all(
    fields.map(async ({ name, field, known }) => {
      const given = Object.entries({ ...monday(), durationMinutes: 30, [field]: value });
      const input = Object.fromEntries(given.filter(([key]) => known.includes(key)));
      return { name, field, error: (await ask(name, input)).error };
    }),
  );
  for (const { name, field, error } of refusals)
    expect(error).toMatch(new RegExp(`Invalid arguments for tool ${name}: .*${field}`));
});

test('regular expressions and operators in texts are taken literally', async () => {
  for (const query of ['.*', '^', '(', '\\', '$where', '[', "'; return true; '", '\u2028'])
    expect((await ask('list_procedures', { query })).procedures).toEqual(
      query === '(' ? [expect.objectContaining({ name: 'Check-up (50 %)' })] : [],
    );
  const odd = ['$gt', 'a'.repeat(128), '../x', '\u202e', '<script>', '__proto__', 'constructor'];
  for (const clinicId of odd)
    expect((await ask('count_appointments', { ...monday(), clinicId })).error).toMatch(/^clinicId: /);
});

test('refuses ranges that are too long, reversed or at the edge of the calendar', async () => {
  const problems = [
    ['count_appointments', { from: '2031-01-01', to: '2031-04-03' }, 'at most 92 days'],
    ['list_calendar_blocks', { from: '2031-01-01', to: '2031-04-03' }, 'at most 92 days'],
    ['find_availability', { from: '2031-01-01', to: '2031-02-01', durationMinutes: 30 }, 'at most 31 days'],
    ['count_appointments', { from: '2031-01-02', to: '2031-01-01' }, 'to must not be before from'],
    ['find_availability', {}, 'give either procedureId or durationMinutes'],
    [
      'find_availability',
      { durationMinutes: 30, procedureId: 'x' },
      'give either procedureId or durationMinutes',
    ],
    ['find_availability', { from: '9999-12-31', to: '9999-12-31' }, 'to must not be after 9999-12-30'],
    ['find_availability', { durationMinutes: 1441 }, 'must be from 1 to 1440 minutes'],
  ] as const;
  for (const [tool, input, problem] of problems)
    expect((await ask(tool, { ...monday(), ...input })).error).toContain(problem);
  for (const day of ['0001-01-01', '9999-12-30']) {
    const edge = { clinicId: ids.clinicId, from: day, to: day };
    expect((await ask('count_appointments', edge)).days).toHaveLength(1);
    expect(await ask('list_calendar_blocks', edge)).toMatchObject({ blocks: [] });
    expect((await ask('find_availability', { ...edge, durationMinutes: 30 })).slots).toEqual([]);
  }
});

describe.each(ERAS)('the client of the SDK with %s', (era) => {
  it('lists six read-only tools with strict schemas, and calls one', async () => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' } },
    );
    const transport = new StreamableHTTPClientTransport(new URL(`${connector.address}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${tokenOf(practice)}` } },
    });
    await client.connect(transport);
    expect(client.getInstructions()).toMatch(/read-only/);
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { inputSchema, outputSchema, annotations, description } of listed.tools) {
      expect(description).toMatch(/\.$/);
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      for (const object of [inputSchema, outputSchema].flatMap(objectsIn))
        expect(object.additionalProperties).toBe(false);
    }
    const result = await client.callTool({ name: 'count_appointments', arguments: monday() });
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ days: [{ total: 2 }] });
    await client.close();
  });
});

/** Every schema of an object inside a JSON schema. */
const objectsIn = (schema: unknown): any[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const nested = Object.values(schema).flatMap(objectsIn);
  return (schema as { type?: unknown }).type === 'object' ? [schema, ...nested] : nested;
};

test('a client may cache the list of tools for an hour', async () => {
  const { result } = messageIn(await connector.message('tools/list', {}, { token: tokenOf(practice) }));
  expect(result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'private' });
});

test('a call ends when its caller has gone, and one that waits does not begin', async () => {
  const own = schedule.organization(practice.organizationId);
  const begun: AbortSignal[] = [];
  const ended: boolean[] = [];
  const spy = vi.spyOn(schedule, 'organization').mockReturnValue({
    ...own,
    async *appointmentStarts(_range, signal = new AbortController().signal) {
      begun.push(signal);
      if (!signal.aborted) await once(signal, 'abort');
      ended.push(signal.aborted);
      signal.throwIfAborted();
      yield* [];
    },
  });
  onTestFinished(() => spy.mockRestore());
  const { headers, body } = {
    headers: {
      authorization: `Bearer ${tokenOf(practice)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'count_appointments', arguments: monday() },
    }),
  };
  const leave = new AbortController();
  // Two run, and two wait for their turn.
  const calls = [1, 2, 3, 4].map(() =>
    fetch(`${connector.address}/mcp`, { method: 'POST', headers, body, signal: leave.signal }),
  );
  await expect.poll(() => begun.length).toBe(2);
  leave.abort();
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  // A call that waited begins only if the connector learns later of its end than of that of another one.
  await expect.poll(() => ended.length === begun.length).toBe(true);
  expect(ended).not.toContain(false);
  spy.mockRestore();
  // The turns are free again.
  expect(await ask('count_appointments', monday())).toHaveProperty('days');
});
