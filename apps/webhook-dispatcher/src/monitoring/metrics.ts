import { within } from '@chairside/concurrency';
import {
  failureCauses,
  mailResults,
  noticeKinds,
  type OutboundMode,
  outboundModes,
  skipReasons,
} from '@chairside/domain';
import { type BacklogSize, sealedCollections } from '@chairside/mongodb';
import type { Backlog, DispatchStore, EndedMails, Outcome, ToldCounts } from '@chairside/mongodb/dispatch';
import type { DatabaseTimes } from '@chairside/telemetry';
import {
  createDatabaseMetrics,
  createEncryptionMetrics,
  createRegistry,
  type EncryptionMetrics,
} from '@chairside/telemetry/metrics';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MailLine } from '../mail/send-mail.ts';
import type { Found } from '../sweep/part.ts';

/** How long the result of a database query is used for further scrapes. */
const BACKLOG_LIFE_MS = 5000;
/** How long a scrape waits for the database. Prometheus gives up after ten seconds, and then has no metric of the process. */
const BACKLOG_TIMEOUT_MS = 500;
/** How long the last result is used while the database takes longer than that. */
const LAST_BACKLOG_LIFE_MS = 30_000;
const FOUND: readonly (keyof Found)[] = [
  'unpublished',
  'deadLanes',
  'requestedLanes',
  'interrupted',
  'expired',
];
/** Upper bounds of the buckets of the time between a write and its attempt, in seconds. */
const WAIT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600];
/** Upper bounds of the histogram buckets, in seconds. The last bound is the timeout of an attempt. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * The metrics of this process, for Prometheus. No label contains an id, because the number of series would be
 * unbounded.
 */
export type Metrics = {
  /** The times of the database. */
  database: DatabaseTimes;
  encryption: EncryptionMetrics;
  accepted(events: number): void;
  /** @param waitMs the time from the event's write to the attempt; undefined for tests and redeliveries, and without an attempt */
  ended(outcome: Outcome, waitMs: number | undefined): void;
  mail(line: Pick<MailLine, 'outcome' | 'result'>): void;
  mailsEnded(ended: EndedMails): void;
  told(told: ToldCounts): void;
  slowed(): void;
  disabled(): void;
  swept(found: Partial<Found>): void;
  /** @param age returns the milliseconds since the part of the sweep that is furthest behind finished a round */
  watchSweep(age: () => number): void;
  /** @param load returns the highest share of its limits on attempts that the process uses, from 0 to 1 */
  watchLoad(load: () => number): void;
  /** @param withheld returns the number of subscriptions whose deliveries an operator of the service holds */
  watchWithheld(withheld: () => number): void;
  /** @param refused returns the number of outcomes that the database has refused and that are tried again */
  watchRefusedOutcomes(refused: () => number): void;
  outage(isOut: boolean): void;
  outbound(mode: OutboundMode): void;
  /** Returns all metrics in the text format of Prometheus. */
  expose(): Promise<{ contentType: string; text: string }>;
};

