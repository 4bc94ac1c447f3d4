/**
 * Replaces each service by a new process of it under load, in the order of an upgrade and then in that of a downgrade, while the
 * old and the new process run side by side: `npm run check:upgrade`. No request may fail, and each event arrives once. The
 * new processes are those of this version, too. After the first release, the old ones are those of the release.
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
import { outputOf, type Running, untilReady } from './service.ts';
import { databaseAt, freePorts, PORTS, SERVICES, type Service, textOf } from './settings.ts';

/** The number of patients that the load creates after each replacement. */
const PATIENTS = 40;
const print = (line = ''): void => console.log(line);
const secret = (): string => randomBytes(32).toString('base64');

const entryOf = (app: Service | 'admin'): string =>
  join(root, 'apps', app === 'dashboard' ? 'dashboard/server' : app, 'src/entry.ts');
const runProgram = (
  app: Service | 'admin',
  settings: Record<string, string>,
  given: readonly string[] = [],
) =>
  killAtExit(
    spawn(process.execPath, ['--conditions=@chairside/source', entryOf(app), ...given], {
      cwd: root,
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

type Process = Running & { address: string };
const running = new Map<Service, Process>();

/** Starts a process of a service, and leads requests to it when it is ready. */
const start = async (service: Service): Promise<Process> => {
  const ports = await freePorts(service);
  const child = runProgram(service, { ...settings[service], ...textOf(ports) });
  const address = `http://127.0.0.1:${ports[PORTS[service][0]]}`;
  const ready = await untilReady(service, child, `${address}/health/ready`);
  if (service === 'api' || service === 'dashboard' || service === 'mcp')
    fronts[service].leadTo(ports.PORT ?? 0);
  if (service === 'dashboard') fronts.introspection.leadTo(ports.INTROSPECTION_PORT ?? 0);
  return { ...ready, address };
};

/** Replaces the process of a service: the new one is ready before the old one ends. */
const replace = async (service: Service, load: Load): Promise<void> => {
  const before = running.get(service);
  const next = await start(service);
  running.set(service, next);
  if (service === 'api') load.add(next.address);
  if (before === undefined) return;
  if (service === 'api') await load.remove(before.address);
  await before.end();
};

/** The order of an upgrade (docs/operation/upgrade.md), then that of a downgrade. */
const ORDER: readonly Service[] = [
  ...(['webhook-dispatcher', 'api', 'dashboard', 'mcp'] as const),
  ...(['mcp', 'dashboard', 'api', 'webhook-dispatcher'] as const),
];

const runAdmin = (given: string[], codes?: readonly number[]): Promise<string> =>
  outputOf(`chairside-admin ${given.join(' ')}`, runProgram('admin', settings.admin, given), codes);
const admin = (...given: string[]): Promise<string> => runAdmin(given);

try {
  for (const service of SERVICES) running.set(service, await start(service));
  const practice = await createPractice(admin, running.get('api')?.address ?? '', receiver);
  const browse = openBrowser(fronts.dashboard.address);
  await browse('/session', practice.administrator);
  const callTool = await connectAssistant(MCP_URL, browse);
  const load = startLoad([running.get('api')?.address ?? ''], practice.authorization, practice.clinicId);

  print(`\non ${engines.mongodb.source} and ${engines.redis.source}`);
  for (const service of ORDER) {
    await replace(service, load);
    await load.untilMore(PATIENTS);
    const list = await browse('/api/patients?limit=1');
    if (!list.ok) throw new Error(`The dashboard responded with ${list.status}: ${await list.text()}`);
    await callTool('list_clinics');
    print(`replaced: ${service}`);
  }

  // On a busy machine, a check that this one does not need may take longer than doctor waits: then it ends with 1.
  const { verdicts } = JSON.parse(await runAdmin(['doctor', '--json'], [0, 1]));
  const registered: string = verdicts.find(
    ({ check }: { check: string }) => check === 'running processes',
  ).finding;
  print(`\nrunning processes: ${registered}`);
  if (
    !/^1 × api \S+ \(\w+\), 1 × dashboard \S+ \(\w+\), 1 × webhook-dispatcher \S+ \(\w+\)$/.test(registered)
  )
    throw new Error('Each process must be registered once, and none that has ended.');
  await load.stop();
  const { created } = load;
  await receiver.until((posts) => posts.length >= created.length);
  const delivered = receiver.posts.map((post) => verifiedRecord(practice, post)).toSorted();
  if (JSON.stringify(delivered) !== JSON.stringify(created.toSorted()))
    throw new Error(`${created.length} patients were created, and ${delivered.length} webhooks arrived.`);
  print(`encryption check: ${await admin('encryption', 'check', '--json')}`);
  print(`${created.length} requests succeeded, none was repeated; each event arrived once`);
} finally {
  await Promise.all([...running.values()].map((each) => each.end()));
  await Promise.all(Object.values(fronts).map((front) => front.close()));
  await receiver.close();
  await engines.stop();
}
