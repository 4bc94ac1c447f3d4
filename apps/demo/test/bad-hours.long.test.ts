import { existsSync, readFileSync } from 'node:fs';
import { newId } from '@chairside/domain';
import { freePort } from '@chairside/processes';
import {
  basic,
  createKey,
  createPractice,
  type DatabaseProxy,
  type EmptyDatabase,
  environmentOf,
  openEmptyDatabase,
  type Practice,
  redisServers,
  startCliInShell,
  startDatabaseProxy,
  startMailServer,
  startWholeService,
  testEngines,
  type WholeService,
  writePatient,
} from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

/*
 * Every command of docs/operation/bad-hours.md is run on a started service, section by section and line by line. Commands of
 * chairside-admin are run by the real program, with variables that the shell expands. After some lines, the test looks at
 * the effect that the page promises.
 */

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** A line of a section. `exitCode` is what its comment names, by default 0. */
type Line = { command: string; exitCode: number };
const lineOf = (text: string): Line => {
  const [command = '', comment = ''] = text.split(/\s+# /);
  return { command: command.trim(), exitCode: Number(/exit code (\d)/.exec(comment)?.[1] ?? 0) };
};
const linesOf = (section: string): Line[] =>
  [...section.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.trimEnd().split('\n').map(lineOf),
  );
const page = new Map(
  read('docs/operation/bad-hours.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), linesOf(section)]),
);

let vault: EmptyDatabase;
/** What all processes reach the vault through. */
let wayToVault: DatabaseProxy;
let service: WholeService;
let metricsPort: number;
beforeAll(async () => {
  vault = openEmptyDatabase();
  wayToVault = await startDatabaseProxy(vault.url);
  metricsPort = await freePort();
  service = await startWholeService(testEngines().redisUrl, {
    environment: { VAULT_URL: wayToVault.url, METRICS_PORT: String(metricsPort) },
  });
});
afterAll(async () => {
  await service.close();
  await wayToVault.close();
  await vault.close();
});

/** The settings of chairside-admin. Sections may change them. */
let settings: Record<string, string>;
/** The variables that the commands name. Each section gets new ids, because some levers end things for ever. */
let variables: Record<string, string>;
/** An operator who has just signed in. */
let operator: Operator;

const authorized = (token: string): string => `Token ${token}`;
type Operator = { email: string; password: string; token: string };
const signIn = async (email: string, password: string): Promise<string> => {
  const { status, json } = await service.call('POST', '/api/sessions', { email, password });
  expect(status).toBe(200);
  return json.token;
};
const createOperator = async (): Promise<Operator> => {
  const [email, password] = [`${newId()}@example.com`.toLowerCase(), 'a password of the test'];
  await service.practice.store.operators.create({ email, password, role: 'administrator' }, new Date());
  return { email, password, token: await signIn(email, password) };
};
const statusOfSession = async (token: string): Promise<number> =>
  (await service.call('GET', '/api/sessions/current', undefined, authorized(token))).status;

const dispatcherUrl = async (): Promise<string> => {
  const { address } = await service.dispatcher.logged(({ msg }) => msg === 'dispatching');
  return `http://127.0.0.1:${address.port}`;
};

/** The section that has begun and not ended. If it has failed, its lever may still be in force, and the others are not run. */
let unfinished: string | undefined;
beforeEach(async () => {
  expect(unfinished).toBeUndefined();
  const { organizationId, store, administrator } = service.practice;
  operator = await createOperator();
  const key = await createKey(store, { name: 'x', scopes: ['patients:read'], rateLimit: 1000 }, new Date());
  const body = { name: 'x', access: 'webhooks' };
  const token = await service.call('POST', '/api/sessions/current/tokens', body, authorized(operator.token));
  settings = {
    ...environmentOf(service),
    VAULT_URL: wayToVault.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: service.redisPrefix,
  };
  variables = {
    ORG: organizationId,
    SUBSCRIPTION: service.subscription._id,
    HOST: new URL(service.receiver.url).host,
    KEY: key._id,
    TOKEN: token.json._id,
    OPERATOR: operator.email,
    SESSION: await signIn(administrator.email, administrator.password),
    // A section leaves nothing behind that holds the webhooks of the next one.
    PATIENT: (await writeSent()).patientId,
    SINCE: new Date(Date.now() - 3_600_000).toISOString(),
    UNTIL: new Date(Date.now() + 3_600_000).toISOString(),
    YOU: 'you@example.com',
    API: service.address,
    API_METRICS: `http://127.0.0.1:${metricsPort}`,
    DISPATCHER: await dispatcherUrl(),
    REDIS_URL: settings.REDIS_URL ?? '',
  };
  secrets = { key: key.secret, token: token.json.token };
});
/** The secrets of `$KEY` and `$TOKEN`. */
let secrets: { key: string; token: string };

type Written = { patientId: string; requestId: string };
/** Writes a patient with the API. */
const write = async (): Promise<Written> => {
  const [clinicId] = service.practice.clinicIds;
  const { status, json, requestId } = await service.call('POST', '/api/patients', { clinicId });
  expect(status).toBe(200);
  return { patientId: json._id, requestId };
};
const isReceived = (patientId: string): boolean =>
  service.receiver.posts.some(({ json }) => json.data._id === patientId);
const received = ({ patientId }: Pick<Written, 'patientId'>): Promise<void> =>
  service.receiver.until(() => isReceived(patientId));
type Stored = { _id: string; status: string };
const stateOf = async ({ requestId }: Written): Promise<string | undefined> =>
  (await service.database.collection<Stored>('deliveries').findOne({ requestId }))?.status;
const untilState = (written: Written, state: string): Promise<void> =>
  expect.poll(() => stateOf(written)).toBe(state);
/** Writes a patient, whose webhook gets this state and is not sent. */
const writeUnsent = async (state: 'queued' | 'skipped'): Promise<Written> => {
  const written = await write();
  await untilState(written, state);
  expect(isReceived(written.patientId)).toBe(false);
  return written;
};
const writeSent = async (): Promise<Written> => {
  const written = await write();
  await received(written);
  return written;
};

const restartDispatcher = async (changes?: Record<string, string>): Promise<void> => {
  await service.dispatcher.end('SIGTERM');
  await service.startDispatcher(changes);
  variables.DISPATCHER = await dispatcherUrl();
};

const expanded = (command: string): string =>
  command.replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? '');

type Ended = { code: number | null; stdout: string; stderr: string };
const runAdmin = async (args: string): Promise<Ended> => {
  const run = () => startCliInShell({ ...settings, ...variables }, args).ended;
  let ended = await run();
  // On a busy machine, a check of `doctor`, which changes nothing, may have no result in time.
  while (args.startsWith('doctor') && ended.stdout.includes('no result within')) ended = await run();
  return ended;
};

/** How a command begins that sends an administrator's access token. Nobody sees the token in the list of processes. */
const AS_ADMINISTRATOR = `printf 'Authorization: Token %s' "$SESSION" | curl -sS -H @- `;
const [SYSTEMD, KUBERNETES] = [
  'systemctl restart ',
  'kubectl -n chairside rollout restart deployment/',
] as const;
const REDIS = 'redis-cli -u $REDIS_URL ';

/**
 * Makes the request of `curl`, and selects the lines that `grep` would.
 *
 * @param target the rest of the command, behind the options of `curl`
 */
const request = async (target: string, headers: Record<string, string>): Promise<string> => {
  const { url = '', metric } =
    /^"?(?<url>\$\S+?)"?(?: \| grep (?<metric>\w+)| > [\w.]+)?$/.exec(target)?.groups ?? {};
  const response = await fetch(expanded(url), { headers });
  const text = await response.text();
  expect({ target, status: response.status, text }).toMatchObject({ status: 200 });
  if (metric === undefined) return text;
  // A name that is only the beginning of other names is no metric.
  expect(text).toMatch(new RegExp(`^# TYPE ${metric} `, 'm'));
  const found = text.split('\n').filter((line) => line.includes(metric));
  return found.join('\n');
};

/** How the commands of the page are run, by their beginning. Each takes the rest of the command, and returns the output. */
const RUNNERS: Readonly<Record<string, (rest: string, exitCode: number) => Promise<string>>> = {
  async 'chairside-admin '(rest, exitCode) {
    const { code, stdout, stderr } = await runAdmin(rest);
    expect({ rest, code, stdout, stderr }).toMatchObject({ code: exitCode });
    return stdout;
  },
  async 'OUTBOUND='(OUTBOUND) {
    await restartDispatcher({ OUTBOUND });
    return '';
  },
  'curl -s ': (rest) => request(rest, {}),
  [AS_ADMINISTRATOR]: (rest) => request(rest, { authorization: authorized(variables.SESSION ?? '') }),
  async [REDIS](rest) {
    const [name = '', ...args] = rest.split(' ');
    const servers = redisServers();
    const answers = await Promise.all(servers.map((server) => server.call(name, ...args)));
    for (const server of servers) server.disconnect();
    return answers.join('\n');
  },
  // Tests have neither systemd nor a cluster. What these commands name must exist.
  async [SYSTEMD](unit) {
    expect(existsSync(new URL(`../../../deploy/systemd/${unit}.service`, import.meta.url))).toBe(true);
    return '';
  },
  async [KUBERNETES](name) {
    const manifests = read('deploy/kubernetes/webhook-dispatcher.yaml').split(/^---$/m);
    const deployment = manifests.find((manifest) => /^kind: Deployment$/m.test(manifest));
    expect(deployment).toMatch(new RegExp(`^  name: ${name}$`, 'm'));
    return '';
  },
};

const runLine = ({ command, exitCode }: Line): Promise<string> => {
  const names = [...command.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
  expect({ command, unknown: names.filter((name) => !(name in variables)) }).toEqual({
    command,
    unknown: [],
  });
  const [beginning = '', run] =
    Object.entries(RUNNERS).find(([beginning]) => command.startsWith(beginning)) ?? [];
  if (run === undefined) throw new Error(`the test cannot run this command of the page: ${command}`);
  return run(command.slice(beginning.length), exitCode);
};

/** What is made before a section, and what is looked at after some of its lines. */
type Section = {
  before?(): Promise<void>;
  after: Readonly<Record<string, (output: string) => Promise<void>>>;
};

/** The webhook that the lever of a section holds. */
let held: Written;
const hold = async (): Promise<void> => {
  held = await writeUnsent('queued');
};

const receiverFails: Section = {
  async before() {
    service.receiver.respond = (_post, response) => void response.writeHead(500).end();
    await untilState(await write(), 'failed');
    service.receiver.respond = (_post, response) => void response.end();
  },
  after: {
    'chairside-admin delivery list --subscription $SUBSCRIPTION --outcome failed': async (output) =>
      expect(output).toContain('status 500'),
    'chairside-admin host block $HOST --reason "Down until 18:00"': hold,
    'chairside-admin host unblock $HOST': () => received(held),
  },
};

const receiverGetsWrong: Section = {
  after: {
    'chairside-admin host block $HOST': hold,
    'chairside-admin subscription disable $SUBSCRIPTION': async () => void (await writeUnsent('skipped')),
    async 'chairside-admin host unblock $HOST'() {
      await untilState(held, 'skipped');
      const { SUBSCRIPTION = '', SESSION = '' } = variables;
      const path = `/api/webhooksubscriptions/${SUBSCRIPTION}`;
      const { status } = await service.call('PUT', path, { active: true }, authorized(SESSION));
      expect(status).toBe(200);
      await writeSent();
      expect(isReceived(held.patientId)).toBe(false);
    },
  },
};

const statusWith = async (as: string, path: string): Promise<number> =>
  (await service.call('GET', path, undefined, as)).status;
const keyPublished: Section = {
  before: async () => expect(await statusWith(basic(secrets.key), '/api/patients')).toBe(200),
  after: {
    'chairside-admin apikey revoke $KEY --reason "Published in a repository"': () =>
      expect.poll(() => statusWith(basic(secrets.key), '/api/patients')).toBe(401),
    'chairside-admin programtoken revoke $TOKEN': () =>
      expect.poll(() => statusOfSession(secrets.token)).toBe(401),
    'chairside-admin session end --operator $OPERATOR': () =>
      expect.poll(() => statusOfSession(operator.token)).toBe(401),
    [`${AS_ADMINISTRATOR}"$API/api/auditentries?principalId=$KEY"`]: async (output) =>
      expect(JSON.parse(output)).toMatchObject([{ principal: { id: variables.KEY } }]),
  },
};

let newPassword: string;
const laptopStolen: Section = {
  after: {
    'chairside-admin session end --operator $OPERATOR --dry-run': async (output) =>
      expect(output).toContain('Would end 1 sessions'),
    async 'chairside-admin operator disable $OPERATOR'() {
      await expect.poll(() => statusOfSession(operator.token)).toBe(401);
      await expect.poll(() => statusOfSession(secrets.token)).toBe(401);
    },
    async 'chairside-admin operator reset-password $OPERATOR'(output) {
      newPassword = /^password (\S+)$/m.exec(output)?.[1] ?? '';
    },
    'chairside-admin operator enable $OPERATOR': async () => void (await signIn(operator.email, newPassword)),
  },
};

const organizationSuspended: Section = {
  after: {
    async 'chairside-admin organization suspend $ORG --reason "Contract ended"'() {
      await expect.poll(() => statusWith(basic(secrets.key), '/api/patients')).toBe(403);
      // A write that was in flight when the organization was suspended.
      const { eventId } = await writePatient(service.practice, service.practice.clinicIds[0]);
      const find = () => service.database.collection<Stored>('deliveries').findOne({ eventId });
      await expect.poll(async () => (await find())?.status).toBe('queued');
      held = { patientId: '', requestId: 'test' };
    },
    async 'chairside-admin organization resume $ORG'() {
      await untilState(held, 'succeeded');
      await expect.poll(() => statusWith(basic(secrets.key), '/api/patients')).toBe(200);
    },
  },
};

let wrong: Written;
const releaseWrong: Section = {
  after: {
    async 'OUTBOUND=hold'() {
      wrong = await writeUnsent('queued');
      variables.UNTIL = new Date().toISOString();
      await hold();
    },
    'chairside-admin outbound release --dry-run': async (output) =>
      expect(output).toContain('Would release 2 deliveries'),
    async 'chairside-admin outbound discard --organization $ORG --since $SINCE --until $UNTIL'() {
      await untilState(wrong, 'skipped');
      expect(await stateOf(held)).toBe('queued');
    },
    async 'chairside-admin outbound release --organization $ORG'() {
      await received(held);
      await hold();
    },
    async 'OUTBOUND=send'() {
      await received(held);
      expect(isReceived(wrong.patientId)).toBe(false);
    },
  },
};

const copyOfProduction: Section = {
  after: {
    'OUTBOUND=off': async () => void (await writeUnsent('skipped')),
    async 'curl -s $DISPATCHER/metrics | grep chairside_outbound'(output) {
      expect(output).toContain('chairside_outbound{state="off"} 1');
      await restartDispatcher();
      await writeSent();
    },
  },
};

/** What a restore does: the number of the database is one that the vault has passed. */
const goBack = () =>
  service.database.collection('sequence').updateOne({}, { $set: { number: 0, time: new Date() } });
const restartEnded = async (): Promise<void> => {
  expect(await service.dispatcher.exited).toBe(1);
  await service.startDispatcher();
};
const restored: Section = {
  async before() {
    await service.dispatcher.end('SIGTERM');
    await goBack();
    await service.startDispatcher();
    wrong = await writeUnsent('queued');
    variables.UNTIL = new Date().toISOString();
    await hold();
  },
  after: {
    'chairside-admin doctor': async (output) =>
      expect(output).toContain('restore: this database was restored from a backup'),
    async 'chairside-admin restore seal'() {
      await expect.poll(() => statusOfSession(operator.token)).toBe(401);
      await restartEnded();
      expect(await stateOf(held)).toBe('queued');
    },
    'chairside-admin outbound discard --until $UNTIL': () => untilState(wrong, 'skipped'),
    async 'chairside-admin outbound release'() {
      await restartEnded();
      await received(held);
      await writeSent();
      await service.dispatcher.end('SIGTERM');
      await goBack();
      held = await write();
    },
    async 'chairside-admin restore none'() {
      await service.startDispatcher();
      await received(held);
      expect(isReceived(wrong.patientId)).toBe(false);
    },
  },
};

let elsewhere: Practice;
let patientElsewhere: string;
const statusElsewhere = (): Promise<number> =>
  statusWith(basic(elsewhere.apiKey), `/api/patients/${patientElsewhere}`);
let bringVaultBack: () => void;
const vaultAway: Section = {
  async before() {
    // The api and the dispatcher do not have the keys of this practice yet. They would keep them for a minute.
    elsewhere = await createPractice(service.store);
    const [clinicId] = elsewhere.clinicIds;
    await elsewhere.store.subscriptions.create(
      { clinicId, url: service.receiver.url, events: [], active: true },
      new Date(),
    );
    // This process keeps them, to write while the vault is away.
    await service.store.ciphers.of(elsewhere.organizationId);
    bringVaultBack = wayToVault.inject({ matches: () => true, fault: { kind: 'cut', when: 'before' } });
    patientElsewhere = (await writePatient(elsewhere, clinicId)).recordId;
    expect(await statusElsewhere()).toBe(503);
  },
  after: {
    'curl -s $API/health/ready': async (output) => expect(JSON.parse(output)).toEqual({ status: 'ok' }),
    'curl -s $API_METRICS/metrics | grep chairside_api_database_failures_total': async (output) =>
      expect(output).toMatch(/\{reason="unreachable"\} [1-9]/),
    async 'chairside-admin doctor'(output) {
      expect(output).toContain('✗ vault: cannot be examined');
      expect(isReceived(patientElsewhere)).toBe(false);
      bringVaultBack();
      await received({ patientId: patientElsewhere });
      await expect.poll(statusElsewhere).toBe(200);
      expect((await runAdmin('doctor')).code).toBe(0);
    },
  },
};

const redisAway: Section = {
  async before() {
    for (const server of redisServers()) {
      for (const name of await server.keys(`${service.redisPrefix}*`)) await server.unlink(name);
      server.disconnect();
    }
    await writeSent();
    await service.api.end('SIGTERM');
    await service.startApi({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    variables.API = service.address;
  },
  after: {
    async 'curl -s $API/health/ready'(output) {
      expect(JSON.parse(output)).toEqual({ status: 'degraded' });
      await writeSent();
      await service.api.end('SIGTERM');
      await service.startApi();
    },
    'redis-cli -u $REDIS_URL ping': async (output) => expect(output).toContain('PONG'),
    'chairside-admin doctor': async (output) => expect(output).toContain('✓ Redis'),
  },
};

let mails: Awaited<ReturnType<typeof startMailServer>>;
const mailRefused: Section = {
  async before() {
    mails = await startMailServer();
    onTestFinished(mails.close);
    await mails.behave({ refuse: { at: 'sender', code: 451 } });
    Object.assign(settings, { MAIL_URL: mails.url, MAIL_FROM: 'chairside@example.com' });
  },
  after: {
    async 'chairside-admin doctor --mail $YOU'(output) {
      expect(output).toMatch(/✗ mail: .* 451 /);
      await mails.behave({});
      expect((await runAdmin('doctor --mail you@example.com')).code).toBe(0);
      expect(mails.mails).toMatchObject([{ to: ['you@example.com'] }]);
    },
    async 'chairside-admin operator reset-password $OPERATOR'(output) {
      await signIn(operator.email, /^password (\S+)$/m.exec(output)?.[1] ?? '');
    },
  },
};

const statusOfPatient = () => statusWith(basic(secrets.key), `/api/patients/${variables.PATIENT}`);
const patientDemands: Section = {
  after: {
    [`${AS_ADMINISTRATOR}$API/api/patients/$PATIENT/export > patient.json`]: async (output) =>
      expect(JSON.parse(output)).toMatchObject({ patient: { _id: variables.PATIENT } }),
    'chairside-admin patient erase $PATIENT --organization $ORG --dry-run': async () =>
      expect(await statusOfPatient()).toBe(200),
    'chairside-admin patient erase $PATIENT --organization $ORG': async () =>
      expect(await statusOfPatient()).toBe(404),
  },
};

const dispatcherHangs: Section = {
  after: {
    async 'curl -s $DISPATCHER/metrics | grep chairside_sweep_age_seconds'() {
      service.dispatcher.send('SIGSTOP');
      held = await write();
    },
    async 'systemctl restart chairside-webhook-dispatcher'() {
      expect(isReceived(held.patientId)).toBe(false);
      await service.dispatcher.end('SIGKILL');
      await service.startDispatcher();
      await received(held);
    },
  },
};

const steppedDown: Section = {
  after: {
    'curl -s $API_METRICS/metrics | grep chairside_api_not_ready': async (output) =>
      expect(output).toContain('chairside_api_not_ready{reason="database_unreachable"} 0'),
    'chairside-admin doctor': async (output) => expect(output).toContain('✓ topology: '),
  },
};

const SECTIONS: Readonly<Record<string, Section>> = {
  'A receiver is down or overloaded': receiverFails,
  'A receiver gets what it must not': receiverGetsWrong,
  'A key or a token was published': keyPublished,
  'A laptop was stolen': laptopStolen,
  'An organization floods the service, or its contract has ended': organizationSuspended,
  'A release sends wrong webhooks': releaseWrong,
  'A copy of production must send nothing': copyOfProduction,
  'The database was restored from a backup': restored,
  'The vault is away': vaultAway,
  'Redis is empty or away': redisAway,
  'The mail server refuses': mailRefused,
  'A patient demands their data, or its erasure': patientDemands,
  'A dispatcher hangs': dispatcherHangs,
  'MongoDB has stepped down': steppedDown,
};

test('every section of the page is run', () => {
  expect([...page.keys()]).toEqual(Object.keys(SECTIONS));
});

test.each([...page])(
  '%s: each command works, with the effect that the page promises',
  async (name, lines) => {
    const { before, after } = SECTIONS[name] as Section;
    expect(lines.map(({ command }) => command)).toEqual(expect.arrayContaining(Object.keys(after)));
    await before?.();
    for (const line of lines) {
      const output = await runLine(line);
      await after[line.command]?.(output);
    }
    unfinished = undefined;
    // A section leaves nothing behind that holds the next one.
    await writeSent();
  },
);
