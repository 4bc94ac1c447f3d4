import { clock } from '@chairside/domain';
import { type Mailer, mailSenderOf, openMailer } from '@chairside/mail';
import type { DispatchStore, UsageCount } from '@chairside/mongodb/dispatch';
import { trusting } from '@chairside/network';
import { openEventConsumer } from '@chairside/queue';
import type { Tracer } from '@chairside/telemetry';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createPermits } from './delivery/attempt-permits.ts';
import { createBodies } from './delivery/bodies.ts';
import type { ConnectorOptions } from './delivery/connect.ts';
import { createDeliver } from './delivery/deliver.ts';
import type { Ended } from './delivery/outcomes.ts';
import { createProbe } from './delivery/probe.ts';
import { createReceiverCache } from './delivery/receiver-cache.ts';
import { createSender } from './delivery/send.ts';
import { holdLease } from './lease.ts';
import { startMailLoop } from './mail/mail-loop.ts';
import { startNoticeLoop } from './mail/notice-loop.ts';
import type { Metrics } from './monitoring/metrics.ts';
import { createReporter, type Reporter } from './monitoring/reporter.ts';
import type { WaitFor } from './named-waits.ts';
import { createOutageNotice } from './outage/outage-notice.ts';
import { createOutageWatch } from './outage/outage-watch.ts';
import { REACHED_MS } from './outage/reached-hosts.ts';
import { createOutbound } from './outbound/outbound.ts';
import { type FanOutStage, fanOut } from './publishing/fan-out.ts';
import { createFanOutCosts } from './publishing/fan-out-costs.ts';
import { createFiling } from './publishing/filing.ts';
import { createPublisher } from './publishing/publisher.ts';
import { createRestingRecords } from './publishing/resting-records.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { countSharingDispatchers } from './scheduler/sharing-dispatchers.ts';
import { sweepParts } from './sweep/parts.ts';
import { startSweep } from './sweep/sweep.ts';

/** The running parts of the dispatcher. */
export type Workers = {
  /** The id of this process in the database. */
  worker: string;
  /** Whether this process declares an outage. */
  isOut(): boolean;
  /** Whether a part of the sweep has not finished a round for a minute. */
  isSweepStuck(): boolean;
  /** Stops all parts, and calls `waitFor` for each step that takes time. */
  stop(waitFor: WaitFor): Promise<void>;
};

/** Whether a delivery of this subscription to this origin has succeeded recently, whichever process sent it. */
const wasReached = async (
  { deliveries }: DispatchStore['everyOrganization'],
  subscriptionId: string,
  origin: string,
): Promise<boolean> => {
  const last = await deliveries.lastSuccess(subscriptionId);
  if (last === undefined || clock.now().getTime() - last.finalTime.getTime() > REACHED_MS) return false;
  return last.url === undefined || new URL(last.url).origin === origin;
};

/** Takes mails, and sends none: `OUTBOUND=off`. */
const noMailer: Mailer = { send: async () => ({ outcome: 'refused', answer: 'OUTBOUND is off.' }) };

/** Makes mails of what is to be told, and sends mails, if there is a mail server. One process at a time does. */
const startMails = (
  config: Pick<Config, 'MAIL_URL' | 'MAIL_FROM' | 'MAIL_CA_FILE' | 'DASHBOARD_URL' | 'OUTBOUND'>,
  { mailQueue, notices, stops, lanes }: DispatchStore['everyOrganization'],
  worker: string,
  reporter: Reporter,
) => {
  const sender = mailSenderOf(config);
  const { DASHBOARD_URL: dashboardUrl } = config;
  if (sender === undefined || dashboardUrl === undefined) return undefined;
  const isHolding = config.OUTBOUND === 'hold';
  const { error: onError } = reporter;
  const lease = holdLease({ lanes, name: 'mail', worker, onOther() {}, onError });
  const mails = startMailLoop({
    mailQueue,
    lease,
    isHolding,
    mailer: config.OUTBOUND === 'off' ? noMailer : openMailer(sender),
    dashboardUrl,
    onAttempt: reporter.mail,
    onEnded: reporter.mailsEnded,
    onServer: reporter.mailServer,
    onError,
  });
  // While everything is held, facts stay facts: a restored database must not repeat what was told before it is sealed.
  const telling = isHolding
    ? undefined
    : startNoticeLoop({ notices, stops, lease, onTold: reporter.told, onError });
  return {
    async stop() {
      await Promise.all([mails.stop(), telling?.stop(), lease.stop()]);
    },
  };
};

