import { existsSync, readFileSync, statSync } from 'node:fs';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import {
  type Folder,
  openedDocuments,
  openFolder,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cli, emptyCli, keyCli, linesOf } from './cli.ts';

let service: WholeService;
let folder: Folder;
let key: Cli;
let clinicId: string;

beforeAll(async () => {
  folder = await openFolder();
  service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
  key = keyCli(folder, service);
  [clinicId] = service.practice.clinicIds;
});
afterAll(async () => {
  await service.close();
  await folder.close();
});

const namesIn = async (prefix: string): Promise<string[]> => {
  const found = await openedDocuments(service, 'patients');
  return found.flatMap(({ name }) => (name?.startsWith(prefix) ? [name] : [])).sort();
};
const create = (file: string) => ['patients', 'create', '--from', file];
const csvOf = (names: readonly string[]): string =>
  `clinic-id,name\r\n${names.map((name) => `${clinicId},${name}`).join('\r\n')}\r\n`;
const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${String(index).padStart(4, '0')}`);
/** Rows of a file that is sent in three batches. */
const ROWS = 1200;
const journalOf = (file: string): string => `${file}.chairside-journal`;
const createdIn = (file: string): number =>
  existsSync(journalOf(file)) ? readFileSync(journalOf(file), 'utf8').split('"created"').length - 1 : 0;

describe('create --from', () => {
  test('creates a record for each row of a CSV with a byte order mark, quotes and line breaks', async () => {
    const text = `\ufeffclinicId,name,phone\r\n${clinicId},"csv ""one"", and\nmore",\r\n${clinicId},csv two,+41 44\r\n`;
    const file = await folder.write('quoted.csv', text);
    const { code, stdout, stderr } = await key.run(create(file));
    expect({ code }).toEqual({ code: 0 });
    const created = { _id: expect.stringMatching(/^[0-9A-Z]{26}$/), result: 'created' };
    expect(linesOf({ stdout })).toEqual([
      { line: 2, ...created },
      { line: 4, ...created },
    ]);
    expect(stderr).toContain('2 of 2 rows are created, 0 refused, 0 left.');
    expect(await namesIn('csv')).toEqual(['csv "one", and\nmore', 'csv two']);
    expect(statSync(journalOf(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(journalOf(file), 'utf8')).not.toContain('csv two');
    // A second run of the same command creates nothing, and prints the same.
    expect(await key.run(create(file))).toMatchObject({ code: 0, stdout });
    expect(await namesIn('csv')).toHaveLength(2);
  });

  test('puts refused rows into a file, with the reasons, and creates the others', async () => {
    const rows = [
      { clinicId, name: 'some one' },
      { clinicId: 'none', name: 'some two' },
      { clinicId, name: 'some three' },
    ];
    const file = await folder.writeLines('some.ndjson', rows);
    const { code, stderr } = await key.run(create(file));
    expect(code).toBe(1);
    expect(stderr).toContain('2 of 3 rows are created, 1 refused, 0 left.');
    const refused = `${file}.refused.ndjson`;
    expect(statSync(refused).mode & 0o777).toBe(0o600);
    const issues = [{ path: 'clinicId', message: expect.any(String) }];
    expect(linesOf({ stdout: await readFile(refused, 'utf8') })).toMatchObject([
      { line: 2, issues, record: rows[1] },
    ]);
    expect(await namesIn('some')).toEqual(['some one', 'some three']);
  });

  test.each([
    ['unknown column', 'a.csv', 'clinicId,nme\nx,y\n', 'there is no field "nme"'],
    ['missing column', 'b.csv', 'name\nx\n', 'line 2 has no clinicId'],
    ['missing value', 'l.csv', 'clinicId,name\r\nx,"two\r\nlines"\r\n\r\n,y\r\n', 'line 5 has no clinicId'],
    ['open quote', 'c.csv', 'clinicId,name\nx,"y\n', 'line 2 begins a quote that does not end'],
    ['text after a quote', 'j.csv', 'clinicId,name\nx,"y"z\n', 'line 2 has text after a quoted cell'],
    ['quote in a cell', 'k.csv', 'clinicId,name\nx,y"z\n', 'line 2 has a quote in a cell without quotes'],
    ['another number of cells', 'd.csv', 'clinicId,name\nx\n', 'line 2 has more or fewer cells'],
    ['a column twice', 'm.csv', 'clinicId,clinic-id\nx,y\n', 'has the column clinicId twice'],
    ['not UTF-8', 'e.csv', Buffer.from('clinicId,name\nx,\xe4\n', 'latin1'), 'add --encoding windows-1252'],
    ['not JSON', 'f.ndjson', '{"clinicId":"x"}\n{\n', 'line 2 is not JSON'],
    ['no object', 'g.ndjson', '[]\n', 'line 1 is not a JSON object'],
    ['nothing', 'h.csv', 'clinicId,name\n', 'has no rows'],
    ['another name', 'i.txt', 'x', 'must end in .csv'],
  ])('refuses a file before anything is sent: %s', async (_what, name, content, message) => {
    const file = await folder.write(name, content);
    const { code, stderr } = await key.run(create(file));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync(journalOf(file))).toBe(false);
  });

  test('creates the rows of a file as a German Excel saves it', async () => {
    const text = `clinicId;name;phone\r\n${clinicId};Excel Müller;'+49 30 1\r\n${clinicId};Excel; \r\n`;
    const file = await folder.write('excel.csv', Buffer.from(text, 'latin1'));
    expect((await key.run(create(file))).stderr).toContain('is not UTF-8');
    const { code, stderr } = await key.run([...create(file), '--encoding', 'windows-1252']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('the cells are separated by semicolons');
    const found = (await openedDocuments(service, 'patients')).find(({ name }) => name === 'Excel Müller');
    expect(found?.phone).toBe('+49 30 1');
    const { code: usage } = await key.run([
      'patients',
      'create',
      '--clinic-id',
      clinicId,
      '--encoding',
      'utf-8',
    ]);
    expect(usage).toBe(2);
  });

  test('creates the refused rows of a CSV from their own file, once they are corrected', async () => {
    const file = await folder.write(
      'wrong.csv',
      `clinicId,name,phone\r\n${clinicId},wrong one,\r\nnone,"wrong, two",'+1\r\n${clinicId},,\r\n`,
    );
    const { code, stderr } = await key.run(create(file));
    expect(code).toBe(1);
    expect(stderr).toContain('1 of 3 rows have no name.');
    const refused = `${file}.refused.csv`;
    expect(stderr).toContain(`${refused}. Correct them there, and give that file to --from.`);
    expect(statSync(refused).mode & 0o777).toBe(0o600);
    const text = await readFile(refused, 'utf8');
    expect(text).toMatch(
      /^\ufeff_line,_reason,_requestId,clinicId,name,phone\r\n3,"?[^\r]+"?,[\w-]+,none,"wrong, two",'\+1\r\n$/,
    );
    await writeFile(refused, text.replace(',none,', `,${clinicId},`));
    expect((await key.run(create(refused))).code).toBe(0);
    expect(await namesIn('wrong')).toEqual(['wrong one', 'wrong, two']);
    const found = (await openedDocuments(service, 'patients')).find(({ name }) => name === 'wrong, two');
    expect(found?.phone).toBe('+1');
    // The file in JSON can be corrected as well.
    const lines = (await readFile(`${file}.refused.ndjson`, 'utf8')).replaceAll('"none"', `"${clinicId}"`);
    const corrected = await folder.write('corrected.ndjson', lines.replace('wrong, two', 'wrong three'));
    expect((await key.run(create(corrected))).code).toBe(0);
    expect(await namesIn('wrong')).toEqual(['wrong one', 'wrong three', 'wrong, two']);
  });

  test('records that were printed as CSV are created with the same values', async () => {
    const pieces = ["'", "''", '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', ' x ', 'é', '1'];
    const pick = () => pieces[Math.floor(Math.random() * pieces.length)] ?? '';
    const names = Array.from({ length: 60 }, (_, index) => {
      const text = Array.from({ length: Math.floor(Math.random() * 5) }, pick).join('');
      return `${text}round trip ${index}`;
    });
    const first = await folder.writeLines(
      'trip.ndjson',
      names.map((name) => ({ clinicId, name, language: 'round' })),
    );
    expect((await key.run(create(first))).code).toBe(0);
    const stored = async () => {
      const found = await openedDocuments(service, 'patients');
      return found.flatMap(({ name, language }) => (language === 'round' ? [name] : [])).sort();
    };
    const before = await stored();
    expect(before).toHaveLength(names.length);
    const list = [
      'patients',
      'list',
      '--clinic-id',
      clinicId,
      '-o',
      'csv',
      '--fields',
      'clinicId,name,language',
    ];
    const { stdout } = await key.run(list);
    await service.database.collection('patients').deleteMany({});
    expect((await key.run(create(await folder.write('trip.csv', stdout)))).code).toBe(0);
    expect(await stored()).toEqual(before);
  });

  test('creates every row exactly once if it is killed twice and run again', async () => {
    const names = numbered('killed', ROWS);
    const file = await folder.write('killed.csv', csvOf(names));
    // The first kill hits a batch that was sent, the second one the next batch.
    for (const stop of [() => existsSync(journalOf(file)), () => createdIn(file) > 0]) {
      const { child, ended } = key.start(create(file));
      await expect.poll(stop, { interval: 5 }).toBe(true);
      child.kill('SIGKILL');
      await ended;
    }
    expect(createdIn(file)).toBeLessThan(ROWS);
    const { code, stderr, stdout } = await key.run(create(file));
    expect({ code }).toEqual({ code: 0 });
    expect(stderr).toContain('continuing an earlier run');
    expect(await namesIn('killed')).toEqual(names);
    // The rows of all runs are printed, in the order of the file.
    const ids = await openedDocuments(service, 'patients');
    const byId = new Map(ids.map(({ _id, name }) => [_id, name]));
    expect(linesOf({ stdout }).map(({ _id }) => byId.get(_id))).toEqual(names);
  });

  test('Ctrl-C finishes the requests in flight, and the message explains how to continue', async () => {
    const names = numbered('stopped', ROWS);
    const file = await folder.write('stopped.csv', csvOf(names));
    const { child, ended } = key.start(create(file));
    await expect.poll(() => createdIn(file), { interval: 5 }).toBeGreaterThan(20);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Run the same command again');
    expect(await namesIn('stopped')).toHaveLength(createdIn(file));
    expect((await key.run(create(file))).code).toBe(0);
    expect(await namesIn('stopped')).toEqual(names);
  });

  test('refuses to continue with other options, with which the service does not recognize a row', async () => {
    const time = { startTime: '2031-01-31T09:30:00Z', endTime: '2031-01-31T10:00:00Z' };
    const file = await folder.writeLines('options.ndjson', [{ clinicId, ...time }]);
    const args = ['appointments', 'create', '--from', file];
    expect((await key.run(args)).code).toBe(0);
    // A run that was killed before it knew the result of the row.
    const lines = (await readFile(journalOf(file), 'utf8')).split('\n');
    await writeFile(journalOf(file), lines.filter((line) => !line.includes('"ended"')).join('\n'));
    const other = await key.run([...args, '--only-if-free']);
    expect(other.stderr).toContain('it used other options');
    expect(existsSync(`${file}.refused.ndjson`)).toBe(false);
    expect((await key.run(args)).stderr).toContain('1 of 1 rows are created');
  });

  test('refuses to continue with a changed file, other credentials, or rows that are uncertain', async () => {
    const file = await folder.write('half.csv', csvOf(numbered('half', 3)));
    expect((await key.run(create(file))).code).toBe(0);
    const other = emptyCli(folder, {
      CHAIRSIDE_URL: service.address,
      CHAIRSIDE_TOKEN: service.practice.staff.token,
    });
    const byOther = await other.run(create(file));
    expect(byOther.code).toBe(1);
    expect(byOther.stderr).toContain('it used other credentials');
    await appendFile(file, `${clinicId},half more\r\n`);
    expect((await key.run(create(file))).stderr).toContain('the file has changed');

    const old = await folder.write('old.csv', csvOf(numbered('old', 3)));
    expect((await key.run(create(old))).code).toBe(0);
    const [head = '', sent = ''] = (await readFile(journalOf(old), 'utf8')).split('\n');
    const time = new Date(Date.now() - 24 * 3_600_000).toISOString();
    await writeFile(
      journalOf(old),
      `${head}\n${sent.replace(/"sentTime":"[^"]*"/, `"sentTime":"${time}"`)}\n`,
    );
    const uncertain = await key.run(create(old));
    expect(uncertain.code).toBe(1);
    expect(uncertain.stderr).toContain('rows from line 2 on, 500 at most, were sent more than 23 hours ago');
    expect(await namesIn('old')).toHaveLength(3);
  });
});

