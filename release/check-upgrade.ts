/**
 * Runs the last release and the present version side by side on one database, in every mix of api, dispatcher,
 * dashboard and connector, under load, and then encrypts the database: `npm run check:upgrade`. No request may fail, and each
 * event arrives once.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import { killAtExit } from '@chairside/processes';
import { startRecordingReceiver } from '@chairside/test-support';
import { connectAssistant, openBrowser } from './assistant.ts';
import { root } from './builder.ts';
import { type Front, openFront } from './front.ts';
import { type Load, startLoad } from './load.ts';
import { createPractice, verifiedRecord } from './practice.ts';
import { checkOutRelease } from './released.ts';
import { outputOf, type Running, untilReady } from './service.ts';
import { databaseAt, freePorts, PORTS, SERVICES, type Service, textOf } from './settings.ts';

/** The number of patients that the load creates in each mix. */
const PATIENTS = 40;
const print = (line = ''): void => console.log(line);
const secret = (): string => randomBytes(32).toString('base64');

type Version = { name: string; folder: string };

const { folder, commit } = await checkOutRelease();
const versions: readonly [Version, Version] = [
  { name: `release ${commit.slice(0, 8)}`, folder },
  { name: 'present version', folder: root },
];

const entryOf = ({ folder: tree }: Version, app: Service | 'admin'): string =>
  join(tree, 'apps', app === 'dashboard' ? 'dashboard/server' : app, 'src/entry.ts');
