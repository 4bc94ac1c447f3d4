import {
  type ConnectionMetrics,
  createConnectionMetrics,
  createFaultMetrics,
  createRequestMetrics,
  type Exposed,
  type FaultMetrics,
  type RequestMetrics,
} from '@chairside/http-server';
import { type SignInResult, type Store, sealedCollections, type Unavailability } from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import type { DatabaseTimes } from '@chairside/telemetry';
import {
  createDatabaseMetrics,
  createEncryptionMetrics,
  createRegistry,
  type EncryptionMetrics,
} from '@chairside/telemetry/metrics';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * Upper bounds of the histogram buckets, in seconds. One of them is 2, because a request gets a 503 within about two
 * seconds while the database is unreachable.
 */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Why a process cannot serve requests. `starting`: it prepares the database, or waits for it. */
const NOT_READY = ['starting', 'database_unreachable'] as const;
export type NotReady = (typeof NOT_READY)[number];

const SIGN_IN_OUTCOMES: readonly SignInResult['outcome'][] = ['signed_in', 'refused', 'unknown'];
/** The bytes of a write. `share`: the part of its limit that the organization has taken in this window, from 0 to 1. */
export type EventBytesTaken = { organizationId: string; bytes: number; share: number; resetSeconds: number };

/** The metrics of this process, for Prometheus. No label contains the id of a record or the path of a request. */
export type Metrics = ConnectionMetrics &
  FaultMetrics &
  RequestMetrics &
  Exposed & {
    /** The times of the database. */
    database: DatabaseTimes;
    encryption: EncryptionMetrics;
    signedIn(outcome: SignInResult['outcome']): void;
    /** @param refusal.limit the id of the limit that was exceeded; `none` for any other reason */
    refused(refusal: { name: string; limit: string }): void;
    /** A request, or a write of a batch, was refused because of the database. */
    databaseFailed(reason: Unavailability): void;
    /** Call it when the bytes of an event have been counted, before the write stores the event or is refused. */
    eventBytes(write: EventBytesTaken): void;
    /** @param reason why the process cannot serve requests; undefined when it can */
    notReady(reason: NotReady | undefined): void;
    /** @param count the streams that are open now */
    streams(count: number): void;
    /** @param count the requests that wait for their turn, without lists */
    requestsWaiting(count: number): void;
    /** @param count the lists that wait for their turn to read */
    readsWaiting(count: number): void;
    /** A connection was closed because its response stalled or was read too slowly. */
    closedStalled(): void;
  };

/**
 * The maximum number of organizations whose share of event bytes is kept. When it is exceeded, the organization
 * whose last write is oldest is dropped.
 */
const MAX_SHARES = 10_000;

/** Shows how close organizations are to the limit of event bytes. No label names an organization. */
const createEventByteMetrics = (registers: Registry[]) => {
  const shares = new LRUCache<string, number>({ max: MAX_SHARES });
  const bytesTaken = new Counter({
    name: 'chairside_api_event_bytes_total',
    help: 'Bytes of the event bodies that writes stored',
    registers,
  });
  new Gauge({
    name: 'chairside_api_event_bytes_share',
    help: 'The highest share of its event bytes that an organization has taken in the current minute, from 0 to 1',
    registers,
    collect() {
      // The cache returns only the shares whose window has not ended.
      this.set(Math.max(0, ...shares.values()));
    },
  });
  return ({ organizationId, bytes, share, resetSeconds }: EventBytesTaken): void => {
    bytesTaken.inc(bytes);
    shares.set(organizationId, share, { ttl: resetSeconds * 1000 });
  };
};

/** The limits of docs/limits.md that a refusal with this name can have exceeded. A test compares them. */
const REFUSED_LIMITS: Readonly<Record<'ServiceUnavailable' | 'TooManyRequests', readonly string[]>> = {
  ServiceUnavailable: [
    'batches_waiting',
    'bodies',
    'database_operations',
    'exports',
    'lookups_waiting',
    'occupied_reads_waiting',
    'outbox_of_record',
    'passwords_waiting',
    'reads_waiting',
    'request_computing',
    'requests_waiting',
    'streams',
    'strengths_waiting',
    'undecided_bookings',
  ],
  TooManyRequests: [
    'answers_of_network',
    'answers_of_site',
    'batches_waiting',
    'bodies_of_organization',
    'bulk_redeliveries',
    'event_bytes',
    'exports_begun',
    'exports_of_organization',
    'invitations_of_email',
    'invitations_of_email_daily',
    'links_of_network',
    'lookups_waiting',
    'occupied_reads_waiting',
    'operations_waiting',
    'operator_addresses',
    'operator_passwords',
    'passwords_of_email',
    'passwords_of_network',
    'passwords_of_pair',
    'passwords_of_site',
    'passwords_right',
    'passwords_waiting',
    'reads_waiting',
    'redeliveries',
    'rejections',
    'requests_of_key',
    'requests_of_token',
    'requests_waiting',
    'resets_of_network',
    'rows_of_key',
    'rows_of_organization',
    'running_redeliveries',
    'streams_of_organization',
    'streams_of_principal',
    'strengths_waiting',
    'tests',
    'wrong_codes',
  ],
};
const DATABASE_FAILURES: readonly Unavailability[] = ['unreachable', 'blocked', 'overloaded'];
const CLASSES = ['2xx', '3xx', '4xx', '5xx'];
/** A route that writes one patient or one appointment. */
const ONE_WRITE = /^\/api\/(?:patients|appointments)(?:\/:\w+|\/external\/:\w+)?$/;

