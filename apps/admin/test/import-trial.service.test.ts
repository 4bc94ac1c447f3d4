import { readdir, readFile } from 'node:fs/promises';
import { openedDocuments } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPracticeCommands } from './practice-commands.ts';

const { testStore, practice, folder, cli, close } = await openPracticeCommands();
afterAll(close);

const importInto = (organization: string, kind: string, file: string, ...options: string[]) =>
  cli.run(['import', kind, file, '--organization', organization, ...options]);
const own = practice.organizationId;

/** The objects that a command has printed, one in each line. */
const printed = (stdout: string): any[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Everything that is stored, and the names of all files. */
const everything = async () => {
  const collections = await testStore.database.listCollections({}, { nameOnly: true }).toArray();
  const documents = collections.map(async ({ name }) => [
    name,
    await testStore.database.collection(name).find().sort({ _id: 1 }).toArray(),
  ]);
  return {
    documents: Object.fromEntries(await Promise.all(documents)),
    files: (await readdir(folder.path)).toSorted(),
  };
};

/** Runs a dry run, which must change nothing. */
const tried = async (organization: string, kind: string, file: string, ...options: string[]) => {
  const before = await everything();
  const { code, stdout } = await importInto(organization, kind, file, '--dry-run', ...options);
  expect(await everything()).toEqual(before);
  const lines = printed(stdout);
  return { code, found: lines.slice(0, -1), summary: lines.at(-1) };
};

const patientsOf = (organizationId: string, begin: string) =>
  openedDocuments(testStore, 'patients', { organizationId }).then((found) =>
    found.filter(({ externalId }) => String(externalId).startsWith(begin)),
  );

beforeAll(async () => {
  const clinics = [{ externalId: 'c-1', name: 'North', timezone: 'Europe/Berlin' }];
  const { json } = await importInto(own, 'clinic', await folder.writeLines('clinic.ndjson', clinics));
  expect(json).toMatchObject({ created: 1 });
});

test('a dry run writes nothing, and says what the import does then', async () => {
  const patient = (id: string, name: string, clinicId = 'c-1') =>
    JSON.stringify({ externalId: `try-${id}`, clinicId, name });
  const before = [patient('1', 'Ada'), patient('2', 'Bo')].join('\n');
  await importInto(own, 'patient', await folder.write('before.ndjson', before));
  const lines = [
    patient('1', 'Ada'),
    patient('2', 'Bob'),
    patient('3', 'Cleo'),
    patient('4', 'Dan', 'nowhere'),
    'no JSON',
    patient('3', 'Chloe'),
    patient('1', 'Ada'),
  ];
  const file = await folder.write('try.ndjson', lines.join('\n'));
  const { code, found, summary } = await tried(own, 'patient', file, '--events', 'changes');
  expect(code).toBe(1);
  expect(found).toEqual([
    {
      line: 4,
      reason: 'clinicId does not name a clinic of this organization: import the missing records first',
    },
    { line: 5, reason: 'is not JSON' },
    { line: 6, earlier: 3 },
    { line: 7, earlier: 1 },
  ]);
  const counts = { lines: 7, created: 1, updated: 2, unchanged: 2, refused: 2, repeated: 2, complete: true };
  expect(summary).toMatchObject({ dryRun: true, ...counts });
  expect(JSON.stringify({ found, summary })).not.toMatch(/Ada|Bob|Cleo|Dan|nowhere/);

  const { json } = await importInto(own, 'patient', file, '--events', 'changes');
  expect(json).toMatchObject({
    ...counts,
    repeats: [
      { line: 6, earlier: 3 },
      { line: 7, earlier: 1 },
    ],
  });
  // Both lines about the third patient change it again.
  const again = { created: 0, updated: 2, unchanged: 3, refused: 2, repeated: 2 };
  expect((await tried(own, 'patient', file)).summary).toMatchObject(again);
  expect((await importInto(own, 'patient', file)).json).toMatchObject(again);
});

test('a dry run creates no keys of a new organization, whose records all would be created', async () => {
  const { json } = await cli.run(['organization', 'create', 'New practice']);
  const lines = [
    { externalId: 'c-1', name: 'North' },
    { externalId: 'c-2', name: 'South' },
  ];
  const { code, summary } = await tried(json._id, 'clinic', await folder.writeLines('new.ndjson', lines));
  expect({ code, ...summary }).toMatchObject({ code: 0, created: 2, refused: 0 });
  const patient = [{ externalId: 'p', clinicId: 'c-1' }];
  const referring = await tried(json._id, 'patient', await folder.writeLines('refers.ndjson', patient));
  expect(referring).toMatchObject({ code: 1, summary: { created: 0, refused: 1 } });
});

test('a dry run of settings counts deletions, and follows the lines of one setting', async () => {
  const provider = (id: string, name: string) => ({ externalId: id, name, clinicIds: ['c-1'] });
  await importInto(
    own,
    'provider',
    await folder.writeLines('p.ndjson', [provider('d-1', 'A'), provider('d-2', 'B')]),
  );
  const lines = [
    provider('d-1', 'A'),
    { externalId: 'd-2', deleted: true },
    { externalId: 'd-3', deleted: true },
    provider('d-2', 'B'),
    provider('d-4', 'D'),
    { externalId: 'd-4', deleted: true },
  ];
  const file = await folder.writeLines('settings.ndjson', lines);
  const { summary } = await tried(own, 'provider', file);
  const counts = { created: 2, updated: 0, unchanged: 2, deleted: 2, refused: 0, repeated: 2 };
  expect(summary).toMatchObject(counts);
  expect((await importInto(own, 'provider', file)).json).toMatchObject(counts);
});

test('a dry run reads the whole file, and leaves the progress of an interrupted import alone', async () => {
  const lines = [1, 2, 3].map((id) => ({ externalId: `whole-${id}`, clinicId: 'c-1' }));
  const file = await folder.writeLines('whole.ndjson', lines);
  for (const name of ['progress.json', 'refused.ndjson'])
    await folder.write(`whole.ndjson.${own}.patient.${name}`, 'of an import');
  expect(await tried(own, 'patient', file)).toMatchObject({ code: 0, summary: { lines: 3, created: 3 } });
  for (const name of ['progress.json', 'refused.ndjson'])
    expect(await readFile(`${file}.${own}.patient.${name}`, 'utf8')).toBe('of an import');
});

const CSV = [
  'externalId;clinicId;name;email;',
  'csv-1;c-1;"Ada; ""L"".";Ada@Example.com;',
  'csv-2;c-1;"two',
  'lines";;',
  ';;;;',
  'csv-3;c-1',
  'csv-4;nowhere;Dan;;',
  "csv-5;c-1;'=Eve;no address;",
  "csv-6;c-1;'=Eve;;",
  '',
].join('\r\n');

test('imports CSV: names fields in the first line, and refuses rows by the numbers of their lines', async () => {
  const file = await folder.write('people.csv', `\ufeff${CSV}`);
  const refused = [6, 7, 8];
  const dry = await tried(own, 'patient', file);
  expect(dry.found.map(({ line }) => line)).toEqual(refused);
  const { code, json } = await importInto(own, 'patient', file);
  expect({ code, ...json }).toMatchObject({ code: 1, complete: true, lines: 9, created: 3, refused: 3 });
  const report = printed(await readFile(json.report, 'utf8'));
  expect(report).toEqual(dry.found);
  expect(report[0].reason).toBe('has more or fewer cells than the first line');
  expect(report[2].reason).toMatch(/^email must be an e-mail address/);
  const stored = await patientsOf(own, 'csv-');
  expect(stored.map(({ externalId, name }) => [externalId, name]).toSorted()).toEqual([
    ['csv-1', 'Ada; "L".'],
    ['csv-2', 'two\r\nlines'],
    ['csv-6', '=Eve'],
  ]);
  expect(stored.find(({ externalId }) => externalId === 'csv-2')).not.toHaveProperty('email');
  expect((await importInto(own, 'patient', file)).json).toMatchObject({ unchanged: 3, refused: 3 });
});

test.each(['-', 'people.txt'])('reads CSV from %s with --csv', async (name) => {
  const content = `clinicId\texternalId\nc-1\tflag ${name}\n`;
  const file = name === '-' ? name : await folder.write(name, content);
  const { code, stdout } = await cli.run(
    ['import', 'patient', file, '--organization', own, '--csv', '--dry-run'],
    content,
  );
  expect({ code, ...printed(stdout)[0] }).toMatchObject({ code: 0, created: 1 });
});

test('CSV that is read as JSON is one error, which names --csv', async () => {
  const before = await everything();
  const content = '\n"Name";"Clinic"\n"Ada";"c-1"\n"Bo";"c-1"\n';
  const file = await folder.write('forgotten.txt', content);
  for (const options of [[], ['--dry-run']]) {
    const { code, stdout, stderr } = await importInto(own, 'patient', file, ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const message = `${file}: line 2 is not JSON. If the file is CSV, add --csv.`;
    expect(JSON.parse(stderr)).toEqual({ error: { message } });
  }
  const after = await everything();
  expect(after.documents).toEqual(before.documents);
  expect(after.files).toEqual([...before.files, 'forgotten.txt'].toSorted());
});

test.each([
  ['externalId,clinicId,Ada Beispiel\nx,c-1,y\n', 'there is no field (not a field name).'],
  ['externalId,clinicId,fax\nx,c-1,y\n', 'there is no field fax. The first line must name the columns'],
  ['externalId,clinicId,externalId\nx,c-1,y\n', 'has the column externalId twice.'],
  ['externalId,clinicId\nx,c-1\ny,"c-1\n', 'line 3 begins a quote that does not end.'],
  ['externalId,clinicId\nx,c-1\ny,"c-1" Ada\n', 'line 3 has text after a quoted cell.'],
  [`externalId,clinicId\nx,c-1\ny,"${'Ada'.repeat(400_000)}`, 'line 3 is too long, or begins a quote'],
  [Buffer.from('externalId,clinicId,name\nx,c-1,Müller\n', 'latin1'), 'is not UTF-8. Save it as "CSV UTF-8"'],
])(
  'refuses a CSV file that cannot be read to its end, before a row is imported: %#',
  async (content, message) => {
    const before = await everything();
    const file = await folder.write('broken.csv', content);
    const { code, stderr } = await importInto(own, 'patient', file);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toContain(message);
    expect(stderr).not.toMatch(/Ada|Müller/);
    expect((await everything()).documents).toEqual(before.documents);
  },
);
