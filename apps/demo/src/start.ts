import { type Engines, startEngines } from '@chairside/local-services';
import { databaseNamedBy, UnreadableFormError, withDatabase } from '@chairside/mongodb';
import { type AdministrationStore, openAdministrationStore } from '@chairside/mongodb/administration';
import { SERVICE_ENVIRONMENT, type ServerProcess } from '@chairside/processes';
import { addressesOf, portsOf } from './addresses.ts';
import { APPS, type App, builtApp, planApps } from './apps.ts';
import type { DataFolder, DemoFacts, SignedInOrganization } from './data-folder.ts';
import { directions } from './directions.ts';
import { type Inbox, startInbox } from './inbox.ts';
import { showMainJob } from './main-job.ts';
import { choosePorts, PARTS, type Ports } from './ports.ts';
import type { DemoOrganization } from './practice.ts';
import { createPractices, findPractices } from './practices.ts';
import { DemoProblem } from './problem.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';
import { RECORDS } from './records.ts';
import { type Service, startService } from './service.ts';
import { SETTINGS } from './settings.ts';
import { signIn } from './sign-in.ts';
import type { Steps } from './steps.ts';

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

/** Adds the database `chairside` to a URL without a database, because other programs use the printed URL too. */
const databaseIn = (mongodbUrl: string): string =>
  databaseNamedBy(mongodbUrl) === undefined ? withDatabase(mongodbUrl, 'chairside') : mongodbUrl;

const signInBoth = async (api: string, organization: DemoOrganization): Promise<SignedInOrganization> => ({
  ...organization,
  administrator: await signIn(api, organization.administrator),
  staff: await signIn(api, organization.staff),
});

/** @throws {DemoProblem} that names `npm run reset` if the data has the form of another version */
export const prepare = async (store: Pick<AdministrationStore, 'prepare'>): Promise<void> => {
  try {
    await store.prepare({ onWaiting() {}, onReady() {} });
  } catch (error) {
    if (!(error instanceof UnreadableFormError)) throw error;
    throw new DemoProblem(`${error.message} To start with new data, run: npm run reset`);
  }
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

/** Starts the apps one after the other. `services` contains every started app, even if this function throws. */
const startApps = async (
  plans: ReturnType<typeof planApps>,
  services: Service[],
  { data, steps, signal, record, argumentsOf = builtApp }: StartOptions,
): Promise<void> => {
  let servers: ServerProcess[] = [];
  for (const app of Object.keys(APPS) as App[]) {
    const { url, settings } = plans[app];
    const service = await steps.run(
      app,
      () =>
        startService({
          name: app,
          nodeArguments: argumentsOf(APPS[app]),
          environment: { ...SERVICE_ENVIRONMENT, ...settings },
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
    services.push(service);
  }
};

/** Maximum number of times that ports are chosen for one start. */
const MAX_CHOICES = 5;

/**
 * Chooses ports and calls `startAll` with them. If the call fails and another program has taken one of the ports,
 * chooses ports again and repeats the call.
 *
 * @param choose keeps the ports that are still free
 * @returns the result of `startAll`, and the ports that it used
 */
const onFreePorts = async <T>(
  kept: Partial<Ports>,
  choose: (kept: Partial<Ports>) => Promise<Ports>,
  startAll: (ports: Ports) => Promise<T>,
): Promise<{ ports: Ports; started: T }> => {
  let ports = await choose(kept);
  for (let choices = 1; ; choices++) {
    try {
      return { ports, started: await startAll(ports) };
    } catch (error) {
      const next = await choose(ports);
      const isSame = PARTS.every((part) => next[part] === ports[part]);
      if (isSame || choices === MAX_CHOICES) throw error;
      ports = next;
    }
  }
};

/** The line that reports a delivery: its event, or why the receiver refused it. */
const lineOf = (received: Received): string =>
  `  webhook ${'event' in received ? `✓ ${received.event.event} ${received.event.id}` : `✗ ${received.refusal}`}`;

/**
 * Starts engines, inbox, api, dispatcher, dashboard, connector and receiver, creates the practices at the first start, and
 * shows the main job. `running` has every started part, even if this function throws.
 *
 * @returns the services, which must not exit by themselves
 */
export const start = async (options: StartOptions): Promise<Service[]> => {
  const { data, steps, print, signal, running } = options;
  const engines: Engines = await steps.run(
    'MongoDB and Redis',
    (say) => startEngines({ dataDirectory: data.path, onProgress: say, signal }),
    ({ mongodb, redis }) => `${mongodb.source}; ${redis.source}`,
  );
  running.push(engines);
  const mongodbUrl = databaseIn(engines.mongodb.url);
  const redisUrl = engines.redis.url;

  const keptFacts = await data.readFacts();
  const encryptionKeys = await data.encryptionKeys();
  const oauthKeys = await data.oauthKeys();
  const store = openAdministrationStore({ url: mongodbUrl, encryptionKeys, appName: 'chairside-demo' });
  running.push({ stop: store.close });
  await steps.run('database', () => prepare(store));
  const services: Service[] = [];
  // The services stop concurrently, because each one first drains.
  const stopServices = async (): Promise<void> => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  };
  running.push({ stop: stopServices });

  let organizations: readonly DemoOrganization[] = [];
  const arrivals = createArrivals();
  const secrets = () => organizations.map(({ webhookSecret }) => webhookSecret);
  const onReceived = (received: Received) => {
    print(lineOf(received));
    arrivals.add(received);
  };
  const startAll = async (ports: Ports): Promise<{ receiver: Receiver; inbox: Inbox }> => {
    const addresses = addressesOf(ports);
    const plans = planApps({ ports, addresses, mongodbUrl, redisUrl, encryptionKeys, oauthKeys });
    // The mail server comes before the dispatcher, which uses it.
    const inbox = await steps.run(
      'inbox',
      () => startInbox(ports),
      ({ url }) => url,
    );
    try {
      await startApps(plans, services, options);
      const receiver = await steps.run(
        'receiver',
        () => startReceiver(ports.receiver, secrets, onReceived),
        ({ url }) => url,
      );
      return { receiver, inbox };
    } catch (error) {
      await stopServices();
      await inbox.close();
      throw error;
    }
  };
  const {
    ports,
    started: { receiver, inbox },
  } = await onFreePorts(
    portsOf(keptFacts),
    (kept) => choosePorts(process.env, kept, (line) => print(`  · ${line}`)),
    startAll,
  );
  const addresses = addressesOf(ports);
  running.push({ stop: receiver.close }, { stop: inbox.close });

  organizations = await steps.run('demo practices', async (say) => {
    const found = await findPractices(store, keptFacts?.organizations ?? [], receiver.url);
    if (found !== undefined) return found;
    say(`2 practices, each with ${RECORDS}, ${SETTINGS}`);
    return createPractices(store, receiver.url);
  });

  const facts = await steps.run(
    'signed in',
    async (): Promise<DemoFacts> => ({
      ...addresses,
      receiver: receiver.url,
      mongodbUrl,
      redisUrl,
      cli: 'npm run --silent cli --',
      organizations: await Promise.all(organizations.map((each) => signInBoth(addresses.api, each))),
    }),
  );
  await data.writeFacts(facts);

  const [first] = facts.organizations;
  const [clinicId] = first?.clinicIds ?? [];
  if (first === undefined || clinicId === undefined) throw new Error('no demo practice exists');
  const mainJob = { api: addresses.api, apiKey: first.apiKey, clinicId };
  await showMainJob(mainJob, arrivals.next, print, signal);
  for (const line of directions(facts)) print(line);
  return services;
};
