import type { AddressInfo } from 'node:net';
import { computing } from '@chairside/concurrency';
import { allowedNetworks } from '@chairside/domain';
import type { Watch } from '@chairside/http-server';
import type { CommandListener, Passwords } from '@chairside/mongodb';
import { openStrength } from '@chairside/passwords';
import { openEventProducer, openRateLimiter } from '@chairside/queue';
import {
  basic,
  createPractice,
  LONGEST_WAIT_MS,
  openTestStore,
  type Practice,
  redisServers,
  steadyLimiter,
  type TestStore,
  testEngines,
} from '@chairside/test-support';
import { onTestFinished, vi } from 'vitest';
import { buildApp } from '../src/app.ts';
import type { App } from '../src/context.ts';
import type { Access } from '../src/http/authorization.ts';
import { createMetrics, type Metrics } from '../src/monitoring/metrics.ts';
import { type ApiResponse, createContract } from './document.ts';

export type { ApiResponse };

/** A database command with its parameters. */
type Statement = Parameters<CommandListener>[1];
export type CallOptions = { as?: string; body?: unknown; headers?: Record<string, string> };

/** The whole api over HTTP, with two practices in different organizations. */
export type TestApi = TestStore & {
  app: App;
  url: string;
  practice: Practice;
  stranger: Practice;
  /** The responses so far, such as `GET /path 200`. Each was compared with the OpenAPI document. */
  responded: ReadonlySet<string>;
  /** The names of the commands that the store has sent to the database. */
  commands: string[];
  /** The same commands with their parameters. */
  statements: Statement[];
  /** The environment variables of a dispatcher that works on the same practices. */
  environment: Record<string, string>;
  metrics: Metrics;
  /** The lines that the api has logged. */
  logs: string[];
  /** @param options.as the Authorization header: the practice's key with every scope by default, '' for no header */
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
};

const monotonic = performance.now.bind(performance);
/** The time that a test has let pass, in milliseconds. */
let passed = 0;

/** Lets time pass on the clock by which the api measures how old a lookup is, until the test ends. */
export const letPass = (milliseconds: number): void => {
  passed += milliseconds;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passed);
  onTestFinished(() => {
    now.mockRestore();
    passed = 0;
  });
};

export const token = (accessToken: string): string => `Token ${accessToken}`;

/** The caller of a route: the administrator, unless another one is given, except where only keys may call. */
export const callerOf = (
  { practice }: Pick<TestApi, 'practice'>,
  access: Access,
  other = token(practice.administrator.token),
): string => (access !== 'public' && 'keysOnly' in access ? basic(practice.apiKey) : other);

/**
 * @param proxies the proxies whose `X-Forwarded-For` is trusted
 * @param origins the origins whose scripts may call the api
 * @param options.watch replaces the clock that finds stalled responses
 * @param options.eventBytes the limit of an organization, in bytes of events per minute
 * @param options.passwords replaces the password hashing of production
 * @param options.proxySecrets the secrets of the dashboard
 * @param options.dashboardUrl the address of the dashboard; `null` for none
 * @param options.mongodbUrl the URL of another server than that of the test run
 */
export const openTestApi = async (
  proxies: string[] = [],
  origins: string[] = ['https://app.example.com'],
  {
    watch,
    eventBytes = 67_108_864,
    passwords,
    proxySecrets = [],
    dashboardUrl = 'https://dashboard.example.com/',
    mongodbUrl,
  }: {
    watch?: Watch;
    eventBytes?: number;
    passwords?: Passwords;
    proxySecrets?: string[];
    dashboardUrl?: string | null;
    mongodbUrl?: string;
  } = {},
): Promise<TestApi> => {
  const commands: string[] = [];
  const statements: Statement[] = [];
  // However slow the machine is, pages are as long as they are asked for.
  const held = vi.spyOn(computing, 'now').mockReturnValue(0);
  const testStore = await openTestStore(
    mongodbUrl,
    (name, command) => {
      commands.push(name);
      statements.push(command);
    },
    passwords,
  );
  const [practice, stranger] = [await createPractice(testStore.store), await createPractice(testStore.store)];
  // Everything that needs a confirmation has it, also what changes factors.
  await testStore.database
    .collection('sessions')
    .updateMany({}, { $set: { factorsConfirmedTime: new Date() } });
  const redis = {
    url: testEngines().redisUrl,
    prefix: testStore.redisPrefix,
    onUnavailable: ({ message: err }: Error) =>
      logs.push(JSON.stringify({ msg: 'Redis is unreachable', err })),
    onAvailable: () => {},
  };
  const [queue, limiter] = [
    openEventProducer(redis),
    steadyLimiter(openRateLimiter({ ...redis, commandTimeout: LONGEST_WAIT_MS })),
  ];
  const logs: string[] = [];
  const config = {
    LOG_LEVEL: 'info' as const,
    TRUST_PROXY: proxies,
    PROXY_SECRET: proxySecrets,
    DASHBOARD_URL: dashboardUrl ?? undefined,
    CORS_ORIGINS: origins,
    EVENT_BYTES_PER_MINUTE: eventBytes,
    WEBHOOK_ALLOWED_NETWORKS: allowedNetworks(['127.0.0.0/8']),
  };
  const metrics = createMetrics(queue, testStore.store);
  const strength = openStrength();
  const app = await buildApp(
    { config, store: testStore.store, queue, limiter, strength, metrics },
    { stream: { write: (line) => void logs.push(line) }, ...(watch && { watch }) },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const contract = createContract(JSON.parse(app.openApi));

  return {
    ...testStore,
    app,
    responded: contract.responded,
    url,
    practice,
    stranger,
    commands,
    statements,
    environment: {
      MONGODB_URL: testStore.url,
      REDIS_URL: redis.url,
      REDIS_PREFIX: testStore.redisPrefix,
      ENCRYPTION_KEYS: testStore.encryptionKeys,
    },
    logs,
    metrics,
    async call(method, path, { as = basic(practice.apiKey), body, headers = {} } = {}) {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(as !== '' && { authorization: as }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      const result = {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text !== '' ? JSON.parse(text) : undefined,
      };
      contract.check(method, path, result);
      return result;
    },
    async close() {
      held.mockRestore();
      await app.close();
      await Promise.all([queue.close(), limiter.close(), strength.close()]);
      await testStore.close();
    },
  };
};

/** Resolves when calls are counted in Redis. Before the connection is open, each process counts only its own calls. */
export const untilCountedInRedis = async ({ call, redisPrefix }: TestApi): Promise<void> => {
  const servers = redisServers();
  const counted = async () => {
    await call('GET', '/api/clinics');
    return (await Promise.all(servers.map((redis) => redis.keys(`${redisPrefix}:limit:*`)))).flat();
  };
  await vi.waitUntil(async () => (await counted()).length > 0, { timeout: LONGEST_WAIT_MS });
  for (const redis of servers) redis.disconnect();
};
