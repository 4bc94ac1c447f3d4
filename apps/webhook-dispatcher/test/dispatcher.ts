import type { Subscription } from '@chairside/domain';
import type { WholeStore } from '@chairside/mongodb/whole';
import { type EventProducer, openEventProducer } from '@chairside/queue';
import {
  createPractice,
  openTestStore,
  type Practice,
  type RecordingReceiver,
  type TestStore,
  testEngines,
  writePatient,
} from '@chairside/test-support';
import pino from 'pino';
import { readConfig } from '../src/config.ts';
import type { Ended } from '../src/delivery/outcomes.ts';
import { createMetrics, type Metrics } from '../src/monitoring/metrics.ts';
import { createWait } from '../src/named-waits.ts';
import { createOutageWatch, type OutageWatch } from '../src/outage/outage-watch.ts';
import { startWorkers, type Workers } from '../src/workers.ts';

export type LogLine = Record<string, unknown> & { msg: string };

/** Dispatchers in this process, with a practice of their own. */
export type TestDispatcher = TestStore & {
  practice: Practice;
  /** The environment of a dispatcher in a separate process that works on the same practice. */
  environment: Record<string, string>;
  logs: LogLine[];
  metrics: Metrics;
  /** Resolves with the log as soon as it satisfies the condition. */
  untilLogged(condition: (logs: readonly LogLine[]) => boolean): Promise<readonly LogLine[]>;
  /** Starts another dispatcher, optionally with another store or network. `close` stops all of them. */
  start(
    environment?: Record<string, string>,
    changed?: { store?: WholeStore } & Parameters<typeof startWorkers>[4],
  ): Workers;
  subscribe(url: string): Promise<Subscription & { secret: string }>;
  /** Creates patients and queues their events, like the api. */
  createPatients(count: number, clinicId?: string): Promise<string[]>;
  /** Creates patients in the first clinic of another practice. */
  createPatientsOf(other: Practice, count: number): Promise<string[]>;
};

export const deliveriesIn = (logs: readonly LogLine[]): LogLine[] =>
  logs.filter(({ msg }) => msg === 'delivery');

/** An outage watch for which no host responds. It is never asked, because these tests have no failures in a row. */
export const quietWatch = (): Pick<OutageWatch<Ended>, 'note'> =>
  createOutageWatch({
    probe: async () => 'silent',
    wasReached: async () => false,
    isDeclared: async () => false,
    onChange() {},
    onVeto() {},
    onError() {},
  });

/** Log lines, and functions that write them and wait for them. */
const openLog = () => {
  const logs: LogLine[] = [];
  const waiting = new Set<() => void>();
  return {
    logs,
    write(line: string) {
      logs.push(JSON.parse(line));
      for (const look of waiting) look();
    },
    untilLogged: (condition: (logs: readonly LogLine[]) => boolean) =>
      new Promise<readonly LogLine[]>((resolve) => {
        const look = () => {
          if (!condition(logs)) return;
          waiting.delete(look);
          resolve(logs);
        };
        waiting.add(look);
        look();
      }),
  };
};

/** Creates a patient, and queues its event like the api. */
const createPatient = async (
  practice: Practice,
  clinicId: string,
  producer: EventProducer,
): Promise<string> => {
  const { eventId, recordId } = await writePatient(practice, clinicId);
  producer.publish({
    organizationId: practice.organizationId,
    kind: 'patient',
    recordId,
    eventId,
    clinicIds: [clinicId],
  });
  return eventId;
};

/**
 * Creates patients while other work runs, at most 30 ahead of the receiver: on a machine that creates faster than it sends,
 * the backlog would grow without end.
 *
 * @param receiver gets each event once
 * @returns the ids of the events
 */
export const createPatientsDuring = async (
  work: Promise<void>,
  dispatcher: TestDispatcher,
  receiver: RecordingReceiver,
): Promise<string[]> => {
  const events: string[] = [];
  let isEnded = false;
  const creating = async () => {
    while (!isEnded) {
      events.push(...(await dispatcher.createPatients(10)));
      await receiver.until((posts) => posts.length + 20 >= events.length);
    }
  };
  const ended = work.finally(() => {
    isEnded = true;
  });
  await Promise.all([ended, creating()]);
  return events;
};

/** @param passwords how passwords are hashed. Default: as in production */
export const openTestDispatcher = async (
  passwords?: Parameters<typeof openTestStore>[2],
): Promise<TestDispatcher> => {
  const testStore = await openTestStore(undefined, undefined, passwords);
  const practice = await createPractice(testStore.store);
  const { redisUrl } = testEngines();
  const producer = openEventProducer({
    url: redisUrl,
    prefix: testStore.redisPrefix,
    onUnavailable: () => {},
    onAvailable: () => {},
  });

  const { logs, write, untilLogged } = openLog();
  const running: Workers[] = [];
  const metrics = createMetrics(testStore.store.everyOrganization.backlog, testStore.store.ciphers);
  const environment = {
    MONGODB_URL: testStore.url,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: testStore.redisPrefix,
    ENCRYPTION_KEYS: testStore.encryptionKeys,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Tests that need a longer pause say so.
    FAILING_PAUSE_MS: '1',
    FAILING_PAUSE_MAX_MS: '20',
  };

  const createPatients = (one: Practice, count: number, clinicId: string): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => createPatient(one, clinicId, producer)));

  return {
    ...testStore,
    practice,
    environment,
    logs,
    metrics,
    untilLogged,
    start(changes = {}, { store = testStore.store, ...network } = {}) {
      const workers = startWorkers(
        readConfig({ ...environment, ...changes }),
        store,
        pino({ base: null }, { write }),
        metrics,
        network,
      );
      running.push(workers);
      return workers;
    },
    async subscribe(url) {
      const sent = { clinicId: practice.clinicIds[0], url, events: [], active: true };
      const created = await practice.store.subscriptions.create(sent, new Date());
      if (created === undefined) throw new Error('the clinic has reached its limit of subscriptions');
      return created;
    },
    createPatients: (count, clinicId = practice.clinicIds[0]) => createPatients(practice, count, clinicId),
    createPatientsOf: (other, count) => createPatients(other, count, other.clinicIds[0]),
    async close() {
      await Promise.all(running.map((workers) => workers.stop(createWait().waitFor)));
      await producer.close();
      await testStore.close();
    },
  };
};