describe('update --from and upsert --from', () => {
  const rowsIn = (stdout: string) =>
    linesOf({ stdout }).map(({ line, externalId, result }) => [line, externalId, result]);
  const foundBy = async (externalId: string): Promise<any> => {
    const { stdout } = await key.run(['patients', 'list', '--external-id', externalId]);
    return linesOf({ stdout })[0];
  };

  test('upserts patients by external id, then appointments of these, and prints what became of each row', async () => {
    const people = (phone: string) =>
      `externalId,clinicId,name,phone\r\nup:1,${clinicId},up one,${phone}\r\nup:2,${clinicId},up two,\r\n`;
    const upsert = async (name: string, phone: string) =>
      key.run(['patients', 'upsert', '--from', await folder.write(name, people(phone))]);
    const first = await upsert('up-1.csv', '+41 1');
    expect(first.stderr).toContain('2 of 2 rows are upserted, 0 refused, 0 left.');
    expect(rowsIn(first.stdout)).toEqual([
      [2, 'up:1', 'created'],
      [3, 'up:2', 'created'],
    ]);
    const again = await upsert('up-2.csv', '+41 2');
    expect(again.stderr).toContain('0 created, 1 changed, 1 unchanged.');
    expect(rowsIn(again.stdout)).toEqual([
      [2, 'up:1', 'changed'],
      [3, 'up:2', 'unchanged'],
    ]);
    expect(linesOf(again).map(({ _id }) => _id)).toEqual(linesOf(first).map(({ _id }) => _id));
    expect(await foundBy('up:1')).toMatchObject({ name: 'up one', phone: '+41 2' });

    const visits = [{ externalId: 'visit:1', clinicId, patientExternalId: 'up:2' }];
    const file = await folder.writeLines('visits.ndjson', visits);
    const { stdout } = await key.run(['appointments', 'upsert', '--from', file, '--output', 'csv']);
    expect(stdout).toMatch(/^line,externalId,_id,result\r\n1,visit:1,[0-9A-Z]{26},created\r\n$/);
    const journal = await readFile(journalOf(file), 'utf8');
    expect(journal).not.toMatch(/visit:|up:/);
  });

  test('updates patients by id or external id, and puts rows without a record into the file of refused rows', async () => {
    const created = await folder.writeLines('before.ndjson', [
      { clinicId, name: 'before one', externalId: 'before:1' },
      { clinicId, name: 'before two' },
    ]);
    const [, two] = linesOf(await key.run(create(created)));
    const file = await folder.writeLines('after.ndjson', [
      { externalId: 'before:1', phone: '+41 3' },
      { _id: two._id, externalId: 'before:2', name: null },
      { externalId: 'before:3', phone: '+41 4' },
    ]);
    const { code, stdout, stderr } = await key.run(['patients', 'update', '--from', file]);
    expect({ code }).toEqual({ code: 1 });
    expect(stderr).toContain('2 of 3 rows are updated, 1 refused, 0 left.');
    expect(rowsIn(stdout)).toEqual([
      [1, 'before:1', 'changed'],
      [2, 'before:2', 'changed'],
      [3, 'before:3', 'refused'],
    ]);
    expect(await foundBy('before:1')).toMatchObject({ phone: '+41 3' });
    const second = await foundBy('before:2');
    expect(second).toEqual(expect.objectContaining({ _id: two._id }));
    expect(second).not.toHaveProperty('name');
    expect(linesOf({ stdout: await readFile(`${file}.refused.ndjson`, 'utf8') })).toMatchObject([
      { line: 3, record: { externalId: 'before:3' } },
    ]);
  });

  test.each([
    ['an update without a name', 'update', 'name,phone\nAda,\n', 'line 2 has no _id or externalId.'],
    ['an upsert without an external id', 'upsert', 'name\nAda\n', 'line 2 has no externalId.'],
    ['an upsert with an id', 'upsert', '_id,name\nx,Ada\n', 'there is no field "_id"'],
  ])('refuses %s before anything is sent', async (_, verb, content, message) => {
    const file = await folder.write(`${verb}-wrong.csv`, content);
    const { code, stderr } = await key.run(['patients', verb, '--from', file]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('refuses an id or --only-if-free beside a file, and neither of both', async () => {
    const file = await folder.writeLines('both.ndjson', [{ externalId: 'x', clinicId }]);
    for (const args of [
      ['update', 'id', '--from', file],
      ['update', '--from', file, '--only-if-free'],
      ['upsert'],
    ]) {
      const { code, stderr } = await key.run(['appointments', ...args]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^Give /) });
    }
  });

  test('with --dry-run checks the file, and sends nothing', async () => {
    const file = await folder.writeLines('dry.ndjson', [{ clinicId, name: 'dry one' }]);
    const { code, stdout, stderr } = await key.run([...create(file), '--dry-run']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('dry.ndjson: 1 row can be sent. Nothing was sent.');
    expect(existsSync(journalOf(file))).toBe(false);
    expect(await namesIn('dry')).toEqual([]);
    expect((await key.run(['patients', 'list', '--dry-run'])).code).toBe(2);
    const wrong = await folder.writeLines('dry-wrong.ndjson', [{ name: 'dry two' }]);
    expect((await key.run([...create(wrong), '--dry-run'])).stderr).toContain('line 1 has no clinicId');
  });
});