const runProgram = (
  version: Version,
  app: Service | 'admin',
  settings: Record<string, string>,
  given: readonly string[] = [],
) =>
  killAtExit(
    spawn(process.execPath, ['--conditions=@chairside/source', entryOf(version, app), ...given], {
      cwd: version.folder,
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );

const engines = await startEngines({ ephemeral: true, onProgress: print });
const fronts: Record<'api' | 'dashboard' | 'introspection' | 'mcp', Front> = {
  api: await openFront(),
  dashboard: await openFront(),
  introspection: await openFront(),
  mcp: await openFront(),
};
const receiver = await startRecordingReceiver();

const MONGODB_URL = databaseAt(engines.mongodb.url, 'upgrade');
const REDIS_URL = engines.redis.url;
const shared = {
  MONGODB_URL,
  REDIS_URL,
  ENCRYPTION_KEYS: `1:${secret()}`,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};
const PROXY_SECRET = randomBytes(24).toString('hex');
const MCP_URL = `${fronts.mcp.address}/mcp`;
const INTROSPECTION_SECRET = randomBytes(24).toString('hex');
const settings: Record<Service | 'admin', Record<string, string>> = {
  api: { ...shared, PROXY_SECRET, DASHBOARD_URL: fronts.dashboard.address },
  'webhook-dispatcher': shared,
  dashboard: {
    API_URL: fronts.api.address,
    PUBLIC_URL: fronts.dashboard.address,
    PROXY_SECRET,
    MCP_URL,
    MONGODB_URL,
    OAUTH_KEYS: `1:${secret()}`,
    INTROSPECTION_SECRET,
  },
  mcp: {
    MONGODB_URL,
    REDIS_URL,
    MCP_URL,
    AUTHORIZATION_SERVER_URL: fronts.dashboard.address,
    INTROSPECTION_URL: `${fronts.introspection.address}/introspect`,
    INTROSPECTION_SECRET,
  },
  admin: shared,
};

type Process = Running & { version: 0 | 1; address: string };
const running = new Map<Service, Process>();

/** Starts a version of a service, and leads requests to it when it is ready. */
const start = async (service: Service, version: 0 | 1): Promise<Process> => {
  const ports = await freePorts(service);
  const child = runProgram(versions[version], service, { ...settings[service], ...textOf(ports) });
  const address = `http://127.0.0.1:${ports[PORTS[service][0]]}`;
  const name = `${service} of the ${versions[version].name}`;
  const ready = await untilReady(name, child, `${address}/health/ready`);
  if (service === 'api' || service === 'dashboard' || service === 'mcp')
    fronts[service].leadTo(ports.PORT ?? 0);
  if (service === 'dashboard') fronts.introspection.leadTo(ports.INTROSPECTION_PORT ?? 0);
  return { ...ready, version, address };
};

/** Replaces a service by the other version of it: the new process is ready before the old one ends. */
const replace = async (service: Service, version: 0 | 1, load: Load): Promise<void> => {
  const before = running.get(service);
  const next = await start(service, version);
  running.set(service, next);
  if (service === 'api') load.add(next.address);
  if (before === undefined) return;
  if (service === 'api') await load.remove(before.address);
  await before.end();
};

/**
 * All mixes of two versions of four services, from the release alone to the present version alone. Two mixes that follow
 * each other differ in one service, so that there are upgrades and rollbacks of each (Gray code).
 */
const mixes = (): (0 | 1)[][] => {
  const codes = Array.from({ length: 16 }, (_, index) => index ^ (index >> 1));
  // The last code is 1000, so three more upgrades follow.
  return [...codes, 0b1100, 0b1110, 0b1111].map((code) => [8, 4, 2, 1].map((bit) => (code & bit ? 1 : 0)));
};

const admin =
  (version: 0 | 1) =>
  (...given: string[]) =>
    outputOf(
      `chairside-admin ${given.join(' ')}`,
      runProgram(versions[version], 'admin', settings.admin, given),
    );

try {
  for (const service of SERVICES) running.set(service, await start(service, 0));
  const practice = await createPractice(admin(0), running.get('api')?.address ?? '', receiver);
  const browse = openBrowser(fronts.dashboard.address);
  await browse('/session', practice.administrator);
  const callTool = await connectAssistant(MCP_URL, browse);
  const load = startLoad([running.get('api')?.address ?? ''], practice.authorization, practice.clinicId);

  print();
  print(
    `0: ${versions[0].name}, 1: ${versions[1].name}, on ${engines.mongodb.source} and ${engines.redis.source}`,
  );
  print(`${SERVICES.join('  ')}`);
  for (const mix of mixes()) {
    for (const [index, service] of SERVICES.entries()) {
      const version = mix[index] ?? 0;
      if (running.get(service)?.version !== version) await replace(service, version, load);
    }
    await load.untilMore(PATIENTS);
    const list = await browse('/api/patients?limit=1');
    if (!list.ok) throw new Error(`The dashboard responded with ${list.status}: ${await list.text()}`);
    await callTool('list_clinics');
    print(SERVICES.map((service, index) => String(mix[index]).padEnd(service.length)).join('  '));
  }

  const { verdicts } = JSON.parse(await admin(1)('doctor', '--json'));
  const registered: string = verdicts.find(
    ({ check }: { check: string }) => check === 'running processes',
  ).finding;
  print();
  print(`running processes: ${registered}`);
  if (!/^1 × api \S+, 1 × dashboard \S+, 1 × webhook-dispatcher \S+$/.test(registered))
    throw new Error('Each process must be registered once, and none that has ended.');
  print(`drop-retired: ${await admin(1)('indexes', 'drop-retired', '--json')}`);
  await replace('api', 0, load);
  await load.untilMore(PATIENTS);
  await replace('api', 1, load);
  await load.untilMore(PATIENTS);
  print(`encryption apply: ${await admin(1)('encryption', 'apply', '--json')}`);
  await load.untilMore(PATIENTS);
  await load.stop();
  const { created } = load;
  await receiver.until((posts) => posts.length >= created.length);
  const delivered = receiver.posts.map((post) => verifiedRecord(practice, post)).toSorted();
  if (JSON.stringify(delivered) !== JSON.stringify(created.toSorted()))
    throw new Error(`${created.length} patients were created, and ${delivered.length} webhooks arrived.`);
  print(`encryption check: ${await admin(1)('encryption', 'check', '--json')}`);
  print(`${created.length} requests succeeded, none was repeated; each event arrived once`);
} finally {
  await Promise.all([...running.values()].map((each) => each.end()));
  await Promise.all(Object.values(fronts).map((front) => front.close()));
  await receiver.close();
  await engines.stop();
}