const createCounters = (registers: Registry[]) => ({
  accepted: new Counter({
    name: 'chairside_events_accepted_total',
    help: 'Events moved from their records into the event log',
    registers,
  }),
  attempts: new Counter({
    name: 'chairside_delivery_attempts_total',
    help: 'Attempts made',
    registers,
  }),
  outcomes: new Counter({
    name: 'chairside_deliveries_total',
    help: 'Deliveries that ended, by outcome and cause',
    labelNames: ['outcome', 'cause'],
    registers,
  }),
  waits: new Histogram({
    name: 'chairside_write_to_attempt_seconds',
    help: 'Time from the write that caused an event to its attempt at a subscription, by the clocks of both processes',
    buckets: WAIT_BUCKETS,
    registers,
  }),
  duration: new Histogram({
    name: 'chairside_delivery_duration_seconds',
    help: 'Time from the beginning of an attempt to the status line or the failure',
    buckets: BUCKETS,
    registers,
  }),
  phases: new Histogram({
    name: 'chairside_delivery_phase_seconds',
    help: 'Time of one phase of an attempt: lookup, connect, tls, firstByte',
    labelNames: ['phase'],
    buckets: BUCKETS,
    registers,
  }),
  slowed: new Counter({
    name: 'chairside_subscriptions_slowed_total',
    help: 'Subscriptions that this process slowed down after several failures in a row',
    registers,
  }),
  disabled: new Counter({
    name: 'chairside_subscriptions_disabled_total',
    help: 'Subscriptions that this process disabled after too many failures',
    registers,
  }),
  swept: new Counter({
    name: 'chairside_sweep_found_total',
    help: 'Items found by the sweep: records with unpublished events, dead and requested lanes, interrupted deliveries, expired events',
    labelNames: ['what'],
    registers,
  }),
  mailAttempts: new Counter({
    name: 'chairside_mail_attempts_total',
    help: 'Attempts to hand a mail over to the mail server, by outcome: sent, refused, temporary, doubtful',
    labelNames: ['outcome'],
    registers,
  }),
  mails: new Counter({
    name: 'chairside_mails_total',
    help: 'Mails that ended, by result: sent, failed, unknown',
    labelNames: ['result'],
    registers,
  }),
  notices: new Counter({
    name: 'chairside_notices_total',
    help: 'Facts of which mails were made, by kind',
    labelNames: ['kind'],
    registers,
  }),
  outbound: new Gauge({
    name: 'chairside_outbound',
    help: '1 for what this process does with deliveries: send, hold or off',
    labelNames: ['state'],
    registers,
  }),
  outage: new Gauge({
    name: 'chairside_outage',
    help: '1 while this process declares an outage',
    registers,
  }),
});

/** Gauges of values in the database. They are queried on a scrape, and a result is used for five seconds. */
const createBacklogGauges = (registers: Registry[], backlog: Backlog): void => {
  /** The query in flight, or its result. */
  let measuring: Promise<BacklogSize> | undefined;
  let until = 0;
  let last: { size: BacklogSize; measuredAt: number } | undefined;
  const measure = (): Promise<BacklogSize> => {
    if (measuring !== undefined && performance.now() < until) return measuring;
    until = Number.POSITIVE_INFINITY;
    measuring = backlog.measure();
    measuring.then(
      (size) => {
        last = { size, measuredAt: performance.now() };
        until = last.measuredAt + BACKLOG_LIFE_MS;
      },
      () => {
        measuring = undefined;
      },
    );
    return measuring;
  };
  /** The current values, or recent ones while the database is slow; undefined if it does not respond or fails. */
  const current = async (): Promise<BacklogSize | undefined> => {
    const size = await within(
      measure().catch(() => 'failed' as const),
      BACKLOG_TIMEOUT_MS,
    );
    if (size === 'failed') return undefined;
    if (size !== undefined) return size;
    return last !== undefined && performance.now() - last.measuredAt < LAST_BACKLOG_LIFE_MS
      ? last.size
      : undefined;
  };
  const gauge = (name: string, help: string, valueIn: (size: BacklogSize) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // If there are no recent values, this gauge is absent rather than stale. The other metrics are still exposed.
        const size = await current();
        if (size === undefined) this.remove();
        else this.set(valueIn(size));
      },
    });
  gauge(
    'chairside_deliveries_queued',
    'Deliveries in the queue; counting stops at 100000',
    ({ queued }) => queued,
  );
  gauge(
    'chairside_oldest_unsent_event_age_seconds',
    'Age of the oldest event that is unpublished or has a queued delivery',
    ({ oldestUnsentMs }) => oldestUnsentMs / 1000,
  );
  gauge(
    'chairside_oldest_unpublished_event_age_seconds',
    'Age of the oldest event that is unpublished',
    ({ oldestUnpublishedMs }) => oldestUnpublishedMs / 1000,
  );
  gauge(
    'chairside_subscriptions_disabled',
    'Disabled subscriptions',
    ({ disabledSubscriptions }) => disabledSubscriptions,
  );
  gauge(
    'chairside_subscriptions_slowed',
    'Subscriptions that are slowed down',
    ({ slowedSubscriptions }) => slowedSubscriptions,
  );
  gauge(
    'chairside_mails_queued',
    'Mails that have not ended; counting stops at 100000',
    ({ queuedMails }) => queuedMails,
  );
  gauge(
    'chairside_oldest_mail_age_seconds',
    'Age of the oldest mail that has not ended',
    ({ oldestMailMs }) => oldestMailMs / 1000,
  );
};

