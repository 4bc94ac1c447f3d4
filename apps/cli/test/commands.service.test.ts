import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { sign } from '@chairside/signing';
import {
  type Folder,
  nodeArgumentsOf,
  openFolder,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorCli, type Cli, emptyCli, keyCli, linesOf } from './cli.ts';

let service: WholeService;
let folder: Folder;
let key: Cli;
let administrator: Cli;
let clinicId: string;

beforeAll(async () => {
  folder = await openFolder();
  service = await startWholeService(testEngines().redisUrl);
  key = keyCli(folder, service);
  administrator = administratorCli(folder, service);
  [clinicId] = service.practice.clinicIds;
});
afterAll(async () => {
  await service.close();
  await folder.close();
});

/** Runs a command that must succeed, and returns its output as parsed JSON. */
const done = async (cli: Cli, ...args: string[]): Promise<any> => {
  const { code, stdout, stderr } = await cli.run(args);
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return stdout === '' ? undefined : JSON.parse(stdout);
};
const idsOf = (rows: { _id: string }[]): string[] => rows.map(({ _id }) => _id);

test('shows the opening hours of a clinic, and says so if they were never set', async () => {
  const open = [{ opens: '08:00', closes: '16:00' }];
  const week = { monday: open, tuesday: open, wednesday: [], thursday: [], friday: [] };
  const hours = {
    weekdays: { ...week, saturday: [], sunday: [] },
    exceptions: [{ date: '2030-12-24', intervals: [] }],
    chairs: 2,
    slotMinutes: 15,
  };
  await service.practice.store.openingHours.set(clinicId, hours);
  expect(await done(key, 'hours', 'get', clinicId)).toEqual(hours);
  const { code, stderr } = await key.run(['hours', 'get', service.practice.clinicIds[1]]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('never set') });
});

test('an administrator creates, changes and deletes settings, and sets opening hours from a file', async () => {
  const named = ['--name', 'Dr. Bo', '--clinic-ids', clinicId];
  const provider = await done(administrator, 'providers', 'create', ...named);
  expect(await done(key, 'providers', 'get', provider._id)).toEqual(provider);
  const change = ['--name', 'Dr. Zoe', '--if-match', '"1"'];
  const changed = await done(administrator, 'providers', 'update', provider._id, ...change);
  expect(changed.name).toBe('Dr. Zoe');
  const stale = await administrator.run(['providers', 'update', provider._id, ...change]);
  expect({ code: stale.code, stderr: stale.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('changed since you read it'),
  });
  expect(await done(administrator, 'providers', 'delete', provider._id, '--yes')).toEqual(changed);
  const { code } = await key.run(['procedures', 'create', '--name', 'n', '--duration-minutes', '5']);
  expect(code).toBe(3);

  const hours = await done(key, 'hours', 'get', clinicId);
  const file = join(folder.path, 'hours.json');
  await writeFile(file, JSON.stringify({ ...hours, chairs: 3 }));
  expect((await done(administrator, 'hours', 'set', clinicId, '--data', file)).chairs).toBe(3);
});

test('finds free slots, and gives the reason if there is none', async () => {
  const search = ['availability', '--clinic-id', clinicId, '--duration-minutes', '240'];
  const day = (date: string) => ['--from', date, '--to', date, '--output', 'json'];
  // 2031-06-02 is a Monday.
  const [first, ...others] = await done(key, ...search, ...day('2031-06-02'));
  expect(first).toEqual({ start: '2031-06-02T08:00:00+00:00', end: '2031-06-02T12:00:00+00:00' });
  expect(others.length).toBeGreaterThan(0);
  const { code, stdout, stderr } = await key.run([...search, ...day('2031-06-01')]);
  expect({ code, slots: JSON.parse(stdout), stderr }).toEqual({
    code: 0,
    slots: [],
    stderr: 'No free slot: closed.\n',
  });
});

test('books a time only if it is free, one by one and from a file, and shows the next free times', async () => {
  const open = [{ opens: '08:00', closes: '12:00' }];
  const week = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
  const hours = { weekdays: { monday: open, ...week }, exceptions: [], chairs: 1, slotMinutes: 60 };
  const [, bookedId] = service.practice.clinicIds;
  await service.practice.store.openingHours.set(bookedId, hours);
  const at = (start: string, end: string) => [
    ...['--start-time', `2030-12-02T${start}:00Z`],
    ...['--end-time', `2030-12-02T${end}:00Z`, '--only-if-free'],
  ];
  const book = (start: string, end: string) =>
    key.run(['appointments', 'create', '--clinic-id', bookedId, ...at(start, end)]);
  const { stdout } = await book('08:00', '09:00');
  const { _id } = JSON.parse(stdout);
  const refused = await book('08:00', '09:00');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /not free: appointments fill all chairs.*Next free times:\n {2}2030-12-02T09:00/s,
  );
  const moved = await done(key, 'appointments', 'update', _id, ...at('09:00', '10:00'));
  expect(moved.startTime).toBe('2030-12-02T09:00:00.000Z');

  const file = join(folder.path, 'bookings.ndjson');
  const row = (start: string) =>
    JSON.stringify({
      clinicId: bookedId,
      startTime: `2030-12-02T${start}:00Z`,
      endTime: '2030-12-02T12:00:00Z',
    });
  await writeFile(file, [row('09:00'), row('11:00')].join('\n'));
  const imported = await key.run(['appointments', 'create', '--from', file, '--only-if-free']);
  expect(imported.stderr).toContain('1 of 2 rows are created, 1 refused');
});

