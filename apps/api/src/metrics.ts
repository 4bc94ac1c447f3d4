import {
  type ConnectionMetrics,
  createConnectionMetrics,
  createRequestMetrics,
  type Exposed,
  type RequestMetrics,
} from '@chairside/http-server';
import type { SignInResult, Store } from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import type { DatabaseTimes } from '@chairside/telemetry';
import {
  addBuildInfo,
  addClockSkew,
  createDatabaseMetrics,
  createEncryptionMetrics,
  type EncryptionMetrics,
} from '@chairside/telemetry/metrics';
import { LRUCache } from 'lru-cache';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/**
 * Upper bounds of the histogram buckets, in seconds. One of them is 2, because a request gets a 503 within about two
 * seconds while the database is unreachable.
 */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

const SIGN_IN_OUTCOMES: readonly SignInResult['outcome'][] = ['signed_in', 'refused', 'unknown'];
/** The bytes of a write. `share`: the part of its limit that the organization has taken in this window, from 0 to 1. */
export type EventBytesTaken = { organizationId: string; bytes: number; share: number; resetSeconds: number };

/** The metrics of this process, for Prometheus. No label contains the id of a record or the path of a request. */
export type Metrics = ConnectionMetrics &
  RequestMetrics &
  Exposed & {
    /** The times of the database. */
    database: DatabaseTimes;
    encryption: EncryptionMetrics;
    signedIn(outcome: SignInResult['outcome']): void;
    /** @param refusal.limit the id of the limit that was exceeded; `none` for any other reason */
    refused(refusal: { name: string; limit: string }): void;
    /** Call it when the bytes of an event have been counted, before the write stores the event or is refused. */
    eventBytes(write: EventBytesTaken): void;
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

/** The metrics that show how close callers are to the limits. docs/limits.md names them. */
const createLimitMetrics = (registers: Registry[]) => ({
  refusals: new Counter({
    name: 'chairside_api_refusals_total',
    help: 'Requests that were refused, by name and by the limit that they exceeded',
    labelNames: ['name', 'limit'],
    registers,
  }),
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
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addBuildInfo([registry]);
  addClockSkew([registry]);
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
  return {
    ...createRequestMetrics('chairside_api', BUCKETS, registers),
    ...createConnectionMetrics('chairside_api', registers),
    database: createDatabaseMetrics(registers),
    encryption: createEncryptionMetrics(registers, ciphers.usedShare),
    signedIn: (outcome) => signIns.inc({ outcome }),
    refused: (refusal) => limits.refusals.inc(refusal),
    eventBytes: limits.eventBytes,
    streams: (count) => limits.streams.set(count),
    requestsWaiting: (count) => limits.requestsWaiting.set(count),
    readsWaiting: (count) => limits.readsWaiting.set(count),
    closedStalled: () => limits.broken.inc(),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};
