import { createFairQueue } from '@chairside/concurrency';
import {
  type Appointment,
  type CalendarBlock,
  type Clinic,
  type Invoice,
  type Patient,
  type Payment,
  type Procedure,
  type Provider,
  type RecordKind,
  ServiceError,
  type Treatment,
} from '@chairside/domain';
import { LRUCache } from 'lru-cache';
import { type ApiKeys, apiKeysOf } from '../access/api-keys.ts';
import { type Connections, connectionsOf } from '../access/connections.ts';
import { type Operators, operatorsOf } from '../access/operators.ts';
import { type OwnRequirement, organizationNameIn } from '../access/organization-document.ts';
import { type OwnFactors, ownFactorsOf } from '../access/own-factors.ts';
import { type ProgramTokens, programTokensOf } from '../access/program-tokens.ts';
import { type Audit, auditOf } from '../audit/audit.ts';
import { auditedSetReader } from '../audit/audited-sets.ts';
import type { OperationTurns } from '../connection/operation-turns.ts';
import { type DeliveryLog, deliveryLogOf } from '../deliveries/delivery-log.ts';
import type { Database } from '../driver/database.ts';
import type { LogExpiry } from '../events/event-document.ts';
import { type Events, eventsOf } from '../events/organization-events.ts';
import { type Mails, mailsOf } from '../mails/organization-mails.ts';
import { openOutages } from '../monitoring/outages.ts';
import { type OwnServiceStatus, serviceStatusOf } from '../monitoring/service-status.ts';
import { outboundOf } from '../preparation/running-processes.ts';
import { type Idempotency, idempotencyOf } from '../records/idempotency.ts';
import { type InsertRecord, insertsInto } from '../records/record-inserts.ts';
import type { RecordSet } from '../records/record-lists.ts';
import type { Reach } from '../records/record-query.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import { type Records, recordsOf } from '../records/records.ts';
import { rememberExisting } from '../records/remembered.ts';
import { type Bookings, bookingsOf } from '../schedule/bookings.ts';
import { openBusySource } from '../schedule/busy-view.ts';
import { createOccupiedReads } from '../schedule/occupied-reads.ts';
import { type OpeningHoursStore, openingHoursOf } from '../schedule/opening-hours.ts';
import { type OrganizationSchedule, scheduleOf } from '../schedule/organization-schedule.ts';
import { type SettingOf, type Settings, settingsOf } from '../schedule/settings.ts';
import { type Statistics, statisticsOf } from '../statistics/statistics.ts';
import { type Subscriptions, subscriptionsOf } from '../subscriptions/subscriptions.ts';
import {
  apiKeysWithin,
  clinicsWithin,
  deliveriesWithin,
  eventsWithin,
  openingHoursWithin,
  programTokensWithin,
  scheduleWithin,
  settingsWithin,
  statisticsWithin,
  subscriptionsWithin,
} from './clinic-scope.ts';
import { collectionsOf } from './collections.ts';
import type { StoreParts } from './store-parts.ts';

/**
 * The repositories of one organization, or of some of its clinics (clinic-scope.ts). They return only data of these, except
 * that `serviceStatus` reports outages of the whole service.
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
  mails: Mails;
  /** The name of the organization. */
  organizationName(): Promise<string>;
  operators: Operators;
  /** What the operators are asked besides the password. */
  factors: OwnFactors;
  factorRequirement: OwnRequirement;
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

/** Maximum number of stores that are kept. */
const MAX_STORES = 1000;

/** Keeps the stores that were used last. They have no state, but creating one for each request costs time. */
const keepingStores = (
  open: (reach: Reach) => OrganizationStore,
): ((organizationId: string, clinicIds?: readonly string[]) => OrganizationStore) => {
  const stores = new LRUCache<string, OrganizationStore>({ max: MAX_STORES });
  return (organizationId, clinicIds) => {
    const key = clinicIds === undefined ? organizationId : [organizationId, 'of', ...clinicIds].join(' ');
    const store = stores.get(key) ?? open({ organizationId, clinicIds });
    stores.set(key, store);
    return store;
  };
};

/** @returns a function that creates the sets of records that a caller reaches */
const recordSets = ({
  database: shared,
  untimedDatabase,
  ciphers,
  searchState,
}: Pick<StoreParts, 'database' | 'untimedDatabase' | 'ciphers' | 'searchState'>) => {
  const inserts = new Map(
    Object.values(shapes).map(({ collection }) => [collection, insertsInto(shared.collection(collection))]),
  );
  return (database: Database, kind: RecordKind, reach: Reach): RecordSet => {
    const shape = shapes[kind];
    const { organizationId } = reach;
    return {
      ...reach,
      collection: database.collection<RecordDocument>(shape.collection),
      insert: inserts.get(shape.collection) as InsertRecord,
      streamed: untimedDatabase.collection<RecordDocument>(shape.collection),
      shape,
      cipher: () => ciphers.of(organizationId),
      searchState: () => searchState(organizationId),
    };
  };
};

