import { clock, RetryLaterError, timeOfId } from '@chairside/domain';
import { isDatabaseUnavailable } from '@chairside/mongodb';
import type { DisabledSubscription, EndedMails, ToldCounts } from '@chairside/mongodb/dispatch';
import type { Tracer } from '@chairside/telemetry';
import type { Logger } from 'pino';
import type { DeliveryReport } from '../delivery/conclude.ts';
import type { MailLine } from '../mail/send-mail.ts';
import type { Found } from '../sweep/part.ts';
import type { Metrics } from './metrics.ts';
import { traceDelivery, withinFanOut } from './spans.ts';

/** Writes the work of this process to the log, the metrics and the traces. */
export type Reporter = {
  /** Runs the fan-out of a group of records. `work` returns the number of events. */
  fanOut(records: number, work: () => Promise<number>): Promise<void>;
  delivery(report: DeliveryReport): void;
  slowed(subscriptionId: string): void;
  disabled(subscriptionId: string, disabled: DisabledSubscription): void;
  outage(isOut: boolean): void;
  /** Many attempts did not reach their hosts, but a probe shows that this is no outage. */
  noOutage(): void;
  swept(found: Partial<Found>): void;
  mail(line: MailLine): void;
  /** Mails ended without an attempt: their time was over, or the process that sent them died. */
  mailsEnded(ended: EndedMails): void;
  /** Mails were made that tell facts. */
  told(told: ToldCounts): void;
  /** The mail server cannot be used any more, or can be used again. */
  mailServer(isUsable: boolean): void;
  redisUnavailable(error: unknown): void;
  redisAvailable(): void;
  /** Logs an error after which the work is done again. */
  error(error: unknown): void;
};

/**
 * The line does not contain the token of the claim. It contains neither the URL nor anything that the receiver sent, such
 * as the target of a redirect, because these may contain anything.
 */
const toLogLine = ({ delivery: { token, ...ids }, outcome }: DeliveryReport): object => {
  if (outcome.outcome === 'skipped') return { ...ids, ...outcome };
  const { responseBody, responseHeaders, url, ...attempt } = outcome;
  return { ...ids, ...attempt };
};

/** The time from the write of an event to its attempt, in milliseconds. The id of an event contains the time of the write. */
const waitOf = ({ delivery: { kind, eventId }, outcome }: DeliveryReport): number | undefined =>
  kind === 'event' && outcome.outcome !== 'skipped'
    ? Math.max(0, outcome.attemptTime.getTime() - timeOfId(eventId).getTime())
    : undefined;

export const createReporter = (log: Logger, metrics: Metrics, tracer: Tracer | undefined): Reporter => ({
  async fanOut(records, work) {
    metrics.accepted(await withinFanOut(tracer, records, work));
  },
  delivery(report) {
    metrics.ended(report.outcome, waitOf(report));
    const traced = tracer && { traceId: traceDelivery(tracer, report, clock.now()) };
    log.info({ ...toLogLine(report), ...traced }, 'delivery');
  },
  slowed(subscriptionId) {
    metrics.slowed();
    log.warn({ subscriptionId }, 'subscription slowed down');
  },
  disabled(subscriptionId, disabled) {
    metrics.disabled();
    log.warn({ subscriptionId, ...disabled }, 'subscription disabled');
  },
  outage(isOut) {
    metrics.outage(isOut);
    if (isOut) log.error('no receiver can be reached: deliveries wait until an attempt succeeds');
    else log.warn('the outage is over');
  },
  noOutage: () => log.warn('many attempts did not reach their hosts, but another host responds: no outage'),
  swept(found) {
    metrics.swept(found);
    log.info(found, 'sweep');
  },
  mail({ _id, ...line }) {
    metrics.mail(line);
    log.info({ mailId: _id, ...line }, 'mail');
  },
  mailsEnded(ended) {
    metrics.mailsEnded(ended);
    if (Object.values(ended).some((count) => count > 0)) log.warn(ended, 'mails ended without an attempt');
  },
  told(told) {
    metrics.told(told);
    if (Object.keys(told).length > 0) log.info({ told }, 'notices');
  },
  mailServer(isUsable) {
    if (isUsable) log.info('the mail server can be used again');
    else log.warn('the mail server cannot be used: mails wait');
  },
  redisUnavailable: (error) =>
    log.warn({ err: error }, 'Redis is unreachable: events are found by the sweep'),
  redisAvailable: () => log.info('Redis is reachable again: events are received immediately'),
  error(error) {
    const passes = error instanceof RetryLaterError || isDatabaseUnavailable(error);
    if (passes) log.warn({ err: error }, 'worker retries');
    else log.error({ err: error }, 'worker error');
  },
});
