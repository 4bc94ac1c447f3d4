import { lstat, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  environmentOf,
  type Folder,
  openFolder,
  openTestStore,
  startCli,
  startCliInShell,
  type TestStore,
} from '@chairside/test-support';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { adminOf } from './admin.ts';

let testStore: TestStore;
let folder: Folder;
let cli: ReturnType<typeof adminOf>;
let organization: string;

beforeAll(async () => {
  testStore = await openTestStore();
  folder = await openFolder();
  cli = adminOf(testStore);
  organization = (await cli.run(['organization', 'create', 'Practice'])).json._id;
});
afterAll(async () => {
  await folder.close();
  await testStore.close();
});

const signIn = async (email: string, password: string) => {
  const result = await testStore.store.everyOrganization.sessions.signIn(email, password, new Date());
  return result.outcome === 'signed_in' ? result.session : undefined;
};

const withSubcommands = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
];

test('every command has help; wrong usage is reported with exit code 2', async () => {
  const leaves = withSubcommands(buildProgram()).filter(({ commands }) => commands.length === 0);
  expect(leaves.length).toBeGreaterThan(15);
  for (const command of leaves) {
    const help = command.helpInformation();
    expect(help).toContain('Usage: chairside-admin');
    expect(help).toContain('--json');
    expect(command.description()).not.toBe('');
  }
  const { code, stdout } = await startCli({}, ['operator', 'create', '--help']).ended;
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Usage: chairside-admin'),
  });
  for (const wrong of [
    [],
    ['nonsense'],
    ['import', 'nonsense', 'file'],
    ['operator', 'create', 'a@b.example'],
  ]) {
    expect((await startCli({}, wrong).ended).code).toBe(2);
  }
});

test('reports every invalid setting at once', async () => {
  const { code, stderr } = await startCli({ MONGODB_URL: 'http://x' }, ['indexes', 'apply']).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/MONGODB_URL must start/);
  expect(stderr).toMatch(/ENCRYPTION_KEYS is required/);
});

test('describes wrong encryption keys and an unreachable database without the connection string', async () => {
  const foreign = `other:${Buffer.alloc(32).toString('base64')}`;
  const refused = await adminOf({ ...testStore, encryptionKeys: foreign }).run([
    'organization',
    'create',
    'X',
  ]);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stderr).error.message).toMatch(
    /ENCRYPTION_KEYS cannot decrypt.*Set it to the keys/,
  );
  const unreachable = await adminOf({
    ...testStore,
    url: 'mongodb://user:hush@127.0.0.1:1/x?serverSelectionTimeoutMS=500',
  }).run(['indexes', 'apply']);
  expect(unreachable.code).toBe(1);
  expect(JSON.parse(unreachable.stderr).error.message).toMatch(
    /MongoDB cannot be reached.*run the same command again/,
  );
  expect(unreachable.stderr).not.toContain('hush');
});

test('creates an operator, resets the password, disables the operator with its sessions, and enables it', async () => {
  const create = (email: string, ...more: string[]) =>
    cli.run(['operator', 'create', email, '--organization', organization, ...more], 'chosen password\n');
  const made = await create('Ada@example.com', '--role', 'administrator');
  expect(made.json).toMatchObject({ email: 'Ada@example.com', role: 'administrator' });
  expect(await signIn('ada@example.com', made.json.password)).toBeDefined();
  expect((await create('ada@EXAMPLE.com')).code).toBe(1);
  expect((await create('not an address')).code).toBe(2);

  const chosen = await create('bo@example.com', '--password-stdin');
  expect(chosen.json).not.toHaveProperty('password');
  expect(chosen.stdout + chosen.stderr).not.toContain('chosen password');
  const session = await signIn('bo@example.com', 'chosen password');
  expect(session).toBeDefined();

  const reset = await cli.run(['operator', 'reset-password', 'bo@example.com']);
  expect(reset.json.endedSessions).toBe(1);
  expect(
    await testStore.store.everyOrganization.sessions.findOperator(session?.token ?? '', new Date()),
  ).toBeUndefined();
  expect(await signIn('bo@example.com', 'chosen password')).toBeUndefined();
  expect(await signIn('bo@example.com', reset.json.password)).toBeDefined();

  expect((await cli.run(['operator', 'disable', 'bo@example.com'])).json.endedSessions).toBe(1);
  expect(await signIn('bo@example.com', reset.json.password)).toBeUndefined();
  expect((await cli.run(['operator', 'enable', 'bo@example.com'])).code).toBe(0);
  expect(await signIn('bo@example.com', reset.json.password)).toBeDefined();

  const last = await cli.run(['operator', 'disable', 'ada@example.com']);
  expect(last.code).toBe(1);
  expect(JSON.parse(last.stderr).error.message).toMatch(/last administrator/);
  expect((await cli.run(['operator', 'disable', 'nobody@example.com'])).code).toBe(1);
});

