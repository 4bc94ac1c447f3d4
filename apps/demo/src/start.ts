import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Engines, startEngines } from '@chairside/local-services';
import { databaseNamedBy, openStore, type Store, withDatabase } from '@chairside/mongodb';
import { SERVICE_FLAGS, type ServerProcess } from '@chairside/processes';
import { connectorSettings } from './connector.ts';
import type { DataFolder, DemoFacts, SignedInOrganization } from './data-folder.ts';
import { directions } from './directions.ts';
import { showMainJob } from './main-job.ts';
import { choosePorts, type Ports } from './ports.ts';
import { createPractice, type DemoOrganization } from './practice.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';
import { RECORDS } from './records.ts';
import { type Service, startService } from './service.ts';
import { importSettings, SETTINGS } from './settings.ts';
import { signIn } from './sign-in.ts';
import type { Steps } from './steps.ts';

/** The folders of the apps that the demo runs, below `apps`. */
const FOLDERS = {
  api: 'api',
  'webhook-dispatcher': 'webhook-dispatcher',
  dashboard: 'dashboard/server',
  mcp: 'mcp',
} as const;
type App = keyof typeof FOLDERS;

const NAMES = ['Chairside Demo Practice', 'Second Demo Practice'];

/** The running parts. They are stopped in the reverse order of their start. */
type Running = { stop(): Promise<void> }[];

export type StartOptions = {
  data: DataFolder;
  steps: Steps;
  print: (line: string) => void;
  /** Interrupts the start: `start` throws the reason of the signal, and `running` has the parts that were started. */
  signal: AbortSignal;
  running: Running;
  /** The arguments of Node.js that run an app. */
  argumentsOf?: (app: string) => string[];
  /** Records the running processes, so that the watchdog can stop them if this process crashes. */
  record: (servers: readonly ServerProcess[]) => Promise<void>;
};

/** Adds the name of the database to a given URL, because other programs use the printed URL too. */
const databaseIn = (mongodbUrl: string): string =>
  databaseNamedBy(mongodbUrl) === undefined ? withDatabase(mongodbUrl, 'chairside') : mongodbUrl;

const builtApp = (app: string): string[] => [
  ...SERVICE_FLAGS,
  fileURLToPath(new URL(`../../${app}/dist/main.js`, import.meta.url)),
];

/** The ports of the last start. */
const portsOf = (facts: DemoFacts | undefined): Partial<Ports> => {
  const { api, dispatcher, receiver, metrics, dashboard, dashboardMetrics } = facts ?? {};
  const { mcp, mcpMetrics, introspection } = facts ?? {};
  const urls = { api, dispatcher, receiver, metrics, dashboard, dashboardMetrics };
  return Object.fromEntries(
    Object.entries({ ...urls, mcp, mcpMetrics, introspection }).flatMap(([part, url]) =>
      url === undefined ? [] : [[part, Number(new URL(url).port)]],
    ),
  );
};

const signInBoth = async (api: string, organization: DemoOrganization): Promise<SignedInOrganization> => ({
  ...organization,
  administrator: await signIn(api, organization.administrator),
  staff: await signIn(api, organization.staff),
});

/**
 * Returns the practices of an earlier start, if this database has them. Updates their subscriptions to the receiver's
 * URL, and adds settings that an earlier version did not have.
 */
const findPractices = async (
  store: Store,
  kept: readonly DemoOrganization[],
  receiverUrl: string,
): Promise<readonly DemoOrganization[] | undefined> => {
  for (const { _id, webhookSubscriptionId } of kept) {
    const { subscriptions } = store.organization(_id);
    const found = await subscriptions.find(webhookSubscriptionId);
    if (found === undefined) return undefined;
    if (found.url !== receiverUrl || !found.active) {
      await subscriptions.update(webhookSubscriptionId, { url: receiverUrl, active: true }, new Date());
    }
  }
  if (kept.length !== NAMES.length) return undefined;
  for (const practice of kept) await addSettings(store, practice);
  return kept;
};

/** Gives a practice of an earlier version, which had no settings, those of a new one. Leaves other practices alone. */
const addSettings = async (store: Store, { _id, clinicIds }: DemoOrganization): Promise<void> => {
  const { openingHours } = store.organization(_id);
  const [first = ''] = clinicIds;
  if ((await openingHours.find(first)) !== undefined) return;
  const importer = await store.everyOrganization.administration.importer({ id: 'demo', organizationId: _id });
  await importSettings(importer, { openingHours }, clinicIds, new Date());
};

/** Hands each delivery to the functions that wait for it. */
const createArrivals = () => {
  const waiting = new Set<{
    matches: (received: Received) => boolean;
    resolve: (received: Received) => void;
  }>();
  return {
    add(received: Received) {
      for (const waiter of waiting) {
        if (!waiter.matches(received)) continue;
        waiting.delete(waiter);
        waiter.resolve(received);
      }
    },
    next: (matches: (received: Received) => boolean): Promise<Received> =>
      new Promise((resolve) => waiting.add({ matches, resolve })),
  };
};

/**
 * Starts engines, api, dispatcher, dashboard, connector and receiver, creates the practices at the first start, and shows the main job.
 * `running` has every started part, even if this function throws.
 *
 * @returns the services, which must not exit by themselves
 */