/** @returns a function that creates the repositories of an organization, or of some of its clinics */
export const organizationStores = (
  { untimedDatabase, secrets, ciphers, deliveries, laneRequests, ...shared }: StoreParts,
  turns: OperationTurns,
): ReturnType<typeof keepingStores> => {
  const { searchState, passwords, factorRequirements, trail } = shared;
  const remembered = rememberExisting();
  const setOf = recordSets({ ...shared, untimedDatabase, ciphers, searchState });
  const bookingTurns = createFairQueue(BOOKING_TURNS);

  const occupied = { busySource: openBusySource(shared.database), reads: createOccupiedReads() };
  // Each repository is created on access, because a request uses only a few of them.
  return keepingStores((reach) => {
    const { organizationId: id, clinicIds } = reach;
    const database = turns.databaseOf(id, shared.database);
    const collections = collectionsOf(database);
    const cipher = () => ciphers.of(id);
    const records = <R extends { _id: string }>(kind: RecordKind, own = reach): Records<R> =>
      recordsOf<R>(setOf(database, kind, own));
    /** What a caller of the whole organization has, or what one of some clinics has. */
    const reached = <T>(all: T, some: (all: T, clinicIds: readonly string[]) => T): T =>
      clinicIds === undefined ? all : some(all, clinicIds);
    const whole = <T>(open: () => T): T => {
      if (clinicIds === undefined) return open();
      throw new ServiceError('A caller of some clinics used a repository of the whole organization.');
    };
    const setting = <K extends keyof SettingOf>(kind: K): Settings<SettingOf[K]> =>
      reached(settingsOf(database, untimedDatabase, kind, id), settingsWithin);
    return {
      get patients() {
        return records<Patient>('patient');
      },
      get appointments() {
        return records<Appointment>('appointment');
      },
      get clinics() {
        const all = remembered(records<Clinic>('clinic', { organizationId: id }), id);
        return reached(all, () => clinicsWithin(records<Clinic>('clinic'), all, clinicIds ?? []));
      },
      get invoices() {
        return records<Invoice>('invoice');
      },
      get payments() {
        return records<Payment>('payment');
      },
      get treatments() {
        return records<Treatment>('treatment');
      },
      get subscriptions() {
        const all = subscriptionsOf({
          collection: collections.subscriptions,
          deleted: collections.deletedSubscriptions,
          endings: collections.endings,
          deliveries: collections.deliveries,
          secrets,
          organizationId: id,
        });
        return reached(all, subscriptionsWithin);
      },
      get events() {
        const organizations = database.collection<LogExpiry>('organizations');
        return reached(eventsOf(database, collections.events, organizations, id, cipher), eventsWithin);
      },
      get deliveries() {
        const { deliveries: collection, redeliveries } = collections;
        const parts = { collection, redeliveries, deliveries, laneRequests, events: this.events, cipher };
        return reached(deliveryLogOf(parts, id), (all, some) =>
          deliveriesWithin(all, this.subscriptions, some),
        );
      },
      get apiKeys() {
        return reached(apiKeysOf(collections.apiKeys, collections.endings, secrets, id), apiKeysWithin);
      },
      get connections() {
        return whole(() => connectionsOf(collections.connections, collections.endings, id));
      },
      get idempotency() {
        return idempotencyOf(
          collections.idempotencyKeys,
          collections.events,
          (name) => database.collection(name),
          reach,
          cipher,
        );
      },
      get mails() {
        return whole(() => mailsOf(collections.mails, cipher, id));
      },
      get organizationName() {
        return whole(() => () => organizationNameIn(database, id));
      },
      get operators() {
        return whole(() =>
          operatorsOf({ ...collections, organizationId: id }, passwords, {
            programTokens: this.programTokens,
            mails: this.mails,
            organizationName: this.organizationName,
          }),
        );
      },
      get factors() {
        return whole(() =>
          ownFactorsOf({ ...collections, organizationId: id }, secrets, this.programTokens.endOf),
        );
      },
      get factorRequirement() {
        return whole(() => factorRequirements.of(id));
      },
      get programTokens() {
        const all = programTokensOf({ ...collections, trail }, id);
        return reached(all, programTokensWithin);
      },
      get providers() {
        return setting('provider');
      },
      get procedures() {
        return setting('procedure');
      },
      get calendarBlocks() {
        return setting('calendar-block');
      },
      get openingHours() {
        return reached(openingHoursOf(collections.openingHours, id), openingHoursWithin);
      },
      get bookings() {
        return bookingsOf({
          database,
          set: setOf(database, 'appointment', reach),
          turns: bookingTurns,
          reads: occupied.reads,
        });
      },
      get schedule() {
        return reached(scheduleOf(database, id, occupied), scheduleWithin);
      },
      get audit() {
        return auditOf(collections.auditEntries, auditedSetReader(collections.auditedSets), trail, id);
      },
      get statistics() {
        const { deliveryHours, hourProgress } = collections;
        return reached(
          statisticsOf(deliveryHours, hourProgress, collections.deliveries, id),
          statisticsWithin,
        );
      },
      get serviceStatus() {
        const outages = openOutages(database, collections.outages);
        const outbound = (now: Date) => outboundOf(collections.processes, now);
        return serviceStatusOf(
          database,
          collections.deliveries,
          collections.subscriptions,
          outages,
          outbound,
          reach,
        );
      },
    };
  });
};
