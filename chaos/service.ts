import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import {
  type ApiResponse,
  apiAddress,
  basic,
  callApi,
  createPractice,
  type LogLine,
  openTestStore,
  type Practice,
  type ServiceProcess,
  skewedBy,
  startApi,
  startDispatcher,
  type TestStore,
  untilDispatching,
} from '@chairside/test-support';
import { isDispatcher, type Life } from './history.ts';
import { FIRST_PAUSE } from './limits.ts';
import { type Mails, startMails } from './mails.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { type App, engineTarget, startAppTarget, type Target } from './target.ts';

const DISPATCHERS = 3;

/** The messages of log lines about work that failed and is done again. */
const FAILED_WORK: readonly unknown[] = ['worker retries', 'worker error'];

/** How far the clock of each process of the service is ahead of the clock of the database, in milliseconds. */
const SKEWS: Readonly<Record<string, number>> = {
  api: 300_000,
  'second api': -120_000,
  'dispatcher 1': -300_000,
  'dispatcher 2': 90_000,
  'dispatcher 3': -3000,
};
const skewOf = (name: string): number => SKEWS[name] ?? 0;

/** The whole service with its own MongoDB and Redis. Every part can be killed. */
export type Service = TestStore & {
  practice: Practice;
  receivers: Receivers;
  /** Names of receivers by subscription id. */
  names: Map<string, string>;
  api: Target;
  /** Another process of the api. Only callers that book use it, so a pause of it delays nobody else. */
  secondApi: Target;
  dispatchers: readonly Target[];
  redis: Target;
  mongodb: Target;
  mails: Mails;
  /** All parts that can be killed. */
  targets: readonly Target[];
  /** The dispatcher processes that became ready and have exited. */
  lives: readonly Life[];
  refused: readonly Refused[];
  /** Unexpected exits and failed starts of processes. */
  misconduct: string[];
  /** Calls the api, by default with the practice's key. Rejects if there is no response. */
  call: Call;
  /** Calls the second api. */
  callSecond: Call;
  /** Where each api listens since its last start. */
  addresses: Readonly<Record<'first' | 'second', string>>;
  /** Shuts down both apis and the dispatchers. */
  end(): Promise<void>;
};

type Call = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<ApiResponse>;

/** A request without a response of 200. `status` is undefined if there was no response. */
export type Refused = { request: string; status: number | undefined; requestId: string | undefined };

/** The running parts. They are stopped in the reverse order of their start. */
export type Running = { stop(): Promise<unknown> }[];

/**
 * Returns a list with the life of a process. The list is empty if the process was killed during its start, because it
 * has claimed nothing.
 */
const livesOf = (target: string, { lines }: ServiceProcess, diedAt: number | undefined): Life[] =>
  lines
    .filter(({ msg }) => msg === 'dispatching')
    .map(({ worker }) => ({
      target,
      worker,
      diedAt,
      reported: lines.flatMap(({ msg, _id }) => (msg === 'delivery' ? [_id] : [])),
      errors: lines.flatMap(({ msg, time }) => (FAILED_WORK.includes(msg) ? [time - skewOf(target)] : [])),
    }));

export const keepLog = (logs: string, name: string, lines: readonly LogLine[]): void => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  appendFileSync(join(logs, `${name.replace(' ', '-')}.log`), text);
};

/** Subscribes a receiver to all events of a clinic. @returns the id of the subscription */
export const subscribe = async (
  { practice: { store }, receivers: { list }, names }: Pick<Service, 'practice' | 'receivers' | 'names'>,
  clinicId: string,
  name: string,
): Promise<string> => {
  const receiver = list.find((each) => each.name === name);
  if (receiver === undefined) throw new Error(`there is no receiver ${name}`);
  const subscription = await store.subscriptions.create(
    { clinicId, url: receiver.url, events: [], active: true },
    new Date(),
  );
  if (subscription === undefined) throw new Error('a new clinic cannot have a subscription');
  receiver.secrets.set(subscription._id, subscription.secret);
  names.set(subscription._id, name);
  return subscription._id;
};

const subscribeAll = async (practice: Practice, receivers: Receivers): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  const [north, south] = practice.clinicIds;
  const to = { practice, receivers, names };
  for (const { name } of receivers.list) await subscribe(to, north, name);
  await subscribe(to, south, 'healthy');
  return names;
};

