import type { Subscription } from '@chairside/domain';
import { basic, createPractice, type Practice } from './practice.ts';
import { type RecordingReceiver, startRecordingReceiver } from './recording-receiver.ts';
import {
  type ApiResponse,
  apiAddress,
  callApi,
  type ServiceProcess,
  startApi,
  startDispatcher,
  untilDispatching,
} from './service-process.ts';
import { openTestStore, type TestStore } from './test-store.ts';

/**
 * The api, the dispatcher and a receiver. As in production, the api and the dispatcher are processes that share only
 * MongoDB and Redis.
 */
export type WholeService = TestStore & {
  practice: Practice;
  receiver: RecordingReceiver;
  subscription: Subscription & { secret: string };
  /** The api process that was started last. */
  readonly api: ServiceProcess;
  /** The address on which the api listens. */
  address: string;
  /** The dispatcher process that was started last. @throws {Error} if none was started */
  readonly dispatcher: ServiceProcess;
  /** @param changes environment variables to override */
  startApi(changes?: Record<string, string>): Promise<void>;
  startDispatcher(changes?: Record<string, string>): Promise<void>;
  /** @param as the value of the Authorization header. Default: the practice's key with every scope */
  call(method: string, path: string, body?: object, as?: string): Promise<ApiResponse>;
};

export const startWholeService = async (
  redisUrl: string,
  {
    dispatcher: withDispatcher = true,
    mongodbUrl,
    environment: more = {},
  }: {
    dispatcher?: boolean;
    mongodbUrl?: string;
    environment?: Record<string, string>;
  } = {},
): Promise<WholeService> => {
  const testStore = await openTestStore(mongodbUrl, undefined, undefined, more.VAULT_URL);
  const practice = await createPractice(testStore.store);
  const receiver = await startRecordingReceiver();
  const subscription = await practice.store.subscriptions.create(
    { clinicId: practice.clinicIds[0], url: receiver.url, events: [], active: true },
    new Date(),
  );
  if (subscription === undefined) throw new Error('the new clinic has too many subscriptions');
  const environment = {
    MONGODB_URL: testStore.url,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: testStore.redisPrefix,
    ENCRYPTION_KEYS: testStore.encryptionKeys,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // A test does not wait for the pauses of a receiver that fails.
    FAILING_PAUSE_MS: '1',
    FAILING_PAUSE_MAX_MS: '20',
    ...more,
  };

  const last: { api?: ServiceProcess; dispatcher?: ServiceProcess } = {};
  const started = (app: keyof typeof last): ServiceProcess => {
    const process = last[app];
    if (process === undefined) throw new Error(`the ${app} was not started`);
    return process;
  };

  const service: WholeService = {
    ...testStore,
    practice,
    receiver,
    subscription,
    get api() {
      return started('api');
    },
    get dispatcher() {
      return started('dispatcher');
    },
    address: '',
    async startApi(changes) {
      last.api = startApi({ ...environment, ...changes });
      service.address = await apiAddress(last.api);
    },
    async startDispatcher(changes) {
      last.dispatcher = startDispatcher({ ...environment, ...changes });
      await untilDispatching(last.dispatcher);
    },
    call: (method, path, body, as = basic(practice.apiKey)) =>
      callApi(service.address, method, path, { authorization: as }, body),
    async close() {
      await Promise.all([last.api, last.dispatcher].map((each) => each?.end('SIGKILL')));
      await receiver.close();
      await testStore.close();
    },
  };
  await Promise.all([service.startApi(), withDispatcher && service.startDispatcher()]);
  return service;
};