export const createMetrics = (
  backlog: Backlog,
  { usedShare }: Pick<DispatchStore['ciphers'], 'usedShare'>,
): Metrics => {
  const registry = createRegistry();
  const counters = createCounters([registry]);
  createBacklogGauges([registry], backlog);
  let sweepAge = (): number => 0;
  new Gauge({
    name: 'chairside_sweep_age_seconds',
    help: 'Time since the part of the sweep that is furthest behind finished a round; 0 while another process sweeps',
    registers: [registry],
    collect() {
      this.set(sweepAge() / 1000);
    },
  });
  let load = (): number => 0;
  new Gauge({
    name: 'chairside_dispatcher_load',
    help: 'The highest share of its limits on attempts, bodies and outcomes that the process uses, from 0 to 1',
    registers: [registry],
    collect() {
      this.set(load());
    },
  });
  let withheld = (): number => 0;
  new Gauge({
    name: 'chairside_subscriptions_withheld',
    help: 'Subscriptions whose deliveries wait in this process because of OUTBOUND=hold, a suspended organization or a blocked host',
    registers: [registry],
    collect() {
      this.set(withheld());
    },
  });
  let refusedOutcomes = (): number => 0;
  new Gauge({
    name: 'chairside_refused_outcomes',
    help: 'Outcomes of attempts that the database has refused; they are tried again until they are stored',
    registers: [registry],
    collect() {
      this.set(refusedOutcomes());
    },
  });
  // Start at 0, so that Prometheus sees the first item as an increase.
  for (const what of FOUND) counters.swept.inc({ what }, 0);
  counters.outcomes.inc({ outcome: 'succeeded', cause: '' }, 0);
  for (const cause of failureCauses) counters.outcomes.inc({ outcome: 'failed', cause }, 0);
  for (const cause of skipReasons) counters.outcomes.inc({ outcome: 'skipped', cause }, 0);
  for (const result of mailResults) counters.mails.inc({ result }, 0);
  for (const kind of noticeKinds) counters.notices.inc({ kind }, 0);

  return {
    database: createDatabaseMetrics([registry]),
    encryption: createEncryptionMetrics([registry], sealedCollections, usedShare),
    accepted: (events) => counters.accepted.inc(events),
    mail({ outcome, result }) {
      counters.mailAttempts.inc({ outcome });
      if (result !== undefined) counters.mails.inc({ result });
    },
    mailsEnded(ended) {
      for (const [result, number] of Object.entries(ended)) counters.mails.inc({ result }, number);
    },
    told(told) {
      for (const [kind, number] of Object.entries(told)) counters.notices.inc({ kind }, number);
    },
    slowed: () => counters.slowed.inc(),
    disabled: () => counters.disabled.inc(),
    outage: (isOut) => counters.outage.set(Number(isOut)),
    outbound(mode) {
      for (const state of outboundModes) counters.outbound.set({ state }, Number(state === mode));
    },
    ended(outcome, waitMs) {
      const cause = outcome.outcome === 'succeeded' ? '' : outcome.cause;
      counters.outcomes.inc({ outcome: outcome.outcome, cause });
      // In these cases, no attempt was made.
      if (outcome.outcome === 'skipped' || cause === 'configuration') return;
      counters.attempts.inc();
      if (waitMs !== undefined) counters.waits.observe(waitMs / 1000);
      counters.duration.observe(outcome.duration / 1000);
      for (const [phase, milliseconds] of Object.entries(outcome.timings)) {
        counters.phases.observe({ phase }, milliseconds / 1000);
      }
    },
    watchSweep(age) {
      sweepAge = age;
    },
    watchRefusedOutcomes(current) {
      refusedOutcomes = current;
    },
    watchWithheld(current) {
      withheld = current;
    },
    watchLoad(current) {
      load = current;
    },
    swept(found) {
      for (const [what, number] of Object.entries(found)) counters.swept.inc({ what }, number);
    },
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};