/** Starts the api and the dispatchers, and keeps the logs of their processes. */
const startApps = async (
  environment: Record<string, string>,
  running: Running,
  logs: string,
  signal: AbortSignal,
) => {
  const misconduct: string[] = [];
  const lives: Life[] = [];
  /** The address on which each api listens since its last start. */
  const addresses = { first: '', second: '' };
  const startOne = async (
    name: string,
    start: (environment: Record<string, string>) => ServiceProcess,
    untilReady: (app: ServiceProcess) => Promise<void>,
  ): Promise<App> => {
    const app = await startAppTarget({
      name,
      start: () => start({ ...environment, ...skewedBy(skewOf(name)) }),
      untilReady,
      onEnded: (what) => void misconduct.push(what),
      onGone(gone, diedAt) {
        keepLog(logs, name, gone.lines);
        if (isDispatcher(name)) lives.push(...livesOf(name, gone, diedAt));
      },
      signal,
    });
    running.push({ stop: () => app.end('SIGKILL') });
    return app;
  };
  const untilListening = (which: keyof typeof addresses) => async (app: ServiceProcess) => {
    addresses[which] = await apiAddress(app);
  };
  const [api, secondApi, ...dispatchers] = await Promise.all([
    startOne('api', startApi, untilListening('first')),
    startOne('second api', startApi, untilListening('second')),
    ...Array.from({ length: DISPATCHERS }, (_, index) =>
      startOne(`dispatcher ${index + 1}`, startDispatcher, untilDispatching),
    ),
  ]);
  return { api, secondApi, dispatchers, lives, misconduct, addresses };
};

/** Calls the api, and records the requests without a response of 200 in `refused`. */
const caller =
  (address: () => string, { apiKey }: Practice, refused: Refused[]): Call =>
  async (method, path, body, headers) => {
    let response: ApiResponse | undefined;
    try {
      response = await callApi(address(), method, path, { authorization: basic(apiKey), ...headers }, body);
      return response;
    } finally {
      const { status, requestId } = response ?? {};
      if (status !== 200) refused.push({ request: `${method} ${path}`, status, requestId });
    }
  };

/** Shuts down these processes, and returns a line for each that does not exit with 0. */
const endAll = async (apps: readonly App[]): Promise<string[]> => {
  const codes = await Promise.all(apps.map(({ end }) => end('SIGTERM')));
  return apps.flatMap(({ target }, index) =>
    codes[index] === 0 ? [] : [`${target.name} exited with ${codes[index]} after SIGTERM`],
  );
};

/**
 * @param running receives every started part, even if this function throws
 * @param logs the folder for the logs of the processes
 * @param say called with progress messages
 */
export const startService = async (
  running: Running,
  logs: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Service> => {
  const engines = await startEngines({
    ephemeral: true,
    // Without these addresses, the function starts its own engines, which can be killed.
    environment: { ...process.env, MONGODB_URL: '', REDIS_URL: '' },
    onProgress: say,
    signal,
  });
  running.push(engines);
  say(`${engines.mongodb.source}; ${engines.redis.source}`);
  const receivers = await startReceivers();
  running.push({ stop: async () => receivers.close() });
  const mails = await startMails(signal);
  running.push({ stop: () => mails.close() });
  const testStore = await openTestStore(engines.mongodb.url);
  const practice = await createPractice(testStore.store);
  const names = await subscribeAll(practice, receivers);

  const environment = {
    MONGODB_URL: testStore.url,
    REDIS_URL: engines.redis.url,
    REDIS_PREFIX: testStore.redisPrefix,
    ENCRYPTION_KEYS: testStore.encryptionKeys,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    MAIL_URL: mails.url,
    MAIL_FROM: 'chairside@example.com',
    DASHBOARD_URL: 'https://dashboard.example.com',
    // Short pauses, so that a run has many of them, and one ends soon after the last kill.
    FAILING_PAUSE_MS: String(FIRST_PAUSE),
    FAILING_PAUSE_MAX_MS: String(2 * FIRST_PAUSE),
  };
  const { api, secondApi, dispatchers, lives, misconduct, addresses } = await startApps(
    environment,
    running,
    logs,
    signal,
  );
  const apps = [api, secondApi, ...dispatchers];
  const redis = engineTarget('redis', engines.redis, signal);
  const mongodb = engineTarget('mongodb', engines.mongodb, signal);
  const refused: Refused[] = [];

  return {
    ...testStore,
    practice,
    receivers,
    names,
    api: api.target,
    secondApi: secondApi.target,
    dispatchers: dispatchers.map(({ target }) => target),
    redis,
    mongodb,
    mails,
    targets: [...apps.map(({ target }) => target), redis, mongodb, mails.target],
    lives,
    refused,
    misconduct,
    addresses,
    call: caller(() => addresses.first, practice, refused),
    callSecond: caller(() => addresses.second, practice, refused),
    end: async () => void misconduct.push(...(await endAll(apps))),
  };
};