/** @param options.resolve replaces the system's name lookup */
export const startWorkers = (
  config: Pick<
    Config,
    | 'REDIS_URL'
    | 'REDIS_CA_FILE'
    | 'REDIS_PREFIX'
    | 'WEBHOOK_ALLOWED_NETWORKS'
    | 'WEBHOOK_CA_FILE'
    | 'FAILING_PAUSE_MS'
    | 'FAILING_PAUSE_MAX_MS'
    | 'OUTBOUND'
    | 'MAIL_URL'
    | 'MAIL_FROM'
    | 'MAIL_CA_FILE'
    | 'DASHBOARD_URL'
  >,
  { everyOrganization }: DispatchStore,
  log: Logger,
  metrics: Metrics,
  {
    tracer,
    usage,
    ...network
  }: {
    tracer?: Tracer | undefined;
    usage?: Pick<UsageCount, 'add'>;
  } & Pick<ConnectorOptions, 'resolve'> = {},
): Workers => {
  const worker = crypto.randomUUID();
  const reporter = createReporter(log, metrics, tracer);
  const onError = reporter.error;

  const connector: ConnectorOptions = {
    ...network,
    allowed: config.WEBHOOK_ALLOWED_NETWORKS,
    ...(config.WEBHOOK_CA_FILE.length > 0 && { secureContext: trusting(config.WEBHOOK_CA_FILE) }),
  };
  const sender = createSender(connector);
  const notice = createOutageNotice({ ...everyOrganization, worker, onError });
  const outage = createOutageWatch<Ended>({
    probe: createProbe(connector),
    wasReached: ({ subscriptionId, origin }) => wasReached(everyOrganization, subscriptionId, origin),
    isDeclared: async () => (await everyOrganization.outages.current()) !== undefined,
    onChange(isOut, isAdopted) {
      reporter.outage(isOut);
      if (!isAdopted) notice.change(isOut);
    },
    onVeto: reporter.noOutage,
    onError,
  });
  const outbound = createOutbound({ mode: config.OUTBOUND, ...everyOrganization, onError });
  const bodies = createBodies(everyOrganization.events);
  const receiverCache = createReceiverCache(everyOrganization.receivers);
  const deliver = createDeliver({
    ...everyOrganization,
    bodies,
    receiverCache,
    worker,
    sender,
    outbound,
    outage,
    pauses: { firstMs: config.FAILING_PAUSE_MS, longestMs: config.FAILING_PAUSE_MAX_MS },
    onError,
    onSlowed: reporter.slowed,
    onDisabled: reporter.disabled,
    onReport(report) {
      const { organizationId, subscriptionId } = report.delivery;
      if (report.outcome.outcome !== 'skipped')
        usage?.add(organizationId, `subscription ${subscriptionId}`, { attempts: 1 });
      reporter.delivery(report);
    },
  });
  // During an outage, the scheduler claims only one delivery a second. It resumes when the outage is over.
  const sharing = countSharingDispatchers({ count: everyOrganization.liveDispatchers, onError });
  const scheduler = new Scheduler({
    worker,
    ...everyOrganization,
    permits: createPermits({ ...everyOrganization, receiverCache, onError }),
    deliver,
    isHolding: outbound.isHolding,
    isOut: outage.isOut,
    dispatchers: sharing.current,
    onError,
  });
  outbound.onLifted(() => scheduler.release());
  outage.onOver(() => scheduler.resume());
  outage.onUnsent(
    (ended) =>
      void deliver
        .takeBack(ended)
        .then((lanes) => scheduler.open(lanes))
        .catch(onError),
  );

  const resting = createRestingRecords(onError);
  const filing = createFiling({ ...everyOrganization, onRefused: resting.add, onError });
  const costs = createFanOutCosts();
  const stage: FanOutStage = { ...everyOrganization, bodies, receiverCache, scheduler, filing, costs };
  const publisher = createPublisher({
    outbox: everyOrganization.outbox,
    fanOut: (records, read, announced) => reporter.fanOut(records, () => fanOut(read, stage, announced)),
    costs,
    resting,
    onError,
  });
  const consumer = openEventConsumer(
    {
      url: config.REDIS_URL,
      certificates: config.REDIS_CA_FILE,
      prefix: config.REDIS_PREFIX,
      onUnavailable: reporter.redisUnavailable,
      onAvailable: reporter.redisAvailable,
    },
    publisher.announce,
    onError,
  );
  const sweep = startSweep({
    ...everyOrganization,
    worker,
    parts: sweepParts({ ...everyOrganization, publisher, scheduler, onError }),
    onFound: reporter.swept,
    onError,
  });
  metrics.outbound(config.OUTBOUND);
  const mails = startMails(config, everyOrganization, worker, reporter);
  metrics.watchSweep(sweep.age);
  metrics.watchLoad(() => scheduler.load);
  metrics.watchWithheld(() => scheduler.withheld);
  metrics.watchRefusedOutcomes(deliver.refusedOutcomes);

  return {
    worker,
    isOut: outage.isOut,
    isSweepStuck: sweep.isStuck,
    async stop(waitFor) {
      scheduler.pause();
      outbound.stop();
      outage.stop();
      sender.stopReading();
      const mailsStopped = waitFor('mails', mails?.stop() ?? Promise.resolve());
      await Promise.all([waitFor('queue', consumer.close()), waitFor('sweep', sweep.stop())]);
      await waitFor('publisher', publisher.stop());
      await waitFor('filing', filing.stop());
      await waitFor('deliveries', scheduler.stop());
      await waitFor('outcomes', deliver.stop());
      await Promise.all([
        waitFor('connections', sender.close()),
        waitFor('outage', notice.stop()),
        sharing.stop(),
        mailsStopped,
      ]);
    },
  };
};
