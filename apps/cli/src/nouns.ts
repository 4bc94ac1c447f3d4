import type {
  BatchWrite,
  BookingOptions,
  Call,
  Chairside,
  ClinicSubscription,
  EditableRecords,
  List,
  ReadableRecords,
  SyncedRecords,
  WebhookDelivery,
} from '@chairside/client';
import { createForClinics } from '@chairside/client/every-clinic';
import { STATES } from '@chairside/client/words';
import type { Need } from './access/credentials.ts';
import { DELIVERY_WORDS, printDelivery } from './output/delivery.ts';
import type { Paging } from './output/list.ts';
import type { OutputOptions, Words } from './output/rows.ts';

/** A noun of the command line, and the operations of the API behind its verbs. */
export type Noun = {
  /** The plural, such as `patients`. */
  name: string;
  /** The singular, for texts: `patient`. */
  one: string;
  description: string;
  need: Need;
  /** The columns of a table on a terminal. */
  columns: readonly string[];
  /** The codes of some columns in words, for a table. */
  words?: Words;
  list?: {
    operation: string;
    read(client: Chairside, filter: object, paging: Paging): List<object>;
    /** A shorter flag for one of the filters. */
    short?: { flag: string; of: string };
  };
  get?(client: Chairside, id: string): Call<object>;
  getByExternalId?(client: Chairside, externalId: string): Call<object>;
  /** Prints one record, if it needs more than its fields. */
  print?(found: object, options: OutputOptions): Promise<void>;
  create?: {
    operation: string;
    send(client: Chairside, body: object, key?: string, booking?: BookingOptions): Call<object>;
  };
  /** Creates one for each clinic. */
  createForClinics?(client: Chairside, body: object): AsyncIterable<ClinicSubscription>;
  update?: {
    operation: string;
    send(
      client: Chairside,
      id: string,
      body: object,
      ifMatch?: string,
      booking?: BookingOptions,
    ): PromiseLike<object>;
  };
  upsert?: {
    operation: string;
    send(
      client: Chairside,
      externalId: string,
      body: object,
      ifMatch?: string,
      booking?: BookingOptions,
    ): Call<object>;
  };
  remove?(client: Chairside, id: string, ifMatch?: string): PromiseLike<object>;
  /** Whether a creation and a change can set a password. */
  hasPassword?: boolean;
  /** Whether the list takes `fields`. */
  isProjected?: boolean;
  /** Whether records can be written only if their time is free (`--only-if-free`). */
  isBooked?: boolean;
  /** Whether a change can require a version (`--if-match`). */
  isVersioned?: boolean;
  /** Whether a creation can have an idempotency key, and records can be created from a file. */
  isIdempotent?: boolean;
  /** The kind of record in a batch. Then files can also be updated and upserted. */
  kind?: BatchWrite['kind'];
  examples: readonly string[];
};

type Group<Kind extends object> = (client: Chairside) => Kind;
type AnyReadable = ReadableRecords<{ _id: string }, object>;
type AnySynced = SyncedRecords<{ _id: string }, object, object, object, BookingOptions>;
type AnyEditable = EditableRecords<{ _id: string }, object, object, object, BookingOptions>;

const readable = (group: Group<object>, operation: string): Pick<Noun, 'list' | 'get' | 'isProjected'> => {
  const of = group as Group<AnyReadable>;
  return {
    isProjected: true,
    list: { operation, read: (client, filter, reading) => of(client).list(filter, reading) },
    get: (client, id) => of(client).get(id),
  };
};

const editable = (group: Group<object>, word: string): Partial<Noun> => {
  const of = group as Group<AnyEditable>;
  return {
    ...readable(group, `list${word}s`),
    isVersioned: true,
    isIdempotent: true,
    create: {
      operation: `create${word}`,
      send: (client, body, idempotencyKey, booking) =>
        of(client).create(body, { idempotencyKey, ...booking }),
    },
    update: {
      operation: `update${word}`,
      send: (client, id, body, ifMatch, booking) => of(client).update(id, body, { ifMatch, ...booking }),
    },
    remove: (client, id, ifMatch) => of(client).delete(id, { ifMatch }),
  };
};

/** Records that have external ids, too. */
const synced = (group: Group<object>, word: string, kind: BatchWrite['kind']): Partial<Noun> => {
  const of = group as Group<AnySynced>;
  return {
    ...editable(group, word),
    kind,
    getByExternalId: (client, externalId) => of(client).getByExternalId(externalId),
    upsert: {
      operation: `upsert${word}`,
      send: (client, externalId, body, ifMatch, booking) =>
        of(client).upsert(externalId, body, { ifMatch, ...booking }),
    },
  };
};

/** Casts a body or a filter to the type of its operation. The api validates the values. */
const as = <T>(body: object): T => body as T;