test('names and refuses arguments that are not UTF-8, before anything is stored', async () => {
  const organizations = testStore.database.collection('organizations');
  const before = await organizations.countDocuments();
  const latin1 = `"$(printf 'M\\374ller')"`;
  for (const [args, name] of [
    [`organization create ${latin1}`, '<name>'],
    [`clinic create --organization ${organization} --name ${latin1}`, '--name'],
    [`operator create ${latin1}@example.com --organization ${organization}`, '<email>'],
  ] as const) {
    const { code, stderr } = await startCliInShell(environmentOf(testStore), args).ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${name} is not UTF-8`) });
  }
  expect(await organizations.countDocuments()).toBe(before);
  const made = await startCliInShell(environmentOf(testStore), 'organization create "Müller" --json').ended;
  expect(made.json).toMatchObject({ name: 'Müller' });
});

test.each(['--help', 'organization list', 'organization create Full --json'])(
  'a full disk behind stdout ends with a sentence: %s',
  async (args) => {
    const { code, stderr } = await startCliInShell(environmentOf(testStore), `${args} > /dev/full`).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'stdout: ENOSPC. The output is not complete, but the command may have changed something: look before you run it again.\n',
    });
  },
);

test('refuses a password on stdin that is not UTF-8, and ignores a byte order mark', async () => {
  const create = (email: string, stdin: Buffer) =>
    cli.run(['operator', 'create', email, '--organization', organization, '--password-stdin'], stdin);
  const refused = await create('latin1@example.com', Buffer.from('a long pässword\n', 'latin1'));
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stderr).error.message).toMatch(/not UTF-8/);
  const marked = await create('marked@example.com', Buffer.from('\ufeffa long pässword\n'));
  expect(marked.code).toBe(0);
  expect(await signIn('marked@example.com', 'a long pässword')).toBeDefined();
});

test('invites an operator: with mail, the link is mailed; without it, the link is printed, if DASHBOARD_URL is known', async () => {
  const invite = (email: string, environment: Record<string, string> = {}) =>
    startCli({ ...environmentOf(testStore), ...environment }, [
      ...['operator', 'invite', email, '--organization', organization, '--name', 'Ada Byron', '--json'],
    ]).ended;
  const DASHBOARD_URL = 'https://dashboard.example.com';
  const lacking = await invite('invited.none@example.com');
  expect(lacking).toMatchObject({ code: 2, stderr: expect.stringContaining('Set DASHBOARD_URL') });
  const printed = JSON.parse((await invite('invited.one@example.com', { DASHBOARD_URL })).stdout);
  expect(printed.invitationUrl).toMatch(/^https:\/\/dashboard\.example\.com\/invitation#[\w-]{43}$/);
  await testStore.store.everyOrganization.lanes.lease('mail', 'worker', 60_000);
  const mailed = JSON.parse((await invite('invited.two@example.com')).stdout);
  expect(mailed).not.toHaveProperty('invitationUrl');
  const mails = testStore.database.collection('mails');
  expect(await mails.countDocuments({ operatorId: mailed._id, kind: 'invitation' })).toBe(1);
  expect(await mails.countDocuments({ operatorId: printed._id })).toBe(0);
  const { stdout } = await startCli(environmentOf(testStore), [
    ...['operator', 'list', '--organization', organization],
  ]).ended;
  expect(stdout).toMatch(/invited\.one@example\.com.*Ada Byron.*invited until .*never signed in/);
});

test('refuses the 201st operator of an organization', async () => {
  const full = (await cli.run(['organization', 'create', 'Full'])).json._id;
  const stored = Array.from({ length: 199 }, (_, index) => `full-${index}`);
  await testStore.database
    .collection('operators')
    .insertMany(stored.map((_id) => ({ _id, organizationId: full, emailLowerCase: _id })));
  const create = (email: string) => cli.run(['operator', 'create', email, '--organization', full]);
  expect((await create('last@example.com')).code).toBe(0);
  const { code, stderr } = await create('more@example.com');
  expect([code, JSON.parse(stderr).error.message]).toEqual([
    1,
    'The organization already has 200 operators, the maximum. An administrator deletes one in the dashboard or with: chairside operators delete',
  ]);
  const entries = testStore.database
    .collection('auditEntries')
    .find({ organizationId: full, kind: 'operator' });
  expect((await entries.toArray()).map(({ result }) => result).sort()).toEqual(['limitReached', 'ok']);
});

test('a sign-in in flight while its operator is disabled leaves no session', async () => {
  const email = 'racer@example.com';
  const { json } = await cli.run(['operator', 'create', email, '--organization', organization]);
  const { operatorAccess } = testStore.store.everyOrganization.administration;
  const signIns = Array.from({ length: 6 }, () => signIn(email, json.password));
  await signIns[0];
  await operatorAccess.disable({ by: 'test' }, email, new Date());
  await Promise.all(signIns);
  expect(await testStore.database.collection('sessions').countDocuments({ operatorId: json._id })).toBe(0);
});

test('creates and changes a clinic, and refuses invalid values', async () => {
  const common = ['--organization', organization];
  const made = await cli.run([
    'clinic',
    'create',
    ...common,
    '--name',
    'North',
    '--timezone',
    'Europe/Berlin',
  ]);
  const id = made.json._id;
  const changed = await cli.run(['clinic', 'update', id, ...common, '--currency', 'EUR', '--timezone', '']);
  expect(changed.code).toBe(0);
  const found = await testStore.store.organization(organization).clinics.find(id);
  expect(found).toMatchObject({ revision: 2, record: { name: 'North', currency: 'EUR' } });
  expect(found?.record).not.toHaveProperty('timezone');
  expect(Date.parse(found?.record.lastEditTime ?? '')).toBeGreaterThan(Date.parse(made.json.lastEditTime));
  expect((await cli.run(['clinic', 'update', id, ...common, '--timezone', 'Moon/Sea'])).code).toBe(2);
  expect((await cli.run(['clinic', 'update', 'none', ...common, '--name', 'X'])).code).toBe(1);
  expect((await cli.run(['clinic', 'create', '--organization', 'none', '--name', 'X'])).code).toBe(1);
});

test('an export contains every record of its organization and no other, and is audited before it is written', async () => {
  const other = (await cli.run(['organization', 'create', 'Other'])).json._id;
  const lines = Array.from({ length: 1200 }, (_, index) => ({
    externalId: `c-${index}`,
    name: `Clinic ${index}`,
  }));
  const input = await folder.writeLines('clinics.ndjson', lines);
  await cli.run(['import', 'clinic', input, '--organization', other]);
  const { code, stdout } = await cli.run(['export', 'clinic', '--organization', other]);
  const exported = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(exported).toHaveLength(1200);
  expect(new Set(exported.map(({ externalId }) => externalId))).toEqual(
    new Set(lines.map(({ externalId }) => externalId)),
  );
  const { audit } = testStore.store.organization(other);
  const entries = await Array.fromAsync(audit.page({ action: ['exported'] }, {}, 100));
  expect(entries.flatMap(({ ids }) => ids)).toHaveLength(1200);
  expect(Math.max(...entries.map(({ ids }) => ids.length))).toBeLessThanOrEqual(1000);

  const file = join(folder.path, 'out.ndjson');
  const written = await cli.run(['export', 'clinic', '--organization', other, '--output', file]);
  expect(written.json).toEqual({ kind: 'clinic', records: 1200, file });
  expect(await readFile(file, 'utf8')).toBe(stdout);
});

test('an export never writes through a symbolic link of another user', async () => {
  const other = (await cli.run(['organization', 'create', 'Linked'])).json._id;
  const victim = await folder.write('victim', 'untouched');
  const file = join(folder.path, 'linked.ndjson');
  for (const name of [`${file}.part`, file]) await symlink(victim, name);
  const { code } = await cli.run(['export', 'clinic', '--organization', other, '--output', file]);
  expect(code).toBe(0);
  expect(await readFile(victim, 'utf8')).toBe('untouched');
  expect((await lstat(file)).mode & 0o777).toBe(0o600);
  expect((await lstat(file)).isSymbolicLink()).toBe(false);
});
