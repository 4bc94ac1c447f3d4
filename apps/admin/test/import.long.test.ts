import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  collectionsWith,
  createPractice,
  environmentOf,
  type Folder,
  nodeArgumentsOf,
  openedDocuments,
  openFolder,
  openTestStore,
  type Practice,
  sealedDocument,
  type TestStore,
} from '@chairside/test-support';
import { spawnOptions } from '@chairside/test-support/app';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf } from './admin.ts';

let testStore: TestStore;
let first: Practice;
let second: Practice;
let folder: Folder;
let cli: ReturnType<typeof adminOf>;

const clinics = [
  { externalId: 'c-1', name: 'North', currency: 'EUR', timezone: 'Europe/Berlin' },
  { externalId: 'c-2', name: 'South' },
];
const patients = [
  { externalId: 'p-1', clinicId: 'c-1', name: 'Ada', email: 'Ada@Example.com' },
  { externalId: 'p-2', clinicId: 'c-2', name: 'Bo', phone: null },
];
const invoice = {
  externalId: 'i-1',
  clinicId: 'c-1',
  patientId: 'p-1',
  number: 7,
  total: 120.5,
  currency: 'EUR',
  status: 'OPEN',
  creationTime: '2026-01-01T10:00:00+01:00',
};
const payment = {
  externalId: 'y-1',
  clinicId: 'c-1',
  patientId: 'p-1',
  invoiceId: 'i-1',
  amount: 120.5,
  currency: 'EUR',
  method: 'CARD',
  status: 'PENDING',
  creationTime: '2026-01-02T10:00:00Z',
};

const importInto = (practice: Practice, kind: string, file: string, events = 'none') =>
  cli.run(['import', kind, file, '--organization', practice.organizationId, '--events', events]);

const importLines = async (practice: Practice, kind: string, lines: readonly object[], events?: string) =>
  importInto(practice, kind, await folder.writeLines(`${kind}.ndjson`, lines), events);

/** The stored records of an organization, with what is sealed in them as text, in the order of their external ids. */
const stored = async (collection: string, organizationId: string) =>
  (await openedDocuments(testStore, collection, { organizationId })).sort((one, other) =>
    String(one.externalId) < String(other.externalId) ? -1 : 1,
  );

/** The stored patients of an organization with this external id. */
const openedPatients = async (organizationId: string, id: string) =>
  (await stored('patients', organizationId)).filter(({ externalId }) => externalId === id);

const eventsIn = async (collection: string, organizationId: string): Promise<string[]> =>
  (await stored(collection, organizationId)).flatMap(({ outbox = [] }) =>
    outbox.map(({ event }: { event: string }) => event),
  );

beforeAll(async () => {
  testStore = await openTestStore();
  first = await createPractice(testStore.store);
  second = await createPractice(testStore.store);
  folder = await openFolder();
  cli = adminOf(testStore);
});
afterAll(async () => {
  await folder.close();
  await testStore.close();
});

test('imports two practices with the same ids: resolves references, keeps records apart, and sends no event for a first load', async () => {
  for (const practice of [first, second]) {
    expect((await importLines(practice, 'clinic', clinics)).json).toMatchObject({ created: 2, refused: 0 });
    expect((await importLines(practice, 'patient', patients)).json).toMatchObject({ created: 2 });
    expect((await importLines(practice, 'invoice', [invoice])).json).toMatchObject({ created: 1 });
    expect((await importLines(practice, 'payment', [payment])).json).toMatchObject({ created: 1 });
  }
  const [one, other] = [
    await stored('payments', first.organizationId),
    await stored('payments', second.organizationId),
  ];
  expect(one[0]?._id).not.toBe(other[0]?._id);
  const [itsInvoice] = await stored('invoices', first.organizationId);
  expect(one[0]).toMatchObject({ externalId: 'y-1', invoiceId: itsInvoice?._id });
  const found = await first.store.payments.find(String(one[0]?._id));
  expect(found?.record).toMatchObject({ amount: 120.5, creationTime: '2026-01-02T10:00:00.000Z' });
  for (const collection of ['patients', 'invoices', 'payments'])
    expect(await eventsIn(collection, first.organizationId)).toEqual([]);
  const [ada] = await openedPatients(first.organizationId, 'p-1');
  expect(ada).toMatchObject({ name: 'Ada', email: 'Ada@Example.com' });
  expect(await collectionsWith(testStore, 'Ada@Example.com', 'ada@example.com')).toEqual([]);
});

