import type {
  Appointment,
  Clinic,
  Invoice,
  Patient,
  Payment,
  Principal,
  RecordKind,
  Treatment,
} from '@chairside/domain';
import { type Administration, openAdministration } from './administration.ts';
import { type ApiKeyDocument, type ApiKeys, apiKeysOf, findApiKey } from './api-keys.ts';
import { type CommandListener, createClient, isDatabaseAway } from './database.ts';
import { type Deliveries, type DeliveryDocument, openDeliveries } from './deliveries.ts';
import { type RecordDocument, shapes } from './documents.ts';
import { checkEncryption } from './encryption-check.ts';
import { type EventDocument, type EventLog, openEventLog } from './events.ts';
import type { SettingDocument } from './external-ids.ts';
import { applyIndexes } from './indexes.ts';
import { type LaneDocument, type Lanes, type LeaseDocument, openLanes } from './lanes.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { type Records, recordsOf } from './records.ts';
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
  invoices: Records<Invoice>;
  payments: Records<Payment>;
  treatments: Records<Treatment>;
  subscriptions: Subscriptions;
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
  receivers: Receivers;
  lanes: Lanes;
  administration: Administration;
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

  const records = (kind: RecordKind) => database.collection<RecordDocument>(shapes[kind].collection);
  const subscriptions = database.collection<SubscriptionDocument>('subscriptions');
  const deliveries = database.collection<DeliveryDocument>('deliveries');
  const apiKeys = database.collection<ApiKeyDocument>('apiKeys');
  const operators = database.collection<OperatorDocument>('operators');
  const settings = database.collection<SettingDocument>('settings');

  return {
    organization: (id) => ({
      patients: recordsOf<Patient>(records('patient'), shapes.patient, id),
      appointments: recordsOf<Appointment>(records('appointment'), shapes.appointment, id),
      clinics: recordsOf<Clinic>(records('clinic'), shapes.clinic, id),
      invoices: recordsOf<Invoice>(records('invoice'), shapes.invoice, id),
      payments: recordsOf<Payment>(records('payment'), shapes.payment, id),
      treatments: recordsOf<Treatment>(records('treatment'), shapes.treatment, id),
      subscriptions: subscriptionsOf(subscriptions, deliveries, secrets, id),
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
      events: openEventLog(database.collection<EventDocument>('events')),
      deliveries: openDeliveries(deliveries),
      receivers: openReceivers(subscriptions, secrets),
      lanes: openLanes(
        database,
        database.collection<LaneDocument>('lanes'),
        database.collection<LeaseDocument>('leases'),
      ),
      administration: openAdministration(database, secrets),
    },
    async prepare(onWaiting) {
      for (;;) {
        try {
          // By name: a client whose first connection failed makes no second one by itself.
          await client.connect();
          await checkEncryption(settings, secrets);
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