/**
 * The responses that alerts watch. The histogram by route has no series before the first response of its kind, so
 * Prometheus would see no increase at the first one. These series exist from the start.
 */
const createResponseMetrics = (registers: Registry[]): RequestMetrics['responded'] => {
  const responses = new Counter({
    name: 'chairside_api_responses_total',
    help: 'Responses by the class of their status, without those of /health',
    labelNames: ['class'],
    registers,
  });
  for (const each of CLASSES) responses.inc({ class: each }, 0);
  const writes = new Histogram({
    name: 'chairside_api_write_duration_seconds',
    help: 'Time from the arrival of a request that writes one patient or one appointment to the end of its response, without 5xx',
    buckets: BUCKETS,
    registers,
  });
  return ({ method, route, statusCode, seconds }) => {
    if (route.startsWith('/health/')) return;
    responses.inc({ class: `${Math.floor(statusCode / 100)}xx` });
    // The time of a failed request says how long the api waits for the database, and other alerts are about that.
    const isWrite = method !== 'GET' && method !== 'HEAD' && ONE_WRITE.test(route);
    if (isWrite && statusCode < 500) writes.observe(seconds);
  };
};

const createReadinessMetric = (registers: Registry[]): Metrics['notReady'] => {
  const gauge = new Gauge({
    name: 'chairside_api_not_ready',
    help: '1 for the reason why the process cannot serve requests, otherwise 0',
    labelNames: ['reason'],
    registers,
  });
  const show = (found: NotReady | undefined): void => {
    for (const reason of NOT_READY) gauge.set({ reason }, reason === found ? 1 : 0);
  };
  // A process shows its first check when it has prepared the database.
  show('starting');
  return show;
};

/** The counts of refusals. Every series that an alert selects exists from the start. */
const createRefusalMetrics = (registers: Registry[]) => {
  const refusals = new Counter({
    name: 'chairside_api_refusals_total',
    help: 'Requests that were refused, by name and by the limit that they exceeded',
    labelNames: ['name', 'limit'],
    registers,
  });
  for (const [name, limits] of Object.entries(REFUSED_LIMITS))
    for (const limit of limits) refusals.inc({ name, limit }, 0);
  const failures = new Counter({
    name: 'chairside_api_database_failures_total',
    help: 'Requests, and writes of batches, that were refused because the database is unreachable, blocked or overloaded',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of DATABASE_FAILURES) failures.inc({ reason }, 0);
  return {
    refused: (refusal: { name: string; limit: string }) => refusals.inc(refusal),
    databaseFailed: (reason: Unavailability) => failures.inc({ reason }),
  };
};

/** The metrics that show how close callers are to the limits. docs/limits.md names them. */
const createLimitMetrics = (registers: Registry[]) => ({
  eventBytes: createEventByteMetrics(registers),
  streams: new Gauge({
    name: 'chairside_api_streams',
    help: 'Lists of more than 256 KiB or 1,000 rows, and pages of more than 256 KiB, that are being sent',
    registers,
  }),
  requestsWaiting: new Gauge({
    name: 'chairside_api_requests_waiting',
    help: 'Requests that wait for their turn, without lists',
    registers,
  }),
  readsWaiting: new Gauge({
    name: 'chairside_api_reads_waiting',
    help: 'Lists that wait for their turn to read from the database',
    registers,
  }),
  broken: new Counter({
    name: 'chairside_api_responses_aborted_total',
    help: 'Responses whose connection was closed because the reader was stalled or too slow',
    registers,
  }),
});

export const createMetrics = (
  queue: Pick<EventProducer, 'isReady'>,
  {
    passwords,
    operations,
    ciphers,
  }: Pick<Store, 'passwords' | 'operations'> & {
    ciphers: Pick<Store['ciphers'], 'usedShare'>;
  },
): Metrics => {
  const registry = createRegistry();
  const registers = [registry];
  const limits = createLimitMetrics(registers);
  new Gauge({
    name: 'chairside_api_redis_ready',
    help: '1 while Redis accepts events, 0 while events wait for the sweep of the dispatcher',
    registers,
    collect() {
      this.set(queue.isReady() ? 1 : 0);
    },
  });
  const signIns = new Counter({
    name: 'chairside_api_sign_ins_total',
    help: 'Sign-ins whose password was checked, by outcome: signed_in, refused, unknown (no operator has the e-mail address)',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0);
  new Gauge({
    name: 'chairside_api_passwords_waiting',
    help: 'Passwords that wait to be hashed; two are hashed at a time',
    registers,
    collect() {
      this.set(passwords.waiting());
    },
  });
  new Gauge({
    name: 'chairside_api_operations_waiting',
    help: 'Database operations that wait for a turn of their organization',
    registers,
    collect() {
      this.set(operations.waiting());
    },
  });
  const requests = createRequestMetrics('chairside_api', BUCKETS, registers);
  const responded = createResponseMetrics(registers);
  return {
    responded(request) {
      requests.responded(request);
      responded(request);
    },
    ...createFaultMetrics('chairside_api', registers),
    ...createRefusalMetrics(registers),
    notReady: createReadinessMetric(registers),
    ...createConnectionMetrics('chairside_api', registers),
    database: createDatabaseMetrics(registers),
    encryption: createEncryptionMetrics(registers, sealedCollections, ciphers.usedShare),
    signedIn: (outcome) => signIns.inc({ outcome }),
    eventBytes: limits.eventBytes,
    streams: (count) => limits.streams.set(count),
    requestsWaiting: (count) => limits.requestsWaiting.set(count),
    readsWaiting: (count) => limits.readsWaiting.set(count),
    closedStalled: () => limits.broken.inc(),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};