test('an unchanged line writes and sends nothing, even if the record was edited here', async () => {
  const before = await stored('patients', first.organizationId);
  expect((await importLines(first, 'patient', patients, 'changes')).json).toMatchObject({
    created: 0,
    updated: 0,
    unchanged: 2,
  });
  expect(await stored('patients', first.organizationId)).toEqual(before);
  const [patient] = await openedPatients(first.organizationId, 'p-2');
  const _id = String(patient?._id);
  const cipher = await testStore.store.ciphers.of(first.organizationId);
  const { sealed } = sealedDocument('patients', { ...patient, _id, name: 'Edited' }, cipher);
  await testStore.database.collection('patients').updateOne({ _id }, { $set: { sealed } });
  expect((await importLines(first, 'patient', patients, 'changes')).json).toMatchObject({ unchanged: 2 });
  expect((await first.store.patients.find(_id))?.record).toMatchObject({ name: 'Edited' });
});

test('a changed line replaces the whole record, and its event contains what GET returns', async () => {
  const changed = [{ externalId: 'p-1', clinicId: 'c-2', name: 'Ada L.' }];
  expect((await importLines(first, 'patient', changed, 'changes')).json).toMatchObject({ updated: 1 });
  const [document] = await openedPatients(first.organizationId, 'p-1');
  expect(document).toMatchObject({ name: 'Ada L.' });
  for (const field of ['email', 'emailToken', 'emailLowerCase']) expect(document).not.toHaveProperty(field);
  const [event] = document?.outbox ?? [];
  const { record } = (await first.store.patients.find(String(document?._id))) as { record: object };
  expect(JSON.parse(event.body)).toMatchObject({ id: event._id, event: 'patient.updated', data: record });
  expect(event).toMatchObject({ principal: { kind: 'system', id: 'admin' } });
  expect(event.clinicIds).toHaveLength(2);
  expect(document?.outboxAt).toEqual(event.time);
});

test('names the events of invoices and payments after the change', async () => {
  const steps = async (kind: string, line: object, statuses: readonly string[]) => {
    for (const status of statuses) await importLines(second, kind, [{ ...line, status }], 'changes');
    return eventsIn(`${kind}s`, second.organizationId);
  };
  expect(await steps('invoice', invoice, ['OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID', 'VOID'])).toEqual([
    'invoice.updated',
    'invoice.paid',
    'invoice.voided',
  ]);
  expect(await steps('payment', payment, ['COMPLETED', 'REFUNDED'])).toEqual([
    'payment.updated',
    'payment.refunded',
  ]);
  await importLines(second, 'invoice', [{ ...invoice, externalId: 'i-2', status: 'PAID' }], 'changes');
  expect(await eventsIn('invoices', second.organizationId)).toContain('invoice.created');
});

test('procedures without an id keep their generated id; a treatment and an appointment refer to each other', async () => {
  const appointment = {
    externalId: 'a-1',
    clinicId: 'c-1',
    patientId: 'p-1',
    startTime: '2026-03-01T09:00:00Z',
    endTime: '2026-03-01T09:30:00Z',
    procedures: [{ procedureId: 'x', price: '10.00' }, { procedureId: 'y' }],
    reminders: [{ channel: 'email' }],
  };
  expect((await importLines(second, 'appointment', [appointment])).json).toMatchObject({ created: 1 });
  expect((await importLines(second, 'appointment', [appointment])).json).toMatchObject({ unchanged: 1 });
  const [document] = await stored('appointments', second.organizationId);
  expect(document).toMatchObject({ status: 'SCHEDULED' });
  expect(new Set(document?.procedures.map(({ _id }: { _id: string }) => _id)).size).toBe(2);
  const treatment = {
    externalId: 't-1',
    clinicId: 'c-1',
    patientId: 'p-1',
    appointmentId: 'a-1',
    procedureId: 'x',
    name: 'Filling',
    teeth: ['11'],
    surfaces: ['M'],
    status: 'PLANNED',
    price: 12,
    currency: 'EUR',
    creationTime: '2026-03-01T09:00:00Z',
  };
  expect((await importLines(second, 'treatment', [treatment])).json).toMatchObject({ created: 1 });
  expect((await stored('treatments', second.organizationId))[0]).toMatchObject({
    appointmentId: document?._id,
  });
});