export const start = async ({
  data,
  steps,
  print,
  signal,
  running,
  record,
  argumentsOf = builtApp,
}: StartOptions): Promise<Service[]> => {
  const engines: Engines = await steps.run(
    'MongoDB and Redis',
    (say) => startEngines({ dataDirectory: data.path, onProgress: say, signal }),
    ({ mongodb, redis }) => `${mongodb.source}; ${redis.source}`,
  );
  running.push(engines);
  const mongodbUrl = databaseIn(engines.mongodb.url);
  const redisUrl = engines.redis.url;

  const keptFacts = await data.readFacts();
  const ports = await choosePorts(process.env, portsOf(keptFacts), (line) => print(`  · ${line}`));
  const api = `http://127.0.0.1:${ports.api}`;
  const dispatcher = `http://127.0.0.1:${ports.dispatcher}`;
  const metrics = `http://127.0.0.1:${ports.metrics}`;
  const dashboard = `http://127.0.0.1:${ports.dashboard}`;
  const dashboardMetrics = `http://127.0.0.1:${ports.dashboardMetrics}`;
  const mcp = `http://127.0.0.1:${ports.mcp}/mcp`;
  const mcpMetrics = `http://127.0.0.1:${ports.mcpMetrics}`;
  const introspection = `http://127.0.0.1:${ports.introspection}`;

  const environment = {
    MONGODB_URL: mongodbUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: await data.encryptionKeys(),
    // The demo's receiver listens on loopback, which is blocked for webhooks by default.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  let servers: ServerProcess[] = [];
  const startApp = (app: App, settings: Readonly<Record<string, string>>, url: string): Promise<Service> =>
    steps.run(
      app,
      () =>
        startService({
          name: app,
          nodeArguments: argumentsOf(FOLDERS[app]),
          environment: settings,
          readyUrl: new URL('/health/ready', url).href,
          folder: data.path,
          onSpawned: (server) => {
            servers = [...servers, server];
            return record(servers);
          },
          signal,
        }),
      ({ pid }) => `${url}, process ${pid}`,
    );
  const services: Service[] = [];
  // The services stop concurrently, because each one first drains.
  running.push({ stop: async () => void (await Promise.all(services.map((service) => service.stop()))) });
  // Both sides get it anew with each start.
  const proxySecret = randomBytes(32).toString('base64url');
  const apiSettings = {
    ...environment,
    PORT: String(ports.api),
    METRICS_PORT: String(ports.metrics),
    PROXY_SECRET: proxySecret,
    DASHBOARD_URL: dashboard,
  };
  services.push(await startApp('api', apiSettings, api));
  const dispatcherSettings = { ...environment, HEALTH_PORT: String(ports.dispatcher) };
  services.push(await startApp('webhook-dispatcher', dispatcherSettings, dispatcher));
  const { connector, authorizationServer } = connectorSettings({
    dashboard,
    mcp,
    ports,
    mongodbUrl,
    redisUrl,
    oauthKeys: await data.oauthKeys(),
  });
  const dashboardSettings = {
    ...authorizationServer,
    PORT: String(ports.dashboard),
    METRICS_PORT: String(ports.dashboardMetrics),
    PUBLIC_URL: dashboard,
    API_URL: api,
    PROXY_SECRET: proxySecret,
  };
  services.push(await startApp('dashboard', dashboardSettings, dashboard));
  services.push(await startApp('mcp', connector, mcp));

  let organizations: readonly DemoOrganization[] = [];
  const arrivals = createArrivals();
  const receiver: Receiver = await steps.run(
    'receiver',
    () =>
      startReceiver(
        ports.receiver,
        () => organizations.map(({ webhookSecret }) => webhookSecret),
        (received) => {
          const what =
            'event' in received ? `✓ ${received.event.event} ${received.event.id}` : `✗ ${received.refusal}`;
          print(`  webhook ${what}`);
          arrivals.add(received);
        },
      ),
    ({ url }) => url,
  );
  running.push({ stop: receiver.close });

  const store = openStore({
    url: mongodbUrl,
    encryptionKeys: environment.ENCRYPTION_KEYS,
    appName: 'chairside-demo',
  });
  running.push({ stop: store.close });
  const kept = keptFacts?.organizations ?? [];
  organizations = await steps.run('demo practices', async (say) => {
    const found = await findPractices(store, kept, receiver.url);
    if (found !== undefined) return found;
    say(`2 practices, each with ${RECORDS}, ${SETTINGS}`);
    return Promise.all(NAMES.map((name) => createPractice(store, name, receiver.url)));
  });

  const facts = await steps.run('signed in', async (): Promise<DemoFacts> => {
    const signedIn = await Promise.all(organizations.map((organization) => signInBoth(api, organization)));
    return {
      api,
      dispatcher,
      dashboard,
      receiver: receiver.url,
      metrics,
      dashboardMetrics,
      mcp,
      mcpMetrics,
      introspection,
      mongodbUrl,
      redisUrl,
      cli: 'npm run --silent cli --',
      organizations: signedIn,
    };
  });
  await data.writeFacts(facts);

  const [first] = facts.organizations;
  const [clinicId] = first?.clinicIds ?? [];
  if (first === undefined || clinicId === undefined) throw new Error('no demo practice exists');
  await showMainJob({ api, apiKey: first.apiKey, clinicId }, arrivals.next, print, signal);
  for (const line of directions(facts)) print(line);
  return services;
};
