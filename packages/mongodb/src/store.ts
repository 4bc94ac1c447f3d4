import {
  type Appointment,
  type Clinic,
  DEFAULT_AUDIT_RETENTION_DAYS,
  type Invoice,
  type Patient,
  type Payment,
  type Principal,
  type RecordKind,
  type Treatment,
  within,
} from '@chairside/domain';
import { type Administration, openAdministration } from './administration.ts';
import { type ApiKeyDocument, type ApiKeys, apiKeysOf, findApiKey } from './api-keys.ts';
import { type Audit, type AuditDocument, type AuditTrail, auditOf, openAuditTrail } from './audit.ts';
import { type Backlog, openBacklog } from './backlog.ts';
import { type ClientOptions, createClient, withTimeLimit } from './client.ts';
import { databaseNamedBy } from './connection-string.ts';
import { type Deliveries, type DeliveryDocument, openDeliveries } from './deliveries.ts';
import { type DeliveryLog, deliveryLogOf } from './delivery-log.ts';
import { type RecordDocument, shapes } from './documents.ts';
import { checkEncryption } from './encryption-check.ts';
import { type EventDocument, type EventLog, type Events, eventsOf, openEventLog } from './events.ts';
import type { SettingDocument } from './external-ids.ts';
import { isDatabaseInTheMaking } from './ferretdb.ts';
import { type Idempotency, type IdempotencyDocument, idempotencyOf } from './idempotency.ts';
import { applyIndexes } from './indexes.ts';
import { type LaneDocument, type Lanes, type LeaseDocument, openLanes } from './lanes.ts';
import type { OperatorDocument } from './operator-document.ts';
import { type Operators, operatorsOf } from './operators.ts';
import { type Outbox, openOutbox } from './outbox.ts';
import { openPasswords, type Passwords } from './passwords.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import { type Records, recordsOf } from './records.ts';
import { openRedeliveries, type Redeliveries, type RedeliveryDocument } from './redeliveries.ts';
import { rememberExisting } from './remembered.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { checkServerVersion } from './server-version.ts';
import { openSessions, type SessionDocument, type Sessions } from './sessions.ts';
import { type SubscriptionDocument, type Subscriptions, subscriptionsOf } from './subscriptions.ts';
import { isUnavailableAtStart, NoAnswerError } from './unavailable.ts';

/** What one organization has. A query without its organization cannot be written with it. */
export type OrganizationStore = {
  patients: Records<Patient>;
  appointments: Records<Appointment>;
  clinics: Records<Clinic>;
  invoices: Records<Invoice>;
  payments: Records<Payment>;
  treatments: Records<Treatment>;
  subscriptions: Subscriptions;
  events: Events;
  deliveries: DeliveryLog;
  apiKeys: ApiKeys;
  idempotency: Idempotency;
  operators: Operators;
  audit: Audit;
};

/** For the dispatcher, the admin and the authentication only. */
export type EveryOrganization = {
  organizations: { create(organization: { _id: string; name: string }): Promise<void> };
  findApiKey(secret: string, now: Date): Promise<Extract<Principal, { kind: 'apiKey' }> | undefined>;
  sessions: Sessions;
  outbox: Outbox;
  audit: AuditTrail;
  events: EventLog;
  deliveries: Deliveries;
  redeliveries: Redeliveries;
  receivers: Receivers;
  lanes: Lanes;
  administration: Administration;
  backlog: Backlog;
};