test('a first load leaves audit entries with the ids of its records', async () => {
  const [one] = await stored('patients', second.organizationId);
  const entries = await stored('auditEntries', second.organizationId);
  expect(entries.filter(({ action }) => action === 'imported').flatMap(({ ids }) => ids)).toContain(one?._id);
});

test('refuses malicious lines by number and reason, and quotes nothing from them', async () => {
  const lines: (string | Buffer)[] = [
    '{"externalId":"ok-1","clinicId":"c-1","name":"Canary"}\r',
    '{"externalId":"h-2","clinicId":"c-1","name":"Canary"',
    '{"externalId":"h-3","clinicId":"c-1","name":"Canary\\u0000"}',
    '{"externalId":"h-4","clinicId":"c-1","name":"Canary\\ud800"}',
    '{"externalId":"h-5","clinicId":"c-1","name":1152921504606846976}',
    '{"externalId":"h-6","clinicId":"c-1","__proto__":{"name":"Canary"}}',
    `{"externalId":"h-7","clinicId":"c-1","name":"${'Canary'.repeat(350_000)}"}`,
    '',
    '["Canary"]',
    Buffer.from([0x7b, 0xff, 0x7d]),
    '{"externalId":"h-11","clinicId":"nowhere","name":"Canary"}',
    '{"externalId":"h-12","clinicId":"c-1","Canary of a patient":1}',
    '{"externalId":"ok-13","clinicId":"c-1","name":"Canary"}',
  ];
  const content = Buffer.concat([
    Buffer.from([0xef, 0xbb, 0xbf]),
    ...lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]),
  ]);
  const file = await folder.write('hostile.ndjson', content);
  const { code, json, stdout, stderr } = await importInto(first, 'patient', file);
  expect({ code, ...json }).toMatchObject({ code: 1, created: 2, refused: 10, complete: true });
  const report = await readFile(json.report, 'utf8');
  expect(
    report
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).line),
  ).toEqual([2, 3, 4, 5, 6, 7, 9, 10, 11, 12]);
  expect(report + stdout + stderr).not.toContain('Canary');
  expect(report).toMatch(/"line":3,"reason":"name must not contain a NUL character"/);
  expect(report).toMatch(/"line":11,"reason":"clinicId does not name a clinic of this organization/);
});

test('refuses an amount beyond the precision of a double, and accepts an empty file', async () => {
  const big = { ...invoice, externalId: 'i-big', total: 2 ** 60 };
  const { json } = await importLines(first, 'invoice', [big, { ...big, total: 1, number: 2 ** 60 }]);
  expect(json).toMatchObject({ created: 0, refused: 2 });
  const empty = await importInto(first, 'patient', await folder.write('empty.ndjson', ''));
  expect({ code: empty.code, ...empty.json }).toMatchObject({ code: 0, lines: 0, complete: true });
});

test('refuses a file in another encoding, as a whole or line by line', async () => {
  const before = (await stored('patients', first.organizationId)).length;
  const line = JSON.stringify({ externalId: 'umlaut', clinicId: 'c-1', name: 'Müller' });
  const utf16 = await folder.write('utf16.ndjson', Buffer.from(`\ufeff${line}\n`, 'utf16le'));
  const whole = await importInto(first, 'patient', utf16);
  expect(whole.code).toBe(2);
  const { message } = JSON.parse(whole.stderr).error;
  expect(message).toContain(
    `${utf16} is UTF-16, from line 1 on. Convert it to UTF-8, for example with: iconv`,
  );

  const latin1 = await folder.write('latin1.ndjson', Buffer.from(`\n${line}\n`, 'latin1'));
  const { code, json } = await importInto(first, 'patient', latin1);
  expect({ code, ...json }).toMatchObject({ code: 1, created: 0, refused: 1 });
  expect(JSON.parse(await readFile(json.report, 'utf8'))).toEqual({
    line: 2,
    reason: 'is not UTF-8: convert the file to UTF-8',
  });
  expect(await stored('patients', first.organizationId)).toHaveLength(before);

  const marked = await folder.write('marked.ndjson', `\ufeff${line}\n`);
  expect((await importInto(first, 'patient', marked)).json).toMatchObject({ created: 1, refused: 0 });
  const [umlaut] = await openedPatients(first.organizationId, 'umlaut');
  expect(umlaut?.name).toBe('Müller');
});

