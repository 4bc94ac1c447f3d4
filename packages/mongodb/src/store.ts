import {
  type Appointment,
  type Clinic,
  type Patient,
  type Principal,
  SettingsError,
} from '@chairside/domain';
import { type ApiKeyDocument, type ApiKeys, apiKeysOf, findApiKey } from './api-keys.ts';
import { type Backlog, openBacklog } from './backlog.ts';
import { type CommandListener, createClient, isDatabaseAway, isDuplicateKey } from './database.ts';
import { type Deliveries, type DeliveryDocument, openDeliveries } from './deliveries.ts';
import { type DeliveryLog, deliveryLogOf } from './delivery-log.ts';
import { type RecordDocument, type StoredKind, shapes } from './documents.ts';
import { type EventDocument, type EventLog, type Events, eventsOf, openEventLog } from './events.ts';
import { applyIndexes } from './indexes.ts';
import { type LaneDocument, type Lanes, type LeaseDocument, openLanes } from './lanes.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { type Records, recordsOf } from './records.ts';
import { openRedeliveries, type Redeliveries, type RedeliveryDocument } from './redeliveries.ts';
import { openSecrets } from './secrets.ts';
import {
  type OperatorDocument,
  type Operators,
  openSessions,
  operatorsOf,
  type SessionDocument,
  type Sessions,
} from './sessions.ts';
import {
  openReceivers,
  type Receivers,
  type SubscriptionDocument,
  type Subscriptions,
  subscriptionsOf,
} from './subscriptions.ts';

/** What one organization has. A query without its organization cannot be written with it. */
export type OrganizationStore = {
  patients: Records<Patient>;
  appointments: Records<Appointment>;
  clinics: Records<Clinic>;
  subscriptions: Subscriptions;
  events: Events;
  deliveries: DeliveryLog;
  apiKeys: ApiKeys;
  operators: Operators;
};

/** For the dispatcher, the admin and the authentication only. */
export type EveryOrganization = {
  organizations: { create(organization: { _id: string; name: string }): Promise<void> };
  findApiKey(secret: string): Promise<Extract<Principal, { kind: 'apiKey' }> | undefined>;
  sessions: Sessions;
  outbox: Outbox;
  events: EventLog;
  deliveries: Deliveries;
  redeliveries: Redeliveries;
  receivers: Receivers;
  lanes: Lanes;
  backlog: Backlog;
};

export type Store = {
  organization(id: string): OrganizationStore;
  everyOrganization: EveryOrganization;
  /**
   * Makes the database ready for use: checks that the encryption keys are those it was written with, and creates
   * missing indexes. Waits for a database that is away.
   *
   * @param onWaiting told each time that it was not reached
   * @throws {SettingsError} when the keys cannot open what is stored
   */
  prepare(onWaiting: (error: unknown) => void): Promise<void>;
  /** @throws when the database does not answer */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** How long to wait before looking for the database again, in milliseconds. */
const RETRY_DELAY = 1000;
const CHECK_TEXT = 'chairside';

/**
 * @param options.url a MongoDB connection string; its path names the database (default `chairside`)
 * @param options.encryptionKeys `id:base64,…`
 * @param options.appName shown in the database's logs
 * @param options.onCommand told of every command that is sent, to count or to explain them
 * @throws {MongoParseError} when the URL is
 */
export const openStore = (options: {
  url: string;
  encryptionKeys: string;
  appName: string;
  onCommand?: CommandListener;
}): Store => {
  const secrets = openSecrets(options.encryptionKeys);
  const client = createClient(options.url, options.appName, options.onCommand);
  const named = client.db().databaseName;
  const database = client.db(named === 'test' ? 'chairside' : named);

  const records = (kind: StoredKind) => database.collection<RecordDocument>(shapes[kind].collection);
  const subscriptions = database.collection<SubscriptionDocument>('subscriptions');
  const deliveries = database.collection<DeliveryDocument>('deliveries');
  const events = database.collection<EventDocument>('events');
  const redeliveries = database.collection<RedeliveryDocument>('redeliveries');
  const lanes = openLanes(
    database,
    database.collection<LaneDocument>('lanes'),
    database.collection<LeaseDocument>('leases'),
  );
  const apiKeys = database.collection<ApiKeyDocument>('apiKeys');
  const operators = database.collection<OperatorDocument>('operators');
  const settings = database.collection<{ _id: string; value: string }>('settings');

  const checkEncryption = async () => {
    const place = { collection: 'settings', _id: 'encryption', field: 'value' };
    const stored = await settings.findOne({ _id: place._id });
    if (stored === null) {
      try {
        await settings.insertOne({ _id: place._id, value: secrets.encrypt(CHECK_TEXT, place) });
        return;
      } catch (error) {
        if (isDuplicateKey(error)) return checkEncryption();
        throw error;
      }
    }
    try {
      if (secrets.decrypt(stored.value, place) === CHECK_TEXT) return;
    } catch (cause) {
      throw new SettingsError(
        'ENCRYPTION_KEYS cannot open what this database holds. Give it the keys that the database was written with.',
        { cause },
      );
    }
  };

  return {
    organization: (id) => ({
      patients: recordsOf<Patient>(records('patient'), shapes.patient, id),
      appointments: recordsOf<Appointment>(records('appointment'), shapes.appointment, id),
      clinics: recordsOf<Clinic>(records('clinic'), shapes.clinic, id),
      subscriptions: subscriptionsOf(subscriptions, deliveries, secrets, id),
      events: eventsOf(database, events, id),
      deliveries: deliveryLogOf(
        {
          collection: deliveries,
          redeliveries,
          deliveries: openDeliveries(deliveries),
          lanes,
          events: eventsOf(database, events, id),
        },
        id,
      ),
      apiKeys: apiKeysOf(apiKeys, secrets, id),
      operators: operatorsOf(operators, id),
    }),
    everyOrganization: {
      organizations: {
        create: async ({ _id, name }) => {
          await database
            .collection<{ _id: string; name: string; createdTime: Date }>('organizations')
            .insertOne({ _id, name, createdTime: new Date() });
        },
      },
      findApiKey: (secret) => findApiKey(apiKeys, secret),
      sessions: openSessions(database.collection<SessionDocument>('sessions'), operators),
      outbox: openOutbox(database),
      events: openEventLog(database, events, deliveries),
      deliveries: openDeliveries(deliveries),
      redeliveries: openRedeliveries(redeliveries, deliveries, events),
      receivers: openReceivers(subscriptions, secrets),
      lanes,
      backlog: openBacklog(database, deliveries, subscriptions),
    },
    async prepare(onWaiting) {
      for (;;) {
        try {
          // By name: a client whose first connection failed makes no second one by itself.
          await client.connect();
          await checkEncryption();
          return await applyIndexes(database);
        } catch (error) {
          if (!isDatabaseAway(error)) throw error;
          onWaiting(error);
          await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
        }
      }
    },
    async ping() {
      await database.command({ ping: 1 });
    },
    close: () => client.close(),
  };
};
