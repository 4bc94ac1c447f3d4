import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLAGS } from '../flags/flag-table.ts';
import { checkFile, openInputFile, rowsOf } from './rows.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

const flags = FLAGS.createPatient ?? [];
const read = async (content: string | Buffer, name = 'file.csv') => {
  const path = join(folder, name);
  await writeFile(path, content);
  const { file } = await openInputFile(path);
  const { layout } = await checkFile(file, { flags, needed: [['clinicId']] });
  const rows = await Array.fromAsync(rowsOf(file, flags));
  return { ...layout, rows: rows.map(({ line, body }) => ({ line, ...body })) };
};
const ADA = { line: 2, clinicId: 'c', name: 'Ada', email: 'ada@example.com' };

test.each<[what: string, content: string, expected: object]>([
  ['an empty last column', 'clinicId;name;email;\r\nc;Ada;ada@example.com;\r\n', { emptyColumns: 1 }],
  ['several empty columns', 'clinicId;;name;email;;\r\nc;;Ada;ada@example.com;;\r\n', { emptyColumns: 3 }],
  [
    'an empty column in quotes',
    '"clinicId";"name";"email";""\r\nc;Ada;ada@example.com;""\r\n',
    { emptyColumns: 1 },
  ],
  ['a blank column', 'clinicId;name;email; \r\nc;Ada;ada@example.com; \r\n', { emptyColumns: 1 }],
  ['separators only at the end of its rows', 'clinicId;name;email\r\nc;Ada;ada@example.com;;\r\n', {}],
  [
    'separators only at the end of its names',
    'clinicId;name;email;;\r\nc;Ada;ada@example.com\r\n',
    { emptyColumns: 2 },
  ],
  ['empty rows at its end', 'clinicId;name;email\r\nc;Ada;ada@example.com\r\n;;\r\n;;\r\n', { emptyRows: 2 }],
  [
    'rows of blanks and quotes at its end',
    'clinicId;name;email\r\nc;Ada;ada@example.com\r\n ;"";\r\n',
    { emptyRows: 1 },
  ],
  [
    'tabs and an empty column',
    'clinicId\tname\temail\t\r\nc\tAda\tada@example.com\t\r\n',
    { separator: '\t', emptyColumns: 1 },
  ],
  [
    'commas and an empty column',
    'clinicId,name,email,\nc,Ada,ada@example.com,\n,,,\n',
    { separator: ',', emptyColumns: 1, emptyRows: 1 },
  ],
])('reads a file with %s', async (_what, content, expected) => {
  expect(await read(content)).toEqual({
    separator: ';',
    emptyColumns: 0,
    emptyRows: 0,
    ...expected,
    rows: [ADA],
  });
});

test.each([
  ['sep=;', 'sep=;\r\n'],
  ['a byte order mark and sep=;', '\ufeffsep=;\r\n'],
  ['sep=; and a byte order mark', 'sep=;\r\n\ufeff'],
  ['sep=; in quotes', '"sep=;"\r\n'],
  ['SEP=; in capitals', 'SEP=;\r\n'],
  ['a sep= that is wrong', 'sep=,\r\n'],
  ['an empty row', ';;\r\n'],
])('reads a file that begins with %s', async (_what, begin) => {
  const { separator, rows } = await read(`${begin}clinicId;name;email\r\nc;Ada;ada@example.com\r\n`);
  expect({ separator, rows }).toEqual({ separator: ';', rows: [{ ...ADA, line: 3 }] });
});

test('reads the separator of sep= even if it is an unusual one', async () => {
  expect(await read('sep=|\nclinicId|name|email\nc|Ada|ada@example.com\n')).toMatchObject({
    separator: '|',
    rows: [{ ...ADA, line: 3 }],
  });
});

test.each([
  ['clinicId;name;nme;\r\nc;Ada;x;\r\n', 'there is no field "nme".'],
  ['Vorname;name;clinicId\r\nx;Ada;c\r\n', 'there is no field "Vorname".'],
  ['Vorname;Nachname;E-Mail\r\nx;Ada;c\r\n', 'there is no field "Vorname".'],
  ['clinicId\tname\tFax\nc\tAda\tx\n', 'there is no field "Fax".'],
  ['clinicId,Geburtstag,name\nc,x,Ada\n', 'there is no field "Geburtstag".'],
  ['sep=;\nclinicId;Fax\nc;x\n', 'there is no field "Fax".'],
])('names one unknown column alone: %j', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

test.each([
  ['clinicId;name;\r\nc;Ada;lost\r\n', 'line 2 has a value in column 3, which has no name'],
  ['clinicId;name\r\nc;Ada;;lost\r\n', 'line 2 has more or fewer cells'],
  ['clinicId;name;email\r\nc;Ada\r\n', 'line 2 has more or fewer cells'],
  ['clinicId;name\r\n;;\r\n;;\r\n', 'has no rows'],
])('loses no value of a file: %j', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

test('leaves out a field whose value is empty or blank', async () => {
  expect((await read('clinicId,name,email,phone\nc,Ada,"", \n')).rows).toEqual([
    { line: 2, clinicId: 'c', name: 'Ada' },
  ]);
  expect((await read('{"clinicId":"c","name":"Ada","email":"","phone":null}\n', 'a.ndjson')).rows).toEqual([
    { line: 1, clinicId: 'c', name: 'Ada', phone: null },
  ]);
});

const utf16 = Buffer.from('clinicId\tname\r\nc\tAda\r\n', 'utf16le');
test.each([
  ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ['UTF-16', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()])],
  ['UTF-16', utf16],
  ['UTF-16', Buffer.from(utf16).swap16()],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x63, 0, 0, 0])],
  ['UTF-32', Buffer.from([0, 0, 0, 0x63, 0, 0, 0, 0x6c])],
])('names the encoding %s, and does not advise windows-1252', async (encoding, content) => {
  await expect(read(content)).rejects.toThrow(
    new RegExp(`is ${encoding}, as Excel saves "Unicode Text"\\. Save it as "CSV UTF-8"`),
  );
  await expect(read(content, 'a.ndjson')).rejects.toThrow(`is ${encoding}`);
});

test('a byte order mark is stronger than the named encoding', async () => {
  const path = join(folder, 'mark.csv');
  await writeFile(path, '\ufeffclinicId,name\nc,Müller\n');
  const { file } = await openInputFile(path, 'windows-1252');
  const [row] = await Array.fromAsync(rowsOf(file, flags));
  expect(row?.body).toEqual({ clinicId: 'c', name: 'Müller' });
});