test.each([
  ['UTF-16 without a mark', 'UTF-16', (line: string) => Buffer.from(line, 'utf16le')],
  ['UTF-16 of the other order', 'UTF-16', (line: string) => Buffer.from(line, 'utf16le').swap16()],
])('refuses a file in %s as a whole', async (_name, encoding, encode) => {
  const file = await folder.write('wide.ndjson', encode('{"externalId":"x"}\n'));
  const { code, stderr } = await importInto(first, 'patient', file);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error.message).toContain(`${file} is ${encoding}, from line 1 on.`);
});

/** Runs an import in the folder of the test. */
const importStream = (args: readonly string[], stdin: string, isRead = true) => {
  const child = spawn(
    process.execPath,
    [...nodeArgumentsOf('admin'), 'import', ...args, '--organization', first.organizationId, '--json'],
    { ...spawnOptions(environmentOf(testStore)), cwd: folder.path },
  );
  if (!isRead) child.stderr.destroy();
  child.stdin.end(stdin);
  return Promise.all([text(child.stdout), once(child, 'exit')]).then(([stdout, [code]]) => ({
    code,
    ...JSON.parse(stdout),
  }));
};

test.each(['-', '/dev/stdin'])('imports from %s, and leaves only the report beside it', async (name) => {
  const line = JSON.stringify({ externalId: `stream ${name}`, clinicId: 'c-1', name: 'Ada', email: '' });
  const result = await importStream(['patient', name], `${line}\nno JSON\n`);
  expect(result).toMatchObject({ code: 1, complete: true, created: 1, refused: 1 });
  expect(result.report).toMatch(/stdin-[0-9a-f]{16}\.ndjson\..*\.patient\.refused\.ndjson$/);
  expect((await readdir(folder.path)).filter((each) => each.startsWith('stdin-'))).toHaveLength(1);
  await rm(result.report);
});

test('an import whose messages have no reader runs to its end', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) =>
    JSON.stringify({ externalId: `unread-${index}`, clinicId: 'c-1', name: `Patient ${index}` }),
  ).join('\n');
  // The state of a run that was stopped, so that this run says where it continues.
  const file = await folder.write('unread.ndjson', lines);
  const { child, ended } = cli.start(['import', 'patient', file, '--organization', first.organizationId]);
  const watcher = watch(folder.path, (_event, name) => {
    if (name?.startsWith('unread') && name.endsWith('.progress.json')) child.kill('SIGINT');
  });
  await ended;
  watcher.close();
  expect(await importStream(['patient', file], '', false)).toMatchObject({
    code: 0,
    complete: true,
    lines: 3000,
  });
});

test('the later of two lines with the same id wins, and each sends its event', async () => {
  const line = { externalId: 'twice', clinicId: 'c-1' };
  const lines = [
    { ...line, name: 'One' },
    { ...line, name: 'Two' },
  ];
  expect((await importLines(second, 'patient', lines, 'changes')).json).toMatchObject({
    created: 1,
    updated: 1,
  });
  const [document] = await openedPatients(second.organizationId, 'twice');
  expect(document).toMatchObject({
    name: 'Two',
    outbox: [{ event: 'patient.created' }, { event: 'patient.updated' }],
  });
});

