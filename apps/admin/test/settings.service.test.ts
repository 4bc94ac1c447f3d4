import { readFile } from 'node:fs/promises';
import { environmentOf, startCli } from '@chairside/test-support';
import { afterAll, expect, test } from 'vitest';
import { openPracticeCommands } from './practice-commands.ts';

const { testStore, practice, folder, cli, close } = await openPracticeCommands();
afterAll(close);

const place = () => ['--organization', practice.organizationId];

const importLines = async (kind: string, lines: readonly object[]) =>
  cli.run(['import', kind, await folder.writeLines(`${kind}.ndjson`, lines), ...place()]);

const stored = (collection: string) =>
  testStore.database
    .collection(collection)
    .find({ organizationId: practice.organizationId })
    .sort({ externalId: 1 })
    .toArray();

const block = {
  externalId: 'b-1',
  clinicId: 'c-1',
  providerId: 'd-1',
  startTime: '2030-01-31T09:30:00+01:00',
  endTime: '2030-01-31T10:00:00Z',
  kind: 'MEETING',
};

test('imports providers, procedures and calendar blocks: checks references, repeats harmlessly, stores no free text', async () => {
  await importLines('clinic', [{ externalId: 'c-1', name: 'North', timezone: 'Europe/Berlin' }]);
  const [ownClinic] = practice.clinicIds;
  const providers = [
    { externalId: 'd-1', name: 'Dr. Albers', clinicIds: ['c-1', ownClinic] },
    { externalId: 'd-2', name: 'Dr. Nowhere', clinicIds: ['c-1', 'c-none'] },
  ];
  const first = await importLines('provider', providers);
  expect({ code: first.code, ...first.json }).toMatchObject({ code: 1, created: 1, refused: 1, deleted: 0 });
  expect(JSON.parse(await readFile(first.json.report, 'utf8'))).toEqual({
    line: 2,
    reason: 'clinicIds does not name a clinic of this organization: import the missing records first',
  });
  const procedures = [
    {
      externalId: 'p-1',
      name: 'Check-up',
      code: '0010',
      price: '45.00',
      currency: 'EUR',
      durationMinutes: 30,
    },
    { externalId: 'p-2', name: 'Crown', price: 640, durationMinutes: 90, bookable: false },
    { externalId: 'p-3', name: 'Cleaning', durationMinutes: 60, clinicIds: ['c-1'], bookable: false },
  ];
  const second = await importLines('procedure', procedures);
  expect(second.json).toMatchObject({ created: 2, refused: 1 });
  expect(JSON.parse(await readFile(second.json.report, 'utf8'))).toEqual({
    line: 2,
    reason: 'currency must be given with a price',
  });
  const secret = { title: 'Canary of a patient', notes: 'Canary of a patient' };
  const lines = [
    { ...block, ...secret },
    { ...block, externalId: 'b-2', providerId: null, kind: 'HOLIDAY' },
    { ...block, externalId: 'b-3', providerId: 'd-2' },
    { ...block, externalId: 'b-4', kind: 'PARTY' },
    { ...block, externalId: 'b-5', endTime: '2031-02-02T09:00:00Z' },
    { ...block, externalId: 'b-6', text: 'Canary' },
  ];
  const third = await importLines('calendar-block', lines);
  expect(third.json).toMatchObject({ created: 2, refused: 4 });
  const report = (await readFile(third.json.report, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(report.map(({ line }) => line)).toEqual([3, 4, 5, 6]);
  expect(report.map(({ reason }) => reason).join()).toMatch(
    /providerId does not name a provider.*kind must be one of CLOSED.*at most 366 days.*fields that this kind does not have: text/s,
  );

  const before = await Promise.all(['providers', 'procedures', 'calendarBlocks'].map(stored));
  expect(JSON.stringify(before)).not.toContain('Canary');
  const [provider] = before[0] ?? [];
  expect(provider?.clinicIds).toEqual([expect.not.stringMatching('c-1'), ownClinic]);
  expect(before[1]?.[0]).toMatchObject({ price: '45.00', bookable: true });
  expect(before[2]?.[0]).toMatchObject({
    clinicId: provider?.clinicIds[0],
    providerId: provider?._id,
    startTime: new Date('2030-01-31T08:30:00Z'),
    kind: 'MEETING',
  });
  expect(before[2]?.[1]).not.toHaveProperty('providerId');

  const again = await importLines('calendar-block', [
    { ...block, title: 'Another text' },
    lines[1] as object,
  ]);
  expect({ code: again.code, ...again.json }).toMatchObject({
    code: 0,
    created: 0,
    updated: 0,
    unchanged: 2,
  });
  expect(await stored('calendarBlocks')).toEqual(before[2]);
  const changed = await importLines('calendar-block', [
    { ...block, kind: 'BREAK' },
    { externalId: 'b-2', deleted: true },
    { externalId: 'b-none', deleted: true },
    { externalId: 'b-3', deleted: false },
  ]);
  expect(changed.json).toMatchObject({ created: 0, updated: 1, unchanged: 1, deleted: 1, refused: 1 });
  expect((await stored('calendarBlocks')).map(({ externalId, kind }) => [externalId, kind])).toEqual([
    ['b-1', 'BREAK'],
  ]);
});

test('exports settings with their external ids; settings leave no audit entries', async () => {
  const { stdout } = await cli.run(['export', 'procedure', ...place()]);
  const exported = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(exported.map(({ externalId, name }) => [externalId, name])).toEqual([
    ['p-1', 'Check-up'],
    ['p-3', 'Cleaning'],
  ]);
  const kinds = (await stored('auditEntries')).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['clinic']));
});