export type Store = {
  organization(id: string): OrganizationStore;
  /** Encryption under the keys of this database, for what is handed out and comes back. */
  secrets: Secrets;
  everyOrganization: EveryOrganization;
  /** The queue of passwords that are hashed, for metrics. */
  passwords: Pick<Passwords, 'waiting'>;
  /**
   * Makes the database ready for use: checks its version and that the encryption keys are those it was written with, and
   * creates missing indexes.
   *
   * @param waiting if given, a database that is away is waited for: `onWaiting` is called with the first error, and
   *   `onReady` after that, when the database is ready. If absent, the first error is thrown.
   * @throws {SettingsError} when the keys cannot open what is stored
   * @throws {UnusableDatabaseError} when the server is too old, or an index has another definition
   */
  prepare(waiting?: { onWaiting(error: unknown): void; onReady(): void }): Promise<void>;
  /** Connects, as the first operation would. @throws when there is no database for as long as the store waits for one */
  connect(): Promise<void>;
  /** @throws when the database does not answer within two seconds */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** How long the database may take to show that it is there, in milliseconds. */
const PING_TIMEOUT = 2000;
/** For a URL that names no database. */
const DEFAULT_DATABASE = 'chairside';
/** How long a start waits for the database before it says so, in milliseconds. */
const QUIET_WAIT = 2000;
/** How long to wait before looking for the database again, in milliseconds. */
const RETRY_DELAY = 1000;

/**
 * @param options.auditRetentionDays how long audit entries that are written from now on are kept
 * @param options.passwords how passwords are hashed, if not by a queue of the store's own
 * @param options.url its path names the database (default `chairside`)
 * @throws {MongoParseError} when the URL is
 */
export const openStore = ({
  encryptionKeys,
  auditRetentionDays = DEFAULT_AUDIT_RETENTION_DAYS,
  passwords = openPasswords(),
  ...options
}: ClientOptions & {
  encryptionKeys: string;
  auditRetentionDays?: number;
  passwords?: Passwords | undefined;
}): Store => {
  const secrets = openSecrets(encryptionKeys);
  const { patience = {} } = options;
  const client = createClient(options);
  // For what may take long by its nature: the first rows of a long list, and the making of indexes.
  const { operation, ...patient } = patience;
  const patientClient =
    operation === undefined
      ? client
      : createClient({ ...options, availability: undefined, patience: patient });
  const name = databaseNamedBy(options.url) ?? DEFAULT_DATABASE;
  const database = withTimeLimit(client.db(name), patience);
  const patientDatabase = patientClient.db(name);

  const records = <R extends { _id: string }>(kind: RecordKind, organizationId: string): Records<R> => {
    const shape = shapes[kind];
    return recordsOf<R>(
      database.collection<RecordDocument>(shape.collection),
      patientDatabase.collection<RecordDocument>(shape.collection),
      shape,
      organizationId,
    );
  };
  const remembered = rememberExisting();
  const subscriptions = database.collection<SubscriptionDocument>('subscriptions');
  const deliveries = database.collection<DeliveryDocument>('deliveries');
  const allDeliveries = openDeliveries(deliveries);
  const events = database.collection<EventDocument>('events');
  const redeliveries = database.collection<RedeliveryDocument>('redeliveries');
  const lanes = openLanes(
    database,
    database.collection<LaneDocument>('lanes'),
    database.collection<LeaseDocument>('leases'),
  );
  const apiKeys = database.collection<ApiKeyDocument>('apiKeys');
  const operators = database.collection<OperatorDocument>('operators');
  const auditEntries = database.collection<AuditDocument>('auditEntries');
  const trail = openAuditTrail(auditEntries, auditRetentionDays);
  const sessions = database.collection<SessionDocument>('sessions');
  const settings = database.collection<SettingDocument>('settings');

  return {
    secrets,
    passwords,
    // Each repository is made when it is asked for: a request uses one or two of them.
    organization: (id) => ({
      get patients() {
        return records<Patient>('patient', id);
      },
      get appointments() {
        return records<Appointment>('appointment', id);
      },
      get clinics() {
        return remembered(records<Clinic>('clinic', id), id);
      },
      get invoices() {
        return records<Invoice>('invoice', id);
      },
      get payments() {
        return records<Payment>('payment', id);
      },
      get treatments() {
        return records<Treatment>('treatment', id);
      },
      get subscriptions() {
        return subscriptionsOf(subscriptions, deliveries, secrets, id);
      },
      get events() {
        return eventsOf(database, events, id);
      },
      get deliveries() {
        const parts = {
          collection: deliveries,
          redeliveries,
          deliveries: allDeliveries,
          lanes,
          events: this.events,
        };
        return deliveryLogOf(parts, id);
      },
      get apiKeys() {
        return apiKeysOf(apiKeys, secrets, id);
      },
      get idempotency() {
        const keys = database.collection<IdempotencyDocument>('idempotencyKeys');
        return idempotencyOf(keys, events, (collection) => database.collection(collection), id);
      },
      get operators() {
        return operatorsOf(operators, sessions, passwords, id);
      },
      get audit() {
        return auditOf(auditEntries, trail, id);
      },
    }),
    everyOrganization: {
      organizations: {
        create: async ({ _id, name }) => {
          await database
            .collection<{ _id: string; name: string; createdTime: Date }>('organizations')
            .insertOne({ _id, name, createdTime: new Date() });
        },
      },
      findApiKey: (secret, now) => findApiKey(apiKeys, secret, now),
      sessions: openSessions(sessions, operators, passwords),
      outbox: openOutbox(database),
      audit: trail,
      events: openEventLog(database, events, deliveries),
      deliveries: allDeliveries,
      redeliveries: openRedeliveries(redeliveries, deliveries, events),
      receivers: openReceivers(subscriptions, secrets),
      lanes,
      administration: openAdministration(patientDatabase, trail, secrets, passwords),
      backlog: openBacklog(database, deliveries, subscriptions),
    },
    async prepare(waiting) {
      let hasWaited = false;
      let lastFailure: Error | undefined;
      client.on('serverHeartbeatFailed', ({ failure }) => {
        lastFailure = failure;
      });
      const wait = (error: unknown) => {
        if (waiting === undefined) throw error;
        if (!hasWaited) waiting.onWaiting(error);
        hasWaited = true;
      };
      for (;;) {
        try {
          // By name: a client whose first connection failed makes no second one by itself.
          const connecting = Promise.all([client.connect(), patientClient.connect()]);
          if ((await within(connecting, QUIET_WAIT)) === undefined) {
            connecting.catch(() => {});
            wait(lastFailure ?? new NoAnswerError('no database yet'));
          }
          await connecting;
          await checkServerVersion(database);
          await checkEncryption(settings, secrets);
          await applyIndexes(patientDatabase);
          if (hasWaited) waiting?.onReady();
          return;
        } catch (error) {
          if (!isDatabaseInTheMaking(error)) {
            if (!isUnavailableAtStart(error)) throw error;
            wait(error);
          }
          await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
        }
      }
    },
    async connect() {
      await client.connect();
    },
    async ping() {
      const answer = await within(database.command({ ping: 1 }), PING_TIMEOUT);
      if (answer === undefined) throw new NoAnswerError('the database does not answer');
    },
    close: async () => {
      await Promise.all([client.close(), patientClient.close()]);
    },
  };
};