export const NOUNS: readonly Noun[] = [
  {
    name: 'clinics',
    one: 'clinic',
    description: 'the clinics of the organization',
    need: 'any',
    columns: ['_id', 'name', 'currency', 'timezone', 'lastEditTime'],
    ...readable((client) => client.clinics, 'listClinics'),
    examples: ['chairside clinics list'],
  },
  {
    name: 'patients',
    one: 'patient',
    description: 'patients',
    need: 'any',
    columns: ['_id', 'name', 'email', 'phone', 'clinicId', 'lastEditTime'],
    ...synced((client) => client.patients, 'Patient', 'patient'),
    examples: [
      'chairside patients list --clinic-id 01JB… --fields name,phone',
      'chairside patients list --name "ada bei"',
      'chairside patients create --clinic-id 01JB… --name "Ada Beispiel"',
      'chairside patients create --from people.csv',
      'chairside patients update 01JB… --phone +41441234567',
      'chairside patients upsert pms:4711 --clinic-id 01JB… --name "Ada Beispiel"',
      'chairside patients upsert --from people.csv --output csv > ids.csv',
      'chairside patients export 01JB… > patient.json',
    ],
  },
  {
    name: 'appointments',
    one: 'appointment',
    description: 'appointments',
    need: 'any',
    columns: ['_id', 'startTime', 'endTime', 'status', 'patientId', 'clinicId'],
    ...synced((client) => client.appointments, 'Appointment', 'appointment'),
    isBooked: true,
    examples: [
      'chairside appointments list --start-time 2030-01-31T00:00:00Z --end-time 2030-02-01T00:00:00Z',
      'chairside appointments create --clinic-id 01JB… --start-time 2030-01-31T09:30:00+01:00 --end-time 2030-01-31T10:00:00+01:00 --only-if-free',
      'chairside appointments update 01JB… --status PATIENT_ARRIVED',
    ],
  },
  {
    name: 'invoices',
    one: 'invoice',
    description: 'invoices',
    need: 'any',
    columns: ['_id', 'creationTime', 'status', 'total', 'currency', 'patientId'],
    ...readable((client) => client.invoices, 'listInvoices'),
    examples: ['chairside invoices list --patient-id 01JB… --output csv'],
  },
  {
    name: 'payments',
    one: 'payment',
    description: 'payments',
    need: 'any',
    columns: ['_id', 'creationTime', 'status', 'amount', 'currency', 'method', 'patientId'],
    ...readable((client) => client.payments, 'listPayments'),
    examples: ['chairside payments list --updated-since 2030-01-31T00:00:00Z'],
  },
  {
    name: 'treatments',
    one: 'treatment',
    description: 'treatments',
    need: 'any',
    columns: ['_id', 'name', 'status', 'price', 'currency', 'patientId'],
    ...readable((client) => client.treatments, 'listTreatments'),
    examples: ['chairside treatments list --output csv'],
  },
  {
    name: 'providers',
    one: 'provider',
    description: 'the people who treat patients',
    need: 'any',
    columns: ['_id', 'name', 'clinicIds'],
    ...editable((client) => client.providers, 'Provider'),
    examples: [
      'chairside providers list --clinic-id 01JB…',
      'chairside providers create --name "Dr. Ines Albers" --clinic-ids 01JB…',
    ],
  },
  {
    name: 'procedures',
    one: 'procedure',
    description: 'the price list',
    need: 'any',
    columns: ['_id', 'name', 'code', 'price', 'currency', 'durationMinutes', 'bookable'],
    ...editable((client) => client.procedures, 'Procedure'),
    examples: [
      'chairside procedures list --output csv',
      'chairside procedures create --from price-list.csv',
      'chairside procedures update 01JB… --price 85.00',
    ],
  },
  {
    name: 'blocks',
    one: 'calendar block',
    description: 'calendar blocks: times without appointments',
    need: 'any',
    columns: ['_id', 'startTime', 'endTime', 'kind', 'clinicId', 'providerId'],
    ...editable((client) => client.calendarBlocks, 'CalendarBlock'),
    examples: [
      'chairside blocks list --clinic-id 01JB… --start-time 2030-12-01T00:00:00Z',
      'chairside blocks create --clinic-id 01JB… --start-time 2030-12-24T00:00:00+01:00 --end-time 2030-12-27T00:00:00+01:00 --kind HOLIDAY',
    ],
  },
  {
    name: 'webhooks',
    one: 'subscription',
    description: 'subscriptions: where webhooks are sent',
    need: 'operator',
    columns: ['_id', 'url', 'state', 'consecutiveFailures', 'lastStatusCode', 'clinicId'],
    words: { state: STATES },
    list: {
      operation: 'listWebhookSubscriptions',
      read: (client) => client.webhookSubscriptions.list(),
    },
    get: (client, id) => client.webhookSubscriptions.get(id),
    create: {
      operation: 'createWebhookSubscription',
      send: (client, body) => client.webhookSubscriptions.create(as(body)),
    },
    createForClinics: (client, body) => createForClinics(client, as(body)),
    update: {
      operation: 'updateWebhookSubscription',
      send: (client, id, body, ifMatch) => client.webhookSubscriptions.update(id, as(body), { ifMatch }),
    },
    remove: (client, id, ifMatch) => client.webhookSubscriptions.delete(id, { ifMatch }),
    isVersioned: true,
    examples: [
      "chairside webhooks create --clinic-id 01JB… --url https://example.com/webhooks --events 'patient.*'",
      'chairside webhooks create --all-clinics --url https://example.com/webhooks',
      'chairside webhooks test 01JB…',
      'chairside webhooks redeliver 01JB… --since 2030-01-31T00:00:00Z --outcomes failed',
      'chairside webhooks redeliveries 01JB…',
    ],
  },
  {
    name: 'deliveries',
    one: 'delivery',
    description: 'deliveries of webhooks',
    need: 'operator',
    // The id comes last, because it is so long that little else would fit beside it.
    columns: ['createdTime', 'outcome', 'cause', 'statusCode', 'event', '_id', 'duration'],
    words: DELIVERY_WORDS,
    list: {
      operation: 'listAllWebhookDeliveries',
      short: { flag: 'subscription', of: 'webhookSubscriptionId' },
      read: (client, filter, reading) => client.webhookDeliveries.list(as(filter), reading),
    },
    get: (client, id) => client.webhookDeliveries.get(id),
    print: (found, options) => printDelivery(found as WebhookDelivery, options),
    examples: [
      'chairside deliveries list --outcome failed',
      'chairside deliveries list --subscription 01JB… --cause timeout',
      'chairside deliveries redeliver 01JB…',
    ],
  },
  {
    name: 'events',
    one: 'event',
    description: 'the event log of the last 30 days',
    need: 'any',
    columns: ['id', 'loggedTime', 'event', 'clinicIds'],
    list: {
      operation: 'listEvents',
      read: (client, filter, reading) => client.events.list(as(filter), reading),
    },
    get: (client, id) => client.events.get(id),
    examples: [
      'chairside events list --order desc --limit 20',
      'chairside events follow --cursor-file events.cursor',
      'chairside events trigger patient.created --forward-to http://localhost:4000/webhooks',
    ],
  },
  {
    name: 'keys',
    one: 'key',
    description: 'API keys',
    need: 'operator',
    columns: ['_id', 'name', 'scopes', 'rateLimit', 'lastUsedTime'],
    list: { operation: 'listApiKeys', read: (client) => client.apiKeys.list() },
    get: (client, id) => client.apiKeys.get(id),
    create: { operation: 'createApiKey', send: (client, body) => client.apiKeys.create(as(body)) },
    update: {
      operation: 'updateApiKey',
      send: (client, id, body, ifMatch) => client.apiKeys.update(id, as(body), { ifMatch }),
    },
    remove: (client, id, ifMatch) => client.apiKeys.delete(id, { ifMatch }),
    isVersioned: true,
    examples: ['chairside keys create --name "Recall letters" --scopes patients:read,appointments:read'],
  },
  {
    name: 'operators',
    one: 'operator',
    description: 'the people who can sign in',
    need: 'operator',
    hasPassword: true,
    columns: ['_id', 'email', 'name', 'role', 'active', 'lastSignInTime', 'createdTime'],
    list: { operation: 'listOperators', read: (client) => client.operators.list() },
    get: (client, id) => client.operators.get(id),
    create: { operation: 'createOperator', send: (client, body) => client.operators.create(as(body)) },
    update: {
      operation: 'updateOperator',
      send: (client, id, body, ifMatch) => client.operators.update(id, as(body), { ifMatch }),
    },
    remove: (client, id, ifMatch) => client.operators.delete(id, { ifMatch }),
    isVersioned: true,
    examples: [
      'chairside operators create --email ada@example.com --role staff',
      'chairside operators invite 01JB…',
      'chairside operators end-sessions 01JB…',
      'chairside operators notices',
    ],
  },
  {
    name: 'audit',
    one: 'entry',
    description: 'the audit trail',
    need: 'operator',
    columns: ['time', 'action', 'kind', 'ids', 'principal', 'result'],
    list: {
      operation: 'listAuditEntries',
      read: (client, filter, reading) => client.auditEntries.list(as(filter), reading),
    },
    examples: ['chairside audit list --record-id 01JB… --output csv'],
  },
  {
    name: 'tokens',
    one: 'token',
    description: 'access tokens for programs, and your own sessions',
    need: 'operator',
    columns: ['_id', 'name', 'access', 'createdTime', 'lastUsedTime', 'expiryTime'],
    list: { operation: 'listProgramTokens', read: (client) => client.sessions.tokens() },
    create: {
      operation: 'createProgramToken',
      send: (client, body) => client.sessions.createToken(as(body)),
    },
    remove: (client, id) => client.sessions.delete(id),
    examples: [
      'chairside tokens create --name Onboarding --access webhooks --lifetime-days 30',
      'chairside tokens sessions',
      'chairside tokens delete 01JB…',
    ],
  },
  {
    name: 'connections',
    one: 'connected app',
    description: 'the apps that may read the settings of the practice',
    need: 'operator',
    columns: ['_id', 'clientName', 'redirectHost', 'operatorId', 'createdTime', 'lastUsedTime'],
    list: {
      operation: 'listConnections',
      read: (client, _filter, reading) => client.connections.list(reading),
    },
    remove: (client, id) => client.connections.delete(id),
    examples: ['chairside connections list', 'chairside connections delete 01JB…'],
  },
];