describe('access', () => {
  test('signs in, uses the profile, signs out', async () => {
    const cli = emptyCli(folder);
    const { email, password, _id: operatorId } = service.practice.staff;
    const args = ['login', '--url', service.address, '--email', email, '--password-stdin'];
    const login = await cli.run(args, `${password}\n`);
    expect({ code: login.code, stdout: login.stdout }).toEqual({ code: 0, stdout: '' });
    expect(login.stderr).toContain(email);
    expect(login.stderr).not.toContain('chairside_token_');
    const file = join(folder.path, 'config', 'chairside', 'profiles.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);

    expect(await done(cli, 'whoami')).toMatchObject({ kind: 'operator', source: 'profile default' });
    expect(await done(cli, 'profiles')).toMatchObject({ name: 'default', current: true, signedIn: true });
    const sessions = await done(cli, 'tokens', 'sessions', '--output', 'json');
    expect(sessions).toContainEqual(expect.objectContaining({ operatorId }));

    expect((await cli.run(['logout'])).code).toBe(0);
    const after = await cli.run(['clinics', 'list']);
    expect(after.code).toBe(3);
    expect(after.stderr).toContain('chairside login');
  });

  test('a wrong password ends with code 3', async () => {
    const { email } = service.practice.staff;
    const args = ['login', '--url', service.address, '--email', email, '--password-stdin'];
    const { code, stderr } = await emptyCli(folder).run(args, 'wrong');
    expect(code).toBe(3);
    expect(stderr).toContain('Wrong e-mail or password.');
  });

  test('an operator with a factor writes the code to the second line of stdin, and confirms with the next one', async () => {
    const { email, password, _id } = service.practice.staff;
    const { factors } = service.practice.store;
    const codes = ['aaaa-bbbb-cccc-dddd', 'eeee-ffff-gggg-hhhh', 'iiii-jjjj-kkkk-llll'] as const;
    const now = new Date();
    await factors.beginCode(_id, 'A'.repeat(32), now);
    await factors.addCode(
      _id,
      'A'.repeat(32),
      0,
      codes.map((code) => code.replaceAll('-', '')),
      now,
    );
    const cli = emptyCli(folder);
    const login = ['login', '--url', service.address, '--email', email, '--password-stdin'];
    const missing = await cli.run(login, `${password}\n`);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('next line of stdin')]);
    const wrong = await cli.run(login, `${password}\n000000\n`);
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('Wrong code')]);
    expect((await cli.run(login, `${password}\n${codes[0].toUpperCase()}\n`)).code).toBe(0);
    const remove = ['factors', 'remove-codes'];
    const unconfirmed = await cli.run(remove);
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([3, expect.stringContaining('--for factors')]);
    const confirm = ['tokens', 'confirm', '--for', 'factors', '--password-stdin'];
    expect((await cli.run(confirm, `${password}\n${codes[1]}\n`)).code).toBe(0);
    expect(await done(cli, 'factors')).toMatchObject({ recoveryCodes: { left: 1 } });
    expect(await done(cli, ...remove)).toMatchObject({ recoveryCodes: { left: 0 } });
    expect((await cli.run(['logout'])).code).toBe(0);
  });

  test('refuses a file of profiles that others can read', async () => {
    const config = join(folder.path, 'open');
    const file = join(config, 'chairside', 'profiles.json');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, '{}');
    await chmod(file, 0o644);
    const { code, stderr } = await emptyCli(folder, { XDG_CONFIG_HOME: config }).run(['whoami']);
    expect(code).toBe(1);
    expect(stderr).toContain('chmod 600');
  });

  test.each([
    ['no credentials', {}, 3, 'chairside login'],
    ['an unknown profile', { CHAIRSIDE_PROFILE: 'staging' }, 2, 'There is no profile "staging". '],
    [
      'an address that ends in /api',
      { CHAIRSIDE_URL: 'https://example.com/api/', CHAIRSIDE_API_KEY: 'a' },
      2,
      'give the address of the API without /api: https://example.com',
    ],
    ['two credentials', { CHAIRSIDE_URL: 'x', CHAIRSIDE_API_KEY: 'a', CHAIRSIDE_TOKEN: 'b' }, 2, 'not both'],
    ['no address', { CHAIRSIDE_API_KEY: 'a' }, 2, 'CHAIRSIDE_URL'],
    ['plain http', { CHAIRSIDE_URL: 'http://example.com', CHAIRSIDE_API_KEY: 'a' }, 2, 'https://'],
  ])('%s', async (_name, environment, code, message) => {
    const cli = emptyCli(folder, { XDG_CONFIG_HOME: join(folder.path, 'none'), ...environment });
    const ended = await cli.run(['clinics', 'list']);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
  });

  /** The command line with an API key and an address on which nothing listens. */
  const nowhere = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const url = `http://127.0.0.1:${port}`;
    return emptyCli(folder, { CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: 'chairside_key_x' });
  };

  test('an API key and a noun for operators end with code 3, before any request', async () => {
    const { code, stderr } = await (await nowhere()).run(['webhooks', 'list']);
    expect(code).toBe(3);
    expect(stderr).toContain('CHAIRSIDE_API_KEY is an API key');
    expect(stderr).not.toContain('chairside_key_x');
  });

  test('ends with code 5 if the service is unreachable', async () => {
    const { code, stderr } = await (await nowhere()).run(['clinics', 'list']);
    expect(code).toBe(5);
    expect(stderr).toContain('ECONNREFUSED');
  });
});