test('an erased patient leaves the settings as they are', async () => {
  const [clinicId] = practice.clinicIds;
  await importLines('patient', [{ externalId: 'p-17', clinicId, name: 'Ada' }]);
  const [patient] = await stored('patients');
  const before = await stored('calendarBlocks');
  const erased = await cli.run(['patient', 'erase', String(patient?._id), ...place()]);
  expect({ code: erased.code, ...erased.json.records }).toEqual({ code: 0, patient: 1 });
  expect(await stored('calendarBlocks')).toEqual(before);
});

test('sets the opening hours of a clinic and shows them in the form that set reads', async () => {
  const [clinicId] = practice.clinicIds;
  const hours = (action: string, args: readonly string[], stdin?: string) =>
    cli.run(['clinic', 'hours', action, clinicId, ...args, ...place()], stdin);
  const given = {
    weekdays: {
      monday: [
        { opens: '13:00', closes: '17:30' },
        { opens: '08:00', closes: '12:00' },
      ],
      sunday: [],
    },
    exceptions: [
      { date: '2030-12-31', intervals: [{ opens: '08:00', closes: '24:00' }] },
      { date: '2030-12-24', intervals: [] },
    ],
    chairs: 3,
  };
  const file = await folder.write('hours.json', `\ufeff${JSON.stringify(given)}`);
  const set = await hours('set', [file]);
  expect({ code: set.code, ...set.json }).toMatchObject({ code: 0, chairs: 3, slotMinutes: 15 });
  const args = ['clinic', 'hours', 'show', clinicId, ...place()];
  const [shown, again, { stdout }, unset] = await Promise.all([
    hours('show', []),
    // The output of `hours set` is valid as its input.
    hours('set', ['-'], set.stdout),
    startCli(environmentOf(testStore), args).ended,
    cli.run(['clinic', 'hours', 'show', practice.clinicIds[1], ...place()]),
  ]);
  expect(shown.json).toEqual(set.json);
  expect(again.json).toEqual(set.json);
  expect(shown.json.weekdays.monday[0]).toEqual({ opens: '08:00', closes: '12:00' });
  expect(unset.code).toBe(1);
  expect(unset.stderr).toMatch(/were never set. Set them with: chairside-admin clinic hours set/);
  expect(stdout).toMatch(
    /^North {2}UTC {2}chairs: 3 {2}slot: 15 min\nmonday {6}08:00–12:00 {2}13:00–17:30\n/,
  );
  expect(stdout).toMatch(/2030-12-24 {2}closed\n2030-12-31 {2}08:00–24:00\n$/);
});

test('refuses invalid opening hours, names the line or the path and the remedy, and changes nothing', async () => {
  const [clinicId] = practice.clinicIds;
  const before = await stored('openingHours');
  const refusal = async (content: string, clinic = clinicId): Promise<string> => {
    const { code, stderr } = await cli.run(['clinic', 'hours', 'set', clinic, '-', ...place()], content);
    expect(code).toBeGreaterThan(0);
    return JSON.parse(stderr).error.message;
  };
  const wrong =
    '{\n  "weekdays": {\n    "tuesday": [\n      { "opens": "08:00",\n        "closes": "25:00" }]},\n  "timezone": "UTC" }';
  const strange = { _id: 'strange', timezone: 'Mars/Olympus', lastEditTime: new Date().toISOString() };
  await practice.store.clinics.create(strange);
  const [message, line, zone] = await Promise.all([
    refusal(wrong, 'nowhere'),
    refusal('{\n  "weekdays": {\n    "monday": [,]\n  }\n}'),
    refusal('{"weekdays":{}}', 'strange'),
  ]);
  expect(message).toMatch(/^The input does not contain valid opening hours. Nothing was changed. Correct:\n/);
  expect(message).toContain('  line 5: weekdays.tuesday.0.closes must be a local time from 00:01 to 24:00');
  expect(message).toContain(
    'the time zone is a field of the clinic: change it with clinic update --timezone',
  );
  expect(line).toMatch(/^The input is not JSON, from line 3 on/);
  expect(zone).toMatch(
    /has a time zone that is not known. Set it with: chairside-admin clinic update strange/,
  );
  expect(await stored('openingHours')).toEqual(before);
});
