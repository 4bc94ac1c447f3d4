import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Folder,
  openFolder,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMATS } from '../src/output/rows.ts';
import { administratorCli, type Cli, emptyCli, keyCli } from './cli.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const ESCAPE = '\u001b';
const ENTER = '\r';
const CTRL_C = '\u0003';
/** Bold, colors and the like: ESC [ … m. */
const STYLE = new RegExp(`${ESCAPE}\\[[\\d;]*m`);

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

/** Waits for the end of a command that must succeed. */
const done = async ({ ended, text }: Terminal): Promise<void> => {
  const code = await ended;
  expect({ code, text: text() }).toMatchObject({ code: 0 });
};
const createPatient = async (fields: object): Promise<string> => {
  const { status, json } = await service.call('POST', '/api/patients', { clinicId, ...fields });
  expect(status).toBe(200);
  return json._id;
};
const statusOf = async (id: string): Promise<number> =>
  (await service.call('GET', `/api/patients/${id}`)).status;

describe('a table', () => {
  test('fits the terminal, and shows control characters escaped', async () => {
    await createPatient({ name: 'n'.repeat(500), email: `${'e'.repeat(60)}@example.com` });
    await createPatient({ name: 'plain', phone: '+41' });
    await createPatient({ name: '\u001b[31mred\u001b]0;title\u0007\u009b2J\r\u202e' });
    const list = openTerminal(key, ['patients', 'list', '--fields', 'name,email,phone']);
    await done(list);
    const rows = list.text().split('\r\n');
    expect(rows[0]).toMatch(/^name +email +phone/);
    expect(rows).toHaveLength(5);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    expect(list.text()).toContain('\\u001b[31mred\\u001b]0;title\\u0007');
    // The only sequences are those of the bold header.
    const withoutBold = list.raw().replaceAll(`${ESCAPE}[1m`, '').replaceAll(`${ESCAPE}[22m`, '');
    for (const character of [ESCAPE, '\u0007', '\u009b', '\u202e'])
      expect(withoutBold).not.toContain(character);
    expect(list.raw().replaceAll('\r\n', '')).not.toContain('\r');

    let json = '';
    for (const format of FORMATS.filter((each) => each !== 'table')) {
      const printed = openTerminal(key, ['patients', 'list', '--fields', 'name', '--output', format]);
      await done(printed);
      for (const character of [ESCAPE, '\u0007', '\u009b', '\u202e'])
        expect(printed.raw(), format).not.toContain(character);
      if (format === 'json') json = printed.text();
    }
    const names = JSON.parse(json).map(({ name }: { name: string }) => name);
    expect(names).toContain('\u001b[31mred\u001b]0;title\u0007\u009b2J\r\u202e');
  });

  test('names the columns that do not fit', async () => {
    const list = openTerminal(key, ['patients', 'list', '--fields', '_id,name,clinicId,lastEditTime']);
    await done(list);
    expect(list.text()).toContain(
      'Columns that do not fit: lastEditTime. Widen the terminal, or choose columns with --fields.',
    );
  });

  test('is wide enough for characters that take two columns', async () => {
    await createPatient({ name: '王小明 👩‍⚕️ Zoë', email: 'wide@example.com' });
    const list = openTerminal(key, ['patients', 'list', '--email', 'wide@example.com', '--fields', 'name']);
    await done(list);
    expect(list.text()).toContain('王小明');
    expect(list.text()).toContain('Zoë');
    expect(list.text()).not.toContain('…');
  });

  test('shows one record with a field in each line, escaped too', async () => {
    const id = await createPatient({ name: `${ESCAPE}[2Jgone` });
    const get = openTerminal(key, ['patients', 'get', id]);
    await done(get);
    expect(get.raw()).toMatch(STYLE);
    expect(get.raw()).not.toContain(`${ESCAPE}[2J`);
    expect(get.text()).toMatch(/name +\\u001b\[2Jgone\r\n/);
  });

  test('has no colors with NO_COLOR', async () => {
    const list = openTerminal(key, ['clinics', 'list'], { NO_COLOR: '1' });
    await done(list);
    expect(list.text()).toContain('North');
    expect(list.raw()).not.toContain(ESCAPE);
  });
});

test('delete asks: n deletes nothing, y deletes', async () => {
  const id = await createPatient({ name: 'to delete' });
  const no = openTerminal(key, ['patients', 'delete', id]);
  await no.until(`Delete the patient ${id}?`);
  no.type('n');
  expect(await no.ended).toBe(1);
  expect(no.text()).toContain('Nothing was deleted.');
  expect(await statusOf(id)).toBe(200);

  const yes = openTerminal(key, ['patients', 'delete', id]);
  await yes.until(`Delete the patient ${id}?`);
  yes.type('y');
  await done(yes);
  expect(await statusOf(id)).toBe(404);
});

test('login asks for address, e-mail and password, and never shows the password', async () => {
  const { email, password } = service.practice.staff;
  const login = openTerminal(emptyCli(folder), ['login']);
  await login.until('Address of the API');
  login.type(service.address + ENTER);
  await login.until('E-mail');
  login.type(email + ENTER);
  await login.until('Password');
  login.type(password + ENTER);
  await done(login);
  expect(login.text()).toContain(`as ${email} (staff)`);
  expect(login.raw()).not.toContain(password);
  const { profiles } = JSON.parse(
    await readFile(join(folder.path, 'config/chairside/profiles.json'), 'utf8'),
  );
  expect(profiles.default).toMatchObject({ url: service.address, email });
  expect(login.raw()).not.toContain(profiles.default.token);
});

test('asks for the password if a request needs a confirmation, then repeats the request', async () => {
  const { _id: operatorId, password } = service.practice.administrator;
  await service.database
    .collection('sessions')
    .updateMany({ operatorId }, { $set: { confirmedTime: new Date(0) } });
  const create = openTerminal(administratorCli(folder, service), ['keys', 'create', '--name', 'Letters']);
  await create.until('Confirm your password');
  create.type(password + ENTER);
  await done(create);
  expect(create.text()).toMatch(/secret +chairside_key_/);
  expect(create.text()).toContain('The secret is shown only now. Store it.');
  expect(create.raw()).not.toContain(password);
});

test.each([
  ['a question', ['patients', 'delete', 'x'], 'Delete the patient x?'],
  ['a password', ['login', '--url', 'http://localhost:1', '--email', 'a@example.com'], 'Password'],
  ['a line', ['login'], 'E-mail'],
])('Ctrl-C at %s ends with 130 and no stack trace', async (_what, args, question) => {
  const asking = openTerminal(emptyCli(folder, { ...key.environment, XDG_CONFIG_HOME: folder.path }), args);
  await asking.until(question);
  asking.type(CTRL_C);
  expect(await asking.ended).toBe(130);
  expect(asking.text()).toContain('Canceled.');
  expect(asking.text()).not.toMatch(/Error|^ +at /m);
});

test('create --from draws a bar below the lines of the rows, and leaves the cursor visible', async () => {
  const rows = Array.from({ length: 530 }, (_, index) => ({ clinicId, name: `bar ${index}` }));
  const file = await folder.writeLines('bar.ndjson', rows);
  const create = openTerminal(key, ['patients', 'create', '--from', file]);
  await done(create);
  expect(create.text()).toMatch(/█+ +100 % {2}530 rows, \d+\/s, /);
  expect(create.text()).toContain('530 of 530 rows are created, 0 refused, 0 left.');
  // In the end the cursor returns to a place below all lines.
  expect(create.raw().lastIndexOf(`${ESCAPE}7`)).toBeGreaterThan(create.raw().lastIndexOf('created\r\n'));
  // Each line is on a line of its own, also where a bar was.
  const begin = `(?:^|\n|\r${ESCAPE}\\[2K)`;
  for (const line of [1, 500, 501, 530])
    expect(create.raw()).toMatch(new RegExp(`${begin}${line} +[0-9A-Z]{26} +created`, 'm'));
  const [hidden, visible] = [
    create.raw().lastIndexOf(`${ESCAPE}[?25l`),
    create.raw().lastIndexOf(`${ESCAPE}[?25h`),
  ];
  expect(hidden).toBeGreaterThan(-1);
  expect(visible).toBeGreaterThan(hidden);
});