describe('records', () => {
  test('upsert a patient by external id, and get it', async () => {
    const upsert = [
      'patients',
      'upsert',
      'pms:4711',
      '--clinic-id',
      clinicId,
      '--name',
      'Ada',
      '--phone',
      '1',
    ];
    const made = await done(key, ...upsert);
    expect(made).toMatchObject({ clinicId, externalId: 'pms:4711', name: 'Ada' });
    expect(await done(key, ...upsert)).toEqual(made);
    expect(await done(key, 'patients', 'get', 'pms:4711', '--external')).toEqual(made);
    expect(await done(key, 'patients', 'list', '--external-id', 'pms:4711')).toEqual(made);
    const changed = await done(key, 'patients', 'upsert', 'pms:4711', '--clear', 'phone');
    expect(changed).toMatchObject({ _id: made._id });
    expect(changed).not.toHaveProperty('phone');
    const missing = await key.run(['patients', 'upsert', 'pms:0', '--name', 'Ada']);
    expect(missing.stderr).toContain('clinicId is required, because no record has this external id');
    const named = ['--clinic-id', clinicId, '--patient-external-id', 'pms:4711'];
    const visit = await done(key, 'appointments', 'upsert', 'pms:visit-1', ...named);
    expect(visit).toMatchObject({ patientId: made._id, externalId: 'pms:visit-1' });
  });

  test('create, get, list, update and delete a patient', async () => {
    const fields = ['--clinic-id', clinicId, '--name', 'Ada', '--email', 'a@example.com'];
    const made = await done(key, 'patients', 'create', ...fields);
    expect(made).toMatchObject({ clinicId, name: 'Ada' });
    expect(await done(key, 'patients', 'get', made._id)).toEqual(made);
    expect(await done(key, 'patients', 'list', '--email', 'A@example.com')).toEqual(made);
    const changed = await done(key, 'patients', 'update', made._id, '--phone', '1', '--clear', 'email');
    expect(changed).not.toHaveProperty('email');
    expect(changed).toMatchObject({ phone: '1' });
    const old = await key.run(['patients', 'update', made._id, '--phone', '2', '--if-match', '"1"']);
    expect(old.code).toBe(1);
    const asked = await key.run(['patients', 'delete', made._id]);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain(
      'give --yes to delete the patient without asking, because there is no terminal',
    );
    expect(await done(key, 'patients', 'delete', made._id, '--yes')).toMatchObject({ _id: made._id });
    const gone = await key.run(['patients', 'get', made._id]);
    expect(gone.code).toBe(4);
    expect(gone.stderr).toMatch(/Request id: \S+/);
  });

  test('creates an appointment from a file and flags, and changes it from stdin', async () => {
    const text = JSON.stringify({ clinicId, procedures: [{ procedureId: 'p' }] });
    const file = await folder.write('appointment.json', `\ufeff${text}`);
    const times = ['--start-time', '2030-01-31T09:00:00Z'];
    const made = await done(key, 'appointments', 'create', '--data', file, ...times);
    expect(made).toMatchObject({ status: 'REQUESTED', startTime: '2030-01-31T09:00:00.000Z' });
    const args = ['appointments', 'update', made._id, '--data', '-'];
    const changed = await key.run(args, JSON.stringify({ status: 'NO_SHOW' }));
    expect(changed.json).toMatchObject({ _id: made._id, status: 'NO_SHOW' });
    const emptied = await done(key, 'appointments', 'update', made._id, '--procedures', '[]');
    expect(emptied.procedures).toEqual([]);
  });

  test('lists as ndjson, json and csv, with fields and a limit', async () => {
    for (const name of ['=1+1', 'a "quoted", name', 'line\nbreak'])
      await done(key, 'patients', 'create', '--clinic-id', clinicId, '--name', name);
    const print = async (...args: string[]) => (await key.run(['patients', 'list', ...args])).stdout;
    const rows = linesOf({ stdout: await print('--fields', 'name') });
    expect(rows.map(({ name }) => name)).toContain('=1+1');
    expect(Object.keys(rows[0])).toEqual(['name']);
    expect(JSON.parse(await print('-o', 'json', '--limit', '2'))).toHaveLength(2);
    expect(JSON.parse(await print('-o', 'json', '--email', 'none'))).toEqual([]);
    const csv = await print('-o', 'csv', '--fields', 'name');
    expect(csv).toContain("'=1+1\r\n");
    expect(csv).toContain('"a ""quoted"", name"\r\n');
    expect(await print('-o', 'csv', '--fields', 'name', '--raw')).toContain('\n=1+1\r\n');
    expect((await key.run(['treatments', 'list', '-o', 'csv'])).stdout).toMatch(/^_id,clinicId,/);
    for (const noun of ['clinics', 'invoices', 'payments'])
      expect((await key.run([noun, 'list'])).code).toBe(0);
  });

  test('a reader that closes the pipe ends a list without an error', async () => {
    const command = `'${process.execPath}' '${nodeArgumentsOf('cli').join("' '")}' patients list | head -n 1`;
    const env = { ...key.environment, PATH: process.env.PATH };
    const ended = await new Promise((resolve) =>
      execFile('bash', ['-o', 'pipefail', '-c', command], { env }, (error, _stdout, stderr) =>
        resolve({ error, stderr }),
      ),
    );
    expect(ended).toEqual({ error: null, stderr: '' });
  });

  test('refuses an argument that is not UTF-8, and creates nothing', async () => {
    const name = `"$(printf 'M\\374ller')"`;
    const command = `'${process.execPath}' '${nodeArgumentsOf('cli').join("' '")}' patients create --clinic-id ${clinicId} --name ${name}`;
    const env = { ...key.environment, PATH: process.env.PATH };
    const ended = await new Promise((resolve) =>
      execFile('bash', ['-c', command], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      ),
    );
    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--name is not UTF-8') });
  });

  test.each([
    [['patient', 'list'], 'Did you mean patients?'],
    [['patients', 'lst'], 'Did you mean list?'],
    [['patients', 'list', '--clinicid', 'x'], '--clinic-id'],
    [['patients', 'list', '--fields', 'nme'], 'Fields are _id, clinicId, externalId, name'],
    [['patients', 'create'], '--clinic-id'],
    [['patients', 'update', 'x'], 'Give at least one field'],
    [['patients', 'update', 'x', '--clear', 'nme'], 'there is no field "nme"'],
    [['appointments', 'create', '--clinic-id', 'x', '--status', 'GONE'], 'Allowed choices are REQUESTED'],
    [['appointments', 'create', '--clinic-id', 'x', '--procedures', '{'], 'Give JSON'],
    [['patients', 'list', '--limit', '0'], 'at least 1'],
    [['patients', 'create', '--data', '/none/at/all'], 'does not exist'],
    [['patients', 'create', '--data', '/'], 'Give a file.'],
    [['patients', 'create', '--from', '/none/at/all.csv'], 'does not exist'],
    [['patients', 'get', 'a', 'b'], "too many arguments for 'get'"],
    [['patients'], 'Usage: chairside patients'],
    [['nothing'], "unknown command 'nothing'"],
    [['open', 'door'], 'Allowed choices are docs, dashboard.'],
    [['api', 'PATCH', '/api/clinics'], 'The method must be one of'],
    [['listen', '--events', 'patient.made', '--forward-to', 'http://localhost:1'], 'payment.*.'],
    [['verify', '--secret-env', 'PATH', '--header', 't=1', '--tolerance', 'long'], 'a number of seconds'],
  ])('wrong usage: %j', async (args, message) => {
    const { code, stdout, stderr } = await key.run(args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each<[string, string[]]>([
    [
      'patients list --limit x --output foo --clinicid c --nothing',
      [
        "error: option '--limit <number>' argument 'x' is invalid. Give a whole number of at least 1.",
        "error: option '-o, --output <format>' argument 'foo' is invalid. Allowed choices are table, json, ndjson, csv.",
        "error: unknown option '--clinicid'",
        "error: unknown option '--nothing'",
      ],
    ],
    [
      'webhooks create --active maybe',
      [
        "error: option '--active <true|false>' argument 'maybe' is invalid. Allowed choices are true, false.",
        "error: required option '--clinic-id <id>' not specified",
        "error: required option '--url <text>' not specified",
      ],
    ],
    [
      'webhooks redeliver --outcomes lost',
      [
        "error: option '--outcomes <a,b,…>' argument 'lost' is invalid. Allowed choices are failed, interrupted, skipped, succeeded.",
        "error: missing required argument 'id'",
        "error: required option '--since <time>' not specified",
        'error: give --yes to send the deliveries again without asking, because there is no terminal to ask on',
      ],
    ],
    [
      'verify --tolerance x',
      [
        "error: option '--tolerance <seconds>' argument 'x' is invalid. Give a number of seconds greater than 0.",
        "error: required option '--secret-env <name>' not specified",
        "error: required option '--header <value>' not specified",
      ],
    ],
    [
      'patients list -oxx --limit=0 --email',
      [
        "error: option '-o, --output <format>' argument 'xx' is invalid. Allowed choices are table, json, ndjson, csv.",
        "error: option '--limit <number>' argument '0' is invalid. Give a whole number of at least 1.",
        "error: option '--email <text>' argument missing",
      ],
    ],
  ])('all faults at once: %s', async (line, faults) => {
    // There are no credentials: faults of the flags come first.
    const { code, stderr } = await emptyCli(folder, { XDG_CONFIG_HOME: join(folder.path, 'none') }).run(
      line.split(' '),
    );
    const lines = stderr.split('\n').filter((each) => !each.startsWith('(Did you mean'));
    expect(lines).toEqual([...faults, 'Add --help for the options and examples.', '']);
    expect(code).toBe(2);
  });

  test('a refusal of the api ends with code 1 and lists every problem', async () => {
    const args = ['patients', 'create', '--clinic-id', 'unknown', '--email', 'no address'];
    const { code, stderr } = await key.run(args);
    expect(code).toBe(1);
    expect(stderr).toContain('  email ');
    const data = await folder.write('latin1.json', Buffer.from([0x7b, 0xe4, 0x7d]));
    expect((await key.run(['patients', 'create', '--data', data])).stderr).toContain('is not UTF-8');
    const large = await folder.write('large.json', JSON.stringify({ clinicId, name: 'n'.repeat(2 ** 20) }));
    const tooLarge = await key.run(['patients', 'create', '--data', large]);
    expect(tooLarge.stderr).toContain('The body is larger than 262144 bytes.');
    expect(tooLarge.code).toBe(1);
  });
});

describe('the commands of administrators', () => {
  test('webhooks and deliveries', async () => {
    const { url } = service.receiver;
    const events = ['--events', 'patient.*,invoice.paid'];
    const made = await done(
      administrator,
      'webhooks',
      'create',
      '--clinic-id',
      clinicId,
      '--url',
      url,
      ...events,
    );
    expect(made).toMatchObject({
      events: ['patient.*', 'invoice.paid'],
      secret: expect.stringMatching(/^whsec_/),
    });
    const { _id } = made;
    expect(await done(administrator, 'webhooks', 'get', _id)).not.toHaveProperty('secret');
    const tested = await done(administrator, 'webhooks', 'test', _id);
    expect(tested).toMatchObject({ outcome: 'succeeded', kind: 'test' });
    const [delivery] = linesOf(await administrator.run(['deliveries', 'list', '--subscription', _id]));
    expect(delivery).not.toHaveProperty('responseHeaders');
    expect(await done(administrator, 'deliveries', 'get', delivery._id)).toEqual({
      ...delivery,
      responseHeaders: expect.anything(),
      redeliveries: [],
    });
    const period = ['--since', '2020-01-01T00:00:00Z', '--yes'];
    const bulk = await done(administrator, 'webhooks', 'redeliver', _id, ...period);
    expect(bulk.state).toBe('done');
    expect(await done(administrator, 'webhooks', 'redelivery', _id, bulk._id)).toEqual(bulk);
    expect(await done(administrator, 'webhooks', 'redeliveries', _id)).toEqual(bulk);
    expect(await done(administrator, 'webhooks', 'redeliveries', _id, '--limit', '1')).toEqual(bulk);
    const all = linesOf(await administrator.run(['deliveries', 'list', '--status-class', '2xx']));
    expect(idsOf(all)).toContain(delivery._id);
    const statistics = ['webhooks', 'statistics', '--webhook-subscription-id', _id];
    // Tests and redeliveries are not counted.
    expect((await administrator.run(statistics)).stdout).toBe('');
    const none = ['deliveries', 'list', '--webhook-subscription-id', _id, '--cause', 'dns'];
    expect((await administrator.run(none)).stdout).toBe('');
    const changed = await done(administrator, 'webhooks', 'update', _id, '--active', 'false');
    expect(changed).toMatchObject({ active: false });
    expect(await done(administrator, 'webhooks', 'delete', _id, '-y')).toMatchObject({ _id });
    expect(idsOf(linesOf(await administrator.run(['webhooks', 'list'])))).not.toContain(_id);
  });

  test('webhooks for all clinics: once for each, kept when repeated, and completed after a failure', async () => {
    // The command goes through the clinics in the order of their ids.
    const [first = '', second = ''] = service.practice.clinicIds.toSorted();
    const url = `${service.receiver.url}/group`;
    const create = (...more: string[]) =>
      administrator.run(['webhooks', 'create', '--all-clinics', '--url', url, ...more]);
    // The first clinic has the maximum of subscriptions.
    const { subscriptions } = service.practice.store;
    const others: string[] = [];
    for (;;) {
      const made = await subscriptions.create(
        { clinicId: first, url: 'https://example.com/other', events: [], active: false },
        new Date(),
      );
      if (made === undefined) break;
      others.push(made._id);
    }
    const partial = await create('--events', 'patient.*,invoice.paid');
    expect(linesOf(partial)).toEqual([
      {
        outcome: 'failed',
        clinic: expect.any(String),
        clinicId: first,
        reason: expect.stringMatching(/already has 20 subscriptions.*Request id: /s),
      },
      expect.objectContaining({
        outcome: 'created',
        clinicId: second,
        secret: expect.stringMatching(/^whsec_/),
      }),
    ]);
    expect(partial.stderr).toContain('Subscriptions: 1 created, 1 failed.');
    expect(partial.stderr).toContain('Run the same command again');
    expect(partial.code).toBe(1);

    for (const id of others) await subscriptions.delete(id);
    const [made] = linesOf(partial).slice(1);
    const completed = await create('--events', 'invoice.paid,patient.*');
    expect(linesOf(completed)).toMatchObject([
      { outcome: 'created', clinicId: first },
      { outcome: 'kept', clinicId: second, _id: made._id },
    ]);
    expect(linesOf(completed)[1]).not.toHaveProperty('secret');
    expect(completed.stderr).toContain(`: ${made._id}`);
    expect(completed.code).toBe(0);

    const again = await create('--events', 'patient.*,invoice.paid', '--output', 'table');
    expect(again.stdout).toContain(made._id);
    expect(again.stderr).toContain('Subscriptions: 2 kept.');
    const stored = await service.database.collection('subscriptions').find({ url }).toArray();
    expect(stored.map((each) => each.clinicId).sort()).toEqual([first, second].sort());

    for (const wrong of [
      ['--clinic-id', first],
      ['--data', await folder.write('one.json', JSON.stringify({ clinicId: first }))],
    ]) {
      const both = await create(...wrong);
      expect(both.stderr).toContain('Give a clinic, or --all-clinics, not both.');
      expect(both.code).toBe(2);
    }
  });

  test('redelivers a delivery', async () => {
    await done(key, 'patients', 'create', '--clinic-id', clinicId);
    const { _id } = service.subscription;
    const first = async () =>
      linesOf(
        await administrator.run(['deliveries', 'list', '--subscription', _id, '--outcome', 'succeeded']),
      )[0];
    await expect.poll(first).toBeDefined();
    const args = ['deliveries', 'redeliver', (await first())._id, '--idempotency-key', 'once'];
    const again = await done(administrator, ...args);
    expect(again).toMatchObject({ outcome: 'succeeded', kind: 'redelivery' });
    expect(await done(administrator, ...args)).toEqual(again);
  });

  test('keys, with a password from stdin', async () => {
    const { password } = service.practice.administrator;
    const scopes = ['--scopes', 'patients:read'];
    const made = await done(administrator, 'keys', 'create', '--name', 'Letters', ...scopes);
    expect(made.secret).toMatch(/^chairside_key_/);
    const reveal = ['keys', 'reveal', made._id, '--password-stdin'];
    expect((await administrator.run(reveal, `${password}\n`)).json.secret).toBe(made.secret);
    expect((await administrator.run(reveal, 'wrong')).code).toBe(3);
    const changed = await done(administrator, 'keys', 'update', made._id, '--name', 'Other');
    expect(changed).toMatchObject({ name: 'Other' });
    const [clinicId] = service.practice.clinicIds;
    const end = ['--expiry-time', '2040-01-01T00:00:00Z'];
    await done(administrator, 'keys', 'update', made._id, '--clinic-ids', clinicId, ...end);
    const rotated = await done(administrator, 'keys', 'rotate', made._id, '--overlap-hours', '1');
    expect(rotated).toMatchObject({
      clinicIds: [clinicId],
      formerSecret: { expiryTime: expect.any(String) },
    });
    const whoami = async (secret: string) =>
      done(emptyCli(folder, { CHAIRSIDE_URL: service.address, CHAIRSIDE_API_KEY: secret }), 'whoami');
    const own = await whoami(rotated.secret);
    expect(own).toMatchObject({
      kind: 'API key',
      name: 'Other',
      clinicIds: [clinicId],
      ref: expect.any(String),
    });
    expect(await whoami(made.secret)).toEqual(own);
    expect((await administrator.run(['keys', 'rotate', made._id, '--overlap-hours', 'x'])).code).toBe(2);
    const tooLong = await administrator.run(['keys', 'rotate', made._id, '--overlap-hours', '169']);
    expect([tooLong.code, tooLong.stderr]).toEqual([1, expect.stringContaining('at most 168')]);
    expect(idsOf(linesOf(await administrator.run(['keys', 'list'])))).toContain(made._id);
    await done(administrator, 'keys', 'delete', made._id, '--yes');
  });

  test('tokens for programs, and what a program does with one', async () => {
    const [clinicId] = service.practice.clinicIds;
    const args = ['--name', 'Onboarding', '--access', 'webhooks', '--clinic-ids', clinicId];
    const made = await done(administrator, 'tokens', 'create', ...args, '--lifetime-days', '1');
    expect(made).toMatchObject({ access: 'webhooks', clinicIds: [clinicId] });
    expect(idsOf(linesOf(await administrator.run(['tokens', 'list'])))).toContain(made._id);
    const program = emptyCli(folder, { CHAIRSIDE_URL: service.address, CHAIRSIDE_TOKEN: made.token });
    expect(await done(program, 'whoami')).toMatchObject({
      kind: 'program token',
      source: 'CHAIRSIDE_TOKEN',
      clinicIds: [clinicId],
      expiryTime: made.expiryTime,
      ref: expect.any(String),
    });
    const url = ['--url', 'https://example.com/', '--clinic-id', clinicId];
    const subscription = await done(program, 'webhooks', 'create', ...url);
    expect(subscription.secret).toMatch(/^whsec_/);
    await done(program, 'webhooks', 'delete', subscription._id, '--yes');
    const everywhere = await program.run([
      'webhooks',
      'create',
      '--all-clinics',
      '--url',
      'https://example.com/',
    ]);
    const [created, ...others] = linesOf(everywhere);
    expect([everywhere.code, created, others]).toMatchObject([0, { clinicId }, []]);
    await done(program, 'webhooks', 'delete', created._id, '--yes');
    const refused = await program.run(['patients', 'list']);
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('This program token has the access webhooks'),
    });
    expect(await done(administrator, 'tokens', 'delete', made._id, '--yes')).toMatchObject({ _id: made._id });
    expect((await program.run(['webhooks', 'list'])).code).toBe(3);
    expect((await program.run(['whoami'])).code).toBe(3);
  });

  test('operators, their sessions, the audit trail, events', async () => {
    const args = ['operators', 'create', '--email', 'new@example.com', '--role', 'staff', '--password-stdin'];
    const made = (await administrator.run(args, 'a long enough password\n')).json;
    expect(made).toMatchObject({ email: 'new@example.com', role: 'staff' });
    const reset = ['operators', 'update', made._id, '--password-stdin'];
    expect((await administrator.run(reset, 'another long password\n')).code).toBe(0);
    const signIn = (password: string) =>
      service.call('POST', '/api/sessions', { email: 'new@example.com', password }, '');
    expect((await signIn('another long password')).status).toBe(200);
    expect((await signIn('a long enough password')).status).toBe(401);
    expect((await administrator.run(['operators', 'end-sessions', made._id])).code).toBe(2);
    const ended = await done(administrator, 'operators', 'end-sessions', made._id, '--yes');
    expect(ended).toMatchObject({ operatorId: made._id });
    await done(administrator, 'operators', 'update', made._id, '--active', 'false');
    expect((await administrator.run(['operators', 'sessions', made._id])).stdout).toBe('');
    expect(idsOf(linesOf(await administrator.run(['operators', 'list'])))).toContain(made._id);
    const audit = await administrator.run(['audit', 'list', '--record-id', made._id, '--limit', '1']);
    expect(linesOf(audit)).toMatchObject([{ kind: 'operator', ids: [made._id] }]);
    await done(administrator, 'operators', 'delete', made._id, '--yes');
    const newest = ['events', 'list', '--order', 'desc', '--limit', '1'];
    await expect.poll(async () => linesOf(await administrator.run(newest))).toHaveLength(1);
    const [event] = linesOf(await administrator.run(newest));
    expect(await done(administrator, 'events', 'get', event.id)).toEqual(event);
  });

  test('the export of a patient, as one line or with line breaks', async () => {
    const made = await done(key, 'patients', 'create', '--clinic-id', clinicId, '--name', 'Zoe Export');
    const exported = ['patients', 'export', made._id];
    const { stdout } = await administrator.run(exported);
    expect(stdout.split('\n')).toEqual([expect.any(String), '']);
    expect(JSON.parse(stdout)).toMatchObject({ patient: made, reads: [{ action: 'exported' }] });
    const pretty = await administrator.run([...exported, '--output', 'json']);
    expect(pretty.stdout).toContain('\n  "patient": {\n');
    expect((await key.run(exported)).code).toBe(3);
    expect((await administrator.run(['patients', 'export', 'unknown'])).code).toBe(4);
  });

  test('a confirmation that is too old is refused with the command to run', async () => {
    const { _id: operatorId, password } = service.practice.administrator;
    await service.database
      .collection('sessions')
      .updateMany({ operatorId }, { $set: { confirmedTime: new Date(0) } });
    const refused = await administrator.run(['keys', 'create', '--name', 'x']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('chairside tokens confirm');
    expect((await administrator.run(['tokens', 'confirm', '--password-stdin'], password)).code).toBe(0);
    await done(administrator, 'keys', 'create', '--name', 'x');
  });

  test('staff can end their own session and change their password, and are refused a noun of administrators', async () => {
    const { email, password, token } = service.practice.staff;
    const { json } = await service.call('POST', '/api/sessions', { email, password }, '');
    const staff = emptyCli(folder, { CHAIRSIDE_URL: service.address, CHAIRSIDE_TOKEN: token });
    expect(await done(staff, 'tokens', 'delete', json._id, '--yes')).toMatchObject({ _id: json._id });
    const args = ['tokens', 'change-password', '--password-stdin'];
    expect((await staff.run(args, `${password}\n${password} new\n`)).code).toBe(0);
    expect((await staff.run(['webhooks', 'list'])).code).toBe(3);
  });
});

describe('the service', () => {
  test('shows what waits, and whether there is an outage', async () => {
    const waiting = { eventsWaiting: expect.any(Number), deliveriesWaiting: expect.any(Number) };
    expect(await done(administrator, 'status')).toMatchObject({ ...waiting, complete: true, outage: false });
  });

  test.each([
    ['appointments', 'Create an appointment'],
    ['operators', 'Create an operator'],
    ['patients', 'Create a patient'],
    ['blocks', 'Create a calendar block'],
    ['webhooks', 'Create a subscription'],
  ])('the help of %s create begins with the right article', async (noun, sentence) => {
    expect((await key.run([noun, 'create', '--help'])).stdout).toContain(sentence);
  });

  test('open dashboard asks the service for the address, and reports that there is none', async () => {
    const { code, stderr } = await key.run(['open', 'dashboard']);
    expect(code).toBe(4);
    expect(stderr).toContain('DASHBOARD_URL');
    const address = 'https://dashboard.example.com/';
    const addresses = ['file:///etc/passwd', address];
    const server = createHttpServer((request, response) => {
      expect(request.url).toBe('/dashboard');
      expect(request.headers).not.toHaveProperty('authorization');
      response.writeHead(302, { location: addresses.shift() }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    // `BROWSER` replaces the browser, so that none opens.
    const cli = emptyCli(folder, { CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: 'x', BROWSER: 'true' });
    const wrong = await cli.run(['open', 'dashboard']);
    expect(wrong.code).toBe(4);
    expect(wrong.stderr).not.toContain('passwd');
    expect(await cli.run(['open', 'dashboard'])).toMatchObject({ code: 0, stderr: `${address}\n` });
    server.close();
    const unreachable = await cli.run(['open', 'dashboard']);
    expect(unreachable.code).toBe(5);
  });
});

describe('verify', () => {
  const secret = `whsec_${'a'.repeat(32)}`;
  const body = '{"id":"1"}';
  const header = sign({ body, secret, timestamp: Math.floor(Date.now() / 1000) });

  test('reports whether a signature is valid, and the reason if it is not', async () => {
    const cli = emptyCli(folder, { SECRET: secret });
    const args = ['verify', '--secret-env', 'SECRET', '--header', header];
    expect(await cli.run(args, body)).toMatchObject({ code: 0, stdout: 'The signature is valid.\n' });
    const bad = await cli.run(args, `${body} `);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain('mismatch');
    expect(bad.stderr).not.toContain(secret);
    expect((await cli.run(['verify', '--secret-env', 'NONE', '--header', header], body)).code).toBe(2);
  });
});

describe('api', () => {
  test('sends a request of your own', async () => {
    expect(await done(key, 'api', 'get', '/api/clinics?limit=1')).toHaveLength(1);
    const sent = await key.run(['api', 'POST', '/api/patients', '--data', '-'], JSON.stringify({ clinicId }));
    expect(sent.json).toMatchObject({ clinicId });
  });

  test('sends the query as it is given, so that the service refuses a repeated parameter', async () => {
    const path = `/api/patients?clinicId=none&clinicId=${clinicId}`;
    const { code, stderr } = await key.run(['api', 'GET', path]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('clinicId') });
  });

  test.each([
    '//evil.example/api/clinics',
    'https://evil.example/api/clinics',
    '/health/live',
    '/api/../health/live',
    '/\\evil.example/api/x',
  ])('refuses %s', async (path) => {
    const { code, stderr } = await key.run(['api', 'GET', path]);
    expect(code).toBe(2);
    expect(stderr).toContain('/api/');
  });
});
