import type {
  Appointment,
  CalendarBlock,
  Clinic,
  Invoice,
  Patient,
  Payment,
  Procedure,
  Provider,
  RecordKind,
  Treatment,
} from '@chairside/domain';
import { createFairQueue } from '@chairside/work';
import { LRUCache } from 'lru-cache';
import { type ApiKeys, apiKeysOf } from '../access/api-keys.ts';
import { type Connections, connectionsOf } from '../access/connections.ts';
import { type Operators, operatorsOf } from '../access/operators.ts';
import { type ProgramTokens, programTokensOf } from '../access/program-tokens.ts';
import { type Audit, auditOf } from '../audit/audit.ts';
import { auditedSetReader } from '../audit/audited-sets.ts';
import type { OperationTurns } from '../connection/operation-turns.ts';
import { type DeliveryLog, deliveryLogOf } from '../deliveries/delivery-log.ts';
import type { Database } from '../driver/database.ts';
import { type Events, eventsOf } from '../events/organization-events.ts';
import { openOutages } from '../monitoring/outages.ts';
import { type OwnServiceStatus, serviceStatusOf } from '../monitoring/service-status.ts';
import { type Idempotency, idempotencyOf } from '../records/idempotency.ts';
import { type InsertRecord, insertsInto } from '../records/record-inserts.ts';
import type { RecordSet } from '../records/record-lists.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import { type Records, recordsOf } from '../records/records.ts';
import { rememberExisting } from '../records/remembered.ts';
import { type Bookings, bookingsOf } from '../schedule/bookings.ts';
import { openBusySource } from '../schedule/busy-view.ts';
import { createOccupiedReads } from '../schedule/occupied-reads.ts';
import { type OpeningHoursStore, openingHoursOf } from '../schedule/opening-hours.ts';
import { type OrganizationSchedule, scheduleOf } from '../schedule/organization-schedule.ts';
import { type Settings, settingsOf } from '../schedule/settings.ts';
import { type Statistics, statisticsOf } from '../statistics/statistics.ts';
import { type Subscriptions, subscriptionsOf } from '../subscriptions/subscriptions.ts';
import { collectionsOf } from './collections.ts';
import type { StoreParts } from './store-parts.ts';

/**
 * The repositories of one organization. They return only data of this organization, except that `serviceStatus` reports
 * outages of the whole service.
 */
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
  connections: Connections;
  idempotency: Idempotency;
  operators: Operators;
  programTokens: ProgramTokens;
  providers: Settings<Provider>;
  procedures: Settings<Procedure>;
  calendarBlocks: Settings<CalendarBlock>;
  openingHours: OpeningHoursStore;
  schedule: OrganizationSchedule;
  bookings: Bookings;
  audit: Audit;
  serviceStatus: OwnServiceStatus;
  statistics: Statistics;
};

/**
 * Bookings that have met take turns in each organization. Each uses one connection at a time. The limit of waiting ones
 * is that of waiting operations.
 */
const BOOKING_TURNS = { atOnce: 8, atOnceOfCaller: 1, maxWaiting: 2000 };

/** Maximum number of organizations whose store is kept. It has no state, but creating it for each request costs time. */
const MAX_STORES = 1000;

/** @returns a function that creates the repositories of the organization with this id
 */
