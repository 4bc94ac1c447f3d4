import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import {
  type Answer,
  apiAddress,
  basic,
  callApi,
  createPractice,
  type LogLine,
  openTestStore,
  type Practice,
  type ServiceProcess,
  startApi,
  startDispatcher,
  type TestStore,
  untilDispatching,
} from '@chairside/test-support';
import { isDispatcher, type Life } from './history.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { type App, engineTarget, startAppTarget, type Target } from './target.ts';

const DISPATCHERS = 3;

/** The whole service with engines of its own, whose every part can be killed. */
export type Service = TestStore & {
  practice: Practice;
  receivers: Receivers;
  /** Names of receivers by the ids of their subscriptions. */
  names: ReadonlyMap<string, string>;
  api: Target;
  dispatchers: readonly Target[];
  redis: Target;
  mongodb: Target;
  /** Everything above that can be killed. */
  targets: readonly Target[];
  /** The processes of dispatchers that are gone. */
  lives: readonly Life[];
  refused: readonly Refused[];
  /** What the processes did that they should not have done. */
  misconduct: string[];
  /** Asks the api, with the practice's key; rejects when there is no answer. */
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Ends api and dispatchers in good order. */
  end(): Promise<void>;
};

/** A request that was not answered 200: its answer's status, or undefined if there was none. */
export type Refused = { request: string; status: number | undefined; requestId: string | undefined };

/** What runs; each part is stopped in reverse order of its start. */
export type Running = { stop(): Promise<unknown> }[];

/** None of a process that was killed while it started: it has claimed nothing. */
const livesOf = (target: string, { lines }: ServiceProcess, diedAt: number | undefined): Life[] =>
  lines
    .filter(({ msg }) => msg === 'dispatching')
    .map(({ worker }) => ({
      target,
      worker,
      diedAt,
      reported: lines.flatMap(({ msg, _id }) => (msg === 'delivery' ? [_id] : [])),
      errors: lines.flatMap(({ level, time }) => (level >= 50 ? [time] : [])),
    }));

const subscribeAll = async (
  { store, clinicIds: [north, south] }: Practice,
  { list }: Receivers,
): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  const subscribe = async (clinicId: string, name: string): Promise<void> => {
    const receiver = list.find((each) => each.name === name);
    if (receiver === undefined) throw new Error(`there is no receiver ${name}`);
    const subscription = await store.subscriptions.create(
      { clinicId, url: receiver.url, events: [], active: true },
      new Date(),
    );
    if (subscription === undefined) throw new Error('a new clinic has no room for a subscription');
    receiver.secrets.push(subscription.secret);
    names.set(subscription._id, name);
  };
  for (const { name } of list) await subscribe(north, name);
  await subscribe(south, 'healthy');
  return names;
};

/**
 * @param running gets everything that was started, also when this throws
 * @param logs a folder for what the processes log
 * @param say told what takes time
 */
export const startService = async (
  running: Running,
  logs: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Service> => {
  const engines = await startEngines({
    ephemeral: true,
    // Engines that can be killed, whatever others there are.
    environment: { ...process.env, MONGODB_URL: '', REDIS_URL: '' },
    onProgress: say,
    signal,
  });
  running.push(engines);
  say(`${engines.mongodb.source}; ${engines.redis.source}`);
  const receivers = await startReceivers();
  running.push({ stop: async () => receivers.close() });
  const testStore = await openTestStore(engines.mongodb.url);
  const practice = await createPractice(testStore.store);
  const names = await subscribeAll(practice, receivers);

  const environment = {
    MONGODB_URL: testStore.url,
    REDIS_URL: engines.redis.url,
    REDIS_PREFIX: testStore.redisPrefix,
    ENCRYPTION_KEYS: testStore.encryptionKeys,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const misconduct: string[] = [];
  const lives: Life[] = [];
  const refused: Refused[] = [];
  let address = '';
  const keepLog = (name: string, lines: readonly LogLine[]): void => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    appendFileSync(join(logs, `${name.replace(' ', '-')}.log`), text);
  };
  const startApp = async (
    name: string,
    start: () => ServiceProcess,
    untilReady: (app: ServiceProcess) => Promise<void>,
  ): Promise<App> => {
    const app = await startAppTarget({
      name,
      start,
      untilReady,
      onEnded: (what) => void misconduct.push(what),
      onGone(gone, diedAt) {
        keepLog(name, gone.lines);
        if (isDispatcher(name)) lives.push(...livesOf(name, gone, diedAt));
      },
      signal,
    });
    running.push({ stop: () => app.end('SIGKILL') });
    return app;
  };
  const untilListening = async (app: ServiceProcess): Promise<void> => {
    address = await apiAddress(app);
  };
  const apps = await Promise.all([
    startApp('api', () => startApi(environment), untilListening),
    ...Array.from({ length: DISPATCHERS }, (_, index) =>
      startApp(`dispatcher ${index + 1}`, () => startDispatcher(environment), untilDispatching),
    ),
  ]);
  const [api, ...dispatchers] = apps.map(({ target }) => target) as [Target, ...Target[]];
  const call: Service['call'] = async (method, path, body, headers) => {
    const all = { authorization: basic(practice.apiKey), ...headers };
    let answer: Answer | undefined;
    try {
      answer = await callApi(address, method, path, all, body);
      return answer;
    } finally {
      const { status, requestId } = answer ?? {};
      if (status !== 200) refused.push({ request: `${method} ${path}`, status, requestId });
    }
  };
  const redis = engineTarget('redis', engines.redis, signal);
  const mongodb = engineTarget('mongodb', engines.mongodb, signal);

  return {
    ...testStore,
    practice,
    receivers,
    names,
    api,
    dispatchers,
    redis,
    mongodb,
    targets: [api, ...dispatchers, redis, mongodb],
    lives,
    refused,
    misconduct,
    call,
    async end() {
      const codes = await Promise.all(apps.map(({ end }) => end('SIGTERM')));
      for (const [index, code] of codes.entries()) {
        if (code !== 0) misconduct.push(`${apps[index]?.target.name} ended with ${code} after SIGTERM`);
      }
    },
  };
};
