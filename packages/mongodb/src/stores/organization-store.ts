import type {
  Appointment,
  Clinic,
  Invoice,
  Patient,
  Payment,
  RecordKind,
  Treatment,
} from '@chairside/domain';
import { type ApiKeys, apiKeysOf } from '../access/api-keys.ts';
import { type Connections, connectionsOf } from '../access/connections.ts';
import { type Operators, operatorsOf } from '../access/operators.ts';
import { type Audit, auditOf } from '../audit/audit.ts';
import { type DeliveryLog, deliveryLogOf } from '../deliveries/delivery-log.ts';
import { type Events, eventsOf } from '../events/organization-events.ts';
import { openOutages } from '../monitoring/outages.ts';
import { type OwnServiceStatus, serviceStatusOf } from '../monitoring/service-status.ts';
import { type RecordDocument, shapes } from '../records/documents.ts';
import { type Idempotency, idempotencyOf } from '../records/idempotency.ts';
import { type InsertRecord, insertsInto } from '../records/record-inserts.ts';
import { type Records, recordsOf } from '../records/records.ts';
import { rememberExisting } from '../records/remembered.ts';
import { type OpeningHoursStore, openingHoursOf } from '../schedule/opening-hours.ts';
import { type Statistics, statisticsOf } from '../statistics/statistics.ts';
import { type Subscriptions, subscriptionsOf } from '../subscriptions/subscriptions.ts';
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
  openingHours: OpeningHoursStore;
  audit: Audit;
  serviceStatus: OwnServiceStatus;
  statistics: Statistics;
};

/** @returns a function that creates the repositories of the organization with this id */
export const organizationStores = ({
  database,
  untimedDatabase,
  collections,
  secrets,
  passwords,
  trail,
  deliveries,
  laneRequests,
}: StoreParts): ((organizationId: string) => OrganizationStore) => {
  const { apiKeys, auditEntries, events, idempotencyKeys, operators, redeliveries, sessions, subscriptions } =
    collections;
  const remembered = rememberExisting();
  const inserts = new Map(
    Object.values(shapes).map(({ collection }) => [collection, insertsInto(database.collection(collection))]),
  );
  const records = <R extends { _id: string }>(kind: RecordKind, organizationId: string): Records<R> => {
    const shape = shapes[kind];
    return recordsOf<R>({
      collection: database.collection<RecordDocument>(shape.collection),
      insert: inserts.get(shape.collection) as InsertRecord,
      streamed: untimedDatabase.collection<RecordDocument>(shape.collection),
      shape,
      organizationId,
    });
  };

  // Each repository is created on access, because a request uses only a few of them.
  return (id) => ({
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
      return subscriptionsOf(subscriptions, collections.deliveries, secrets, id);
    },
    get events() {
      return eventsOf(database, events, id);
    },
    get deliveries() {
      const parts = {
        collection: collections.deliveries,
        redeliveries,
        deliveries,
        laneRequests,
        events: this.events,
      };
      return deliveryLogOf(parts, id);
    },
    get apiKeys() {
      return apiKeysOf(apiKeys, secrets, id);
    },
    get connections() {
      return connectionsOf(collections.connections, id);
    },
    get idempotency() {
      return idempotencyOf(idempotencyKeys, events, (name) => database.collection(name), id);
    },
    get operators() {
      return operatorsOf({ operators, sessions, organizationId: id }, passwords);
    },
    get openingHours() {
      return openingHoursOf(collections.openingHours, id);
    },
    get audit() {
      return auditOf(auditEntries, trail, id);
    },
    get statistics() {
      const { deliveryHours, hourProgress } = collections;
      return statisticsOf(deliveryHours, hourProgress, collections.deliveries, id);
    },
    get serviceStatus() {
      const outages = openOutages(database, collections.outages);
      return serviceStatusOf(database, collections.deliveries, subscriptions, outages, id);
    },
  });
};
