import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newEvent, newId, scopes } from '@chairside/domain';
import { type OrganizationStore, withDatabase } from '@chairside/mongodb';
import type { OutboxRef } from '@chairside/mongodb/dispatch';
import { openWholeStore, type WholeStore } from '@chairside/mongodb/whole';
import { type EventProducer, openEventProducer } from '@chairside/queue';
import { createKey } from '@chairside/test-support';
import { type Db, MongoClient } from 'mongodb';
import { type App, profiling, startApp } from './apps.ts';

const WRITERS = 32;
/** A long last name for patients. With this name, the body of an event is about 1 KiB long. */
const NOTE = 'n'.repeat(800);

export type Written = { ref: OutboxRef; eventId: string; clinicIds: string[] };

/** A practice in its own database, with everything that is needed to run the service on it. */
export type Service = {
  store: WholeStore;
  database: Db;
  redis: string;
  organizationId: string;
  organization: OrganizationStore;
  apiKey: string;
  /** Creates another API key and returns its secret. Each key has its own rate limit. */
  createApiKey(): Promise<string>;
  /** The environment variables of an app that runs on this practice. */
  environment: Record<string, string>;
  startApi(): Promise<App>;
  startDispatcher(): Promise<App>;
  /** Creates a clinic whose events are delivered to all these URLs. */
  createClinic(urls: readonly string[]): Promise<{ clinicId: string; subscriptionIds: string[] }>;
  /** Creates patients like the api, without announcing their events. */
  write(clinicId: string, count: number): Promise<Written[]>;
  publish(written: readonly Written[]): void;
  /** Resolves when no patient has an unpublished event and every delivery is final. */
  untilDone(): Promise<void>;
  close(): Promise<void>;
};

const writePatient = async (
  { organizationId, organization }: Pick<Service, 'organizationId' | 'organization'>,
  clinicId: string,
): Promise<Written> => {
  const time = new Date();
  const record = {
    _id: newId(time),
    clinicId,
    createdTime: time.toISOString(),
    lastEditTime: time.toISOString(),
    firstName: 'A',
    lastName: NOTE,
  };
  const author = { principal: { kind: 'system' as const, id: 'bench' }, requestId: 'bench' };
  const event = newEvent({ _id: newId(time), event: 'patient.created', time, author }, record);
  await organization.patients.create(record, event);
  return {
    ref: { organizationId, kind: 'patient', recordId: record._id },
    eventId: event._id,
    clinicIds: event.clinicIds,
  };
};

export const openService = async (mongodb: string, redis: string): Promise<Service> => {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const url = withDatabase(mongodb, name);
  const encryptionKeys = `bench:${randomBytes(32).toString('base64')}`;
  const store = openWholeStore({ url, encryptionKeys, appName: 'chairside-bench' });
  await store.prepare();
  const client = new MongoClient(url);
  const database = client.db();
  const prefix = `{${name}}`;
  const producer: EventProducer = openEventProducer({
    url: redis,
    prefix,
    onUnavailable() {},
    onAvailable() {},
  });
  while (!producer.isReady()) await sleep(10);

  const organizationId = newId();
  await store.everyOrganization.organizations.create({ _id: organizationId, name: 'Bench' });
  const organization = store.organization(organizationId);
  const createApiKey = async () => {
    const key = { name: 'bench', scopes: [...scopes], rateLimit: 100_000 };
    return (await createKey(organization, key, new Date())).secret;
  };
  const environment = {
    MONGODB_URL: url,
    REDIS_URL: redis,
    REDIS_PREFIX: prefix,
    ENCRYPTION_KEYS: encryptionKeys,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };

  return {
    store,
    database,
    redis,
    organizationId,
    organization,
    apiKey: await createApiKey(),
    createApiKey,
    environment,
    startApi: () => startApp('api', environment),
    startDispatcher: () => startApp('webhook-dispatcher', environment, profiling()),
    async createClinic(urls) {
      const now = new Date();
      const clinicId = newId(now);
      const clinic = {
        _id: clinicId,
        name: 'C',
        currency: 'EUR',
        timezone: 'UTC',
        lastEditTime: now.toISOString(),
      };
      await organization.clinics.create(clinic);
      const subscriptionIds: string[] = [];
      for (const each of urls) {
        const sent = { clinicId, url: each, events: [], active: true };
        const created = await organization.subscriptions.create(sent, now);
        if (created === undefined) throw new Error('the clinic has too many subscriptions');
        subscriptionIds.push(created._id);
      }
      return { clinicId, subscriptionIds };
    },
    async write(clinicId, count) {
      const written: Written[] = [];
      let left = count;
      await Promise.all(
        Array.from({ length: WRITERS }, async () => {
          while (left-- > 0) written.push(await writePatient({ organizationId, organization }, clinicId));
        }),
      );
      return written;
    },
    publish(written) {
      for (const { ref, ...event } of written) producer.publish({ ...ref, ...event });
    },
    async untilDone() {
      const [deliveries, patients] = [database.collection('deliveries'), database.collection('patients')];
      const someLeft = async () =>
        (await deliveries.findOne({ status: 'sending', claimedAt: { $gt: new Date(0) } })) ??
        (await deliveries.findOne({ status: 'queued', createdTime: { $gt: new Date(0) } })) ??
        (await patients.findOne({ outboxAt: { $exists: true, $gt: new Date(0) } }));
      while ((await someLeft()) !== null) await sleep(10);
    },
    async close() {
      await producer.close();
      await database.dropDatabase();
      await client.close();
      await store.close();
    },
  };
};