test.each([
  ['SIGKILL', 'ndjson'],
  ['SIGINT', 'ndjson'],
  ['SIGINT', 'csv'],
] as const)('continues an import that %s stopped, without duplicates, from %s', async (signal, format) => {
  const count = 8000;
  const begin = `${signal}-${format}-`;
  const patients = Array.from({ length: count }, (_, index) => ({
    externalId: `${begin}${index}`,
    clinicId: 'c-1',
    name: `Patient ${index}`,
  }));
  // One row is refused.
  const rows = {
    ndjson: ['no JSON', ...patients.map((patient) => JSON.stringify(patient))],
    csv: [
      Object.keys(patients[0] as object).join(),
      'x',
      ...patients.map((each) => Object.values(each).join()),
    ],
  }[format];
  const file = await folder.write(`${begin}file.${format}`, `${rows.join('\n')}\n`);
  const args = ['import', 'patient', file, '--organization', first.organizationId, '--events', 'changes'];

  // The state is stored after each group. When it appears for the second time, most lines are not imported yet.
  let steps = 0;
  const { child, ended } = cli.start(args);
  const watcher = watch(folder.path, (_event, name) => {
    if (name?.startsWith(begin) && name.endsWith('.progress.json') && ++steps === 2) child.kill(signal);
  });
  const stopped = await ended;
  watcher.close();
  expect(stopped.code).toBe(signal === 'SIGKILL' ? null : 1);

  const rest = await cli.run(args);
  expect(rest.stderr).toMatch(/Continuing after line \d+/);
  expect(rest.json).toMatchObject({ complete: true, lines: rows.length, refused: 1 });
  expect(rest.json.linesPerSecond).toBeGreaterThan(0);
  const documents = (await stored('patients', first.organizationId)).filter(({ externalId }) =>
    externalId?.startsWith(begin),
  );
  expect(documents).toHaveLength(count);
  expect(documents.every(({ revision, outbox }) => revision === 1 && outbox.length === 1)).toBe(true);
  expect((await readFile(rest.json.report, 'utf8')).trim().split('\n')).toHaveLength(1);
});

test('an export that Ctrl-C ends leaves no file with patients', async () => {
  const file = join(folder.path, 'interrupted.ndjson');
  const args = ['export', 'patient', '--organization', first.organizationId, '--output', file];
  const { child, ended } = cli.start(args);
  const watcher = watch(folder.path, (_event, name) => {
    if (name?.startsWith('interrupted')) child.kill('SIGINT');
    watcher.close();
  });
  const { code, stderr } = await ended;
  expect((await readdir(folder.path)).filter((name) => name.startsWith('interrupted'))).toEqual([]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Interrupted.') });
});

/** Runs a command with a limit for the size of a file, of four blocks of 1,024 bytes, as on a full disk. */
const runLimited = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const { cwd, env } = spawnOptions(environmentOf(testStore));
    const command = [process.execPath, ...nodeArgumentsOf('admin'), ...args];
    execFile(
      'bash',
      ['-c', 'ulimit -f 4; exec "$@"', 'bash', ...command],
      { cwd, env },
      (_error, _out, err) => resolve(err),
    );
  });

test('a full disk for the report of refused lines ends the import, and the next run reports each once', async () => {
  const file = await folder.write('full.ndjson', 'no JSON\n'.repeat(1200));
  const args = ['import', 'patient', file, '--organization', first.organizationId];
  expect(await runLimited(args)).toMatch(/^EFBIG\. .*run the same command again/m);
  const { json } = await cli.run(args);
  expect(json).toMatchObject({ complete: true, refused: 1200 });
  const lines = (await readFile(json.report, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(lines.map((_line, index) => index + 1));
  expect(lines).toHaveLength(1200);
});

test('an import continues if its report of refused lines was taken away', async () => {
  const file = await folder.write('taken.ndjson', 'no JSON\n'.repeat(1200));
  const args = ['import', 'patient', file, '--organization', first.organizationId];
  const { child, ended } = cli.start(args);
  const watcher = watch(folder.path, (_event, name) => {
    if (name?.startsWith('taken') && name.endsWith('.progress.json')) child.kill('SIGKILL');
  });
  await ended;
  watcher.close();
  await rm(`${file}.${first.organizationId}.patient.refused.ndjson`);
  const { json } = await cli.run(args);
  expect(json).toMatchObject({ complete: true, refused: 1200 });
  expect(JSON.parse((await readFile(json.report, 'utf8')).split('\n').at(-2) ?? '').line).toBe(1200);
});