export const organizationStores = (
  {
    untimedDatabase,
    secrets,
    ciphers,
    searchState,
    passwords,
    trail,
    deliveries,
    laneRequests,
    ...shared
  }: StoreParts,
  turns: OperationTurns,
): ((organizationId: string) => OrganizationStore) => {
  const remembered = rememberExisting();
  const inserts = new Map(
    Object.values(shapes).map(({ collection }) => [
      collection,
      insertsInto(shared.database.collection(collection)),
    ]),
  );
  const setOf = (database: Database, kind: RecordKind, organizationId: string): RecordSet => {
    const shape = shapes[kind];
    return {
      collection: database.collection<RecordDocument>(shape.collection),
      insert: inserts.get(shape.collection) as InsertRecord,
      streamed: untimedDatabase.collection<RecordDocument>(shape.collection),
      shape,
      organizationId,
      cipher: () => ciphers.of(organizationId),
      searchState: () => searchState(organizationId),
    };
  };
  const records = <R extends { _id: string }>(
    database: Database,
    kind: RecordKind,
    organizationId: string,
  ): Records<R> => recordsOf<R>(setOf(database, kind, organizationId));
  const bookingTurns = createFairQueue(BOOKING_TURNS);

  const occupied = { busySource: openBusySource(shared.database), reads: createOccupiedReads() };
  // Each repository is created on access, because a request uses only a few of them.
  const open = (id: string): OrganizationStore => {
    const database = turns.databaseOf(id, shared.database);
    const collections = collectionsOf(database);
    const cipher = () => ciphers.of(id);
    return {
      get patients() {
        return records<Patient>(database, 'patient', id);
      },
      get appointments() {
        return records<Appointment>(database, 'appointment', id);
      },
      get clinics() {
        return remembered(records<Clinic>(database, 'clinic', id), id);
      },
      get invoices() {
        return records<Invoice>(database, 'invoice', id);
      },
      get payments() {
        return records<Payment>(database, 'payment', id);
      },
      get treatments() {
        return records<Treatment>(database, 'treatment', id);
      },
      get subscriptions() {
        return subscriptionsOf({
          collection: collections.subscriptions,
          deleted: collections.deletedSubscriptions,
          deliveries: collections.deliveries,
          secrets,
          organizationId: id,
        });
      },
      get events() {
        return eventsOf(database, collections.events, database.collection('organizations'), id, cipher);
      },
      get deliveries() {
        const parts = {
          collection: collections.deliveries,
          redeliveries: collections.redeliveries,
          deliveries,
          laneRequests,
          events: this.events,
          cipher,
        };
        return deliveryLogOf(parts, id);
      },
      get apiKeys() {
        return apiKeysOf(collections.apiKeys, secrets, id);
      },
      get connections() {
        return connectionsOf(collections.connections, id);
      },
      get idempotency() {
        return idempotencyOf(
          collections.idempotencyKeys,
          collections.events,
          (name) => database.collection(name),
          id,
          cipher,
        );
      },
      get operators() {
        const { operators, sessions, programTokens } = collections;
        return operatorsOf(
          { operators, sessions, programTokens, organizationId: id },
          passwords,
          this.programTokens,
        );
      },
      get programTokens() {
        const { operators, sessions, programTokens } = collections;
        return programTokensOf({ operators, sessions, programTokens, trail }, id);
      },
      get providers() {
        return settingsOf(database, untimedDatabase, 'provider', id);
      },
      get procedures() {
        return settingsOf(database, untimedDatabase, 'procedure', id);
      },
      get calendarBlocks() {
        return settingsOf(database, untimedDatabase, 'calendar-block', id);
      },
      get openingHours() {
        return openingHoursOf(collections.openingHours, id);
      },
      get bookings() {
        return bookingsOf({
          database,
          set: setOf(database, 'appointment', id),
          turns: bookingTurns,
          reads: occupied.reads,
        });
      },
      get schedule() {
        return scheduleOf(database, id, occupied);
      },
      get audit() {
        return auditOf(collections.auditEntries, auditedSetReader(collections.auditedSets), trail, id);
      },
      get statistics() {
        const { deliveryHours, hourProgress } = collections;
        return statisticsOf(deliveryHours, hourProgress, collections.deliveries, id);
      },
      get serviceStatus() {
        const outages = openOutages(database, collections.outages);
        return serviceStatusOf(database, collections.deliveries, collections.subscriptions, outages, id);
      },
    };
  };

  const stores = new LRUCache<string, OrganizationStore>({ max: MAX_STORES });
  return (id) => {
    const store = stores.get(id) ?? open(id);
    stores.set(id, store);
    return store;
  };
};
