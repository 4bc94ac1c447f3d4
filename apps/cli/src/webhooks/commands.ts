import type { WebhookRedelivery } from '@chairside/client';
import type { Command } from 'commander';
import { openClient } from '../access/open-client.ts';
import { confirm } from '../access/prompt.ts';
import { CliError } from '../failure.ts';
import { addYes, requireFlags } from '../flags/faults.ts';
import { COLUMNS, FLAGS } from '../flags/flag-table.ts';
import { addFlags, bodyOf, requiredOf, valuesOf } from '../flags/flags.ts';
import { printDelivery } from '../output/delivery.ts';
import { addListOptions, printList } from '../output/list.ts';
import { addOutputOptions, type OutputOptions, printRow } from '../output/rows.ts';
import { addReplaceSecret } from './replace-secret.ts';
import { isFinal, MAX_WAIT_MS, problemOf, untilDone } from './waiting.ts';

const REDELIVERY = FLAGS.redeliverWebhooks ?? [];
const addTest = (webhooks: Command): void => {
  const command = webhooks.command('test <id>').description('Send a signed test.ping to a subscription');
  addOutputOptions(command).action(async (id: string, options: OutputOptions) => {
    const client = await openClient(command, 'operator');
    const { _id } = await client.webhookSubscriptions.test(id);
    const delivery = await untilDone(() => client.webhookDeliveries.get(_id), isFinal, MAX_WAIT_MS);
    await printDelivery(delivery, options);
    const problem = problemOf(delivery, 'The receiver did not accept the test.');
    if (problem !== undefined) throw new CliError(problem);
  });
};

const addRedeliver = (webhooks: Command): void => {
  const command = webhooks
    .command('redeliver <id>')
    .description('Send deliveries of a period again, in the background');
  addFlags(command, REDELIVERY);
  requireFlags(command, requiredOf(REDELIVERY), () => []);
  addYes(command, 'send the deliveries again')
    .option('--idempotency-key <key>', 'calls with the same key send them again once')
    .option('--no-wait', 'do not wait for the end')
    .addHelpText(
      'after',
      `
The receiver gets each event of the period again, with the same id and the same bytes, also those that it has processed if
--outcomes names succeeded. So on a terminal the command asks first. --yes answers this question, and is needed in scripts.

Example:
  $ chairside webhooks redeliver 01JB… --since 2h --until 1h --yes`,
    );
  addOutputOptions(command).action(
    async (
      id: string,
      options: Record<string, unknown> &
        OutputOptions & {
          yes?: boolean;
          idempotencyKey?: string;
          wait: boolean;
        },
    ) => {
      const client = await openClient(command, 'operator');
      const body = (await bodyOf(REDELIVERY, options)) as { since: string };
      if (options.yes !== true && !(await confirm(`Send the deliveries since ${body.since} again?`)))
        throw new CliError('Nothing was sent.');
      const started = await client.webhookSubscriptions.redeliver(id, body, {
        idempotencyKey: options.idempotencyKey,
      });
      const read = () => client.webhookSubscriptions.redelivery(id, started._id);
      const isOver = ({ state, waiting = 0 }: WebhookRedelivery) => state !== 'running' && waiting === 0;
      const latest = options.wait ? await untilDone(read, isOver) : started;
      await printRow({ ...latest }, options);
      if (latest.failed !== undefined && latest.failed > 0)
        throw new CliError(`${latest.failed} of ${latest.made} deliveries did not succeed.`);
      if (latest.state === 'stopped')
        throw new CliError(`The redelivery was stopped after ${latest.made} deliveries, before its end.`);
    },
  );
};

const addRedelivery = (webhooks: Command): void => {
  const command = webhooks
    .command('redelivery <id> <redeliveryId>')
    .description('Show the progress of a bulk redelivery');
  addOutputOptions(command).action(async (id: string, redeliveryId: string, options: OutputOptions) => {
    const client = await openClient(command, 'operator');
    await printRow({ ...(await client.webhookSubscriptions.redelivery(id, redeliveryId)) }, options);
  });
};

const addStopRedelivery = (webhooks: Command): void => {
  const command = webhooks
    .command('stop-redelivery <id> <redeliveryId>')
    .description('Stop a bulk redelivery; what it has created is still sent');
  addOutputOptions(command).action(async (id: string, redeliveryId: string, options: OutputOptions) => {
    const client = await openClient(command, 'operator');
    await printRow({ ...(await client.webhookSubscriptions.stopRedelivery(id, redeliveryId)) }, options);
  });
};

const SHOWN = [
  '_id',
  'createdTime',
  'state',
  'made',
  'waiting',
  'succeeded',
  'failed',
  'gone',
  'since',
  'until',
  'outcomes',
];

const addRedeliveries = (webhooks: Command): void => {
  const command = webhooks
    .command('redeliveries <id>')
    .description('List the bulk redeliveries of a subscription, the newest first');
  addListOptions(command).action(async (id: string, options: OutputOptions & { limit?: number }) => {
    const client = await openClient(command, 'operator');
    const columns = { shown: SHOWN, all: COLUMNS.listWebhookRedeliveries ?? [] };
    await printList((paging) => client.webhookSubscriptions.redeliveries(id, paging), options, columns);
  });
};

const STATISTICS = ['hour', 'subscriptionId', 'succeeded', 'failed', 'skipped', 'interrupted', 'complete'];

const addStatistics = (webhooks: Command): void => {
  const flags = FLAGS.listWebhookStatistics ?? [];
  const command = webhooks
    .command('statistics')
    .description('List the numbers of deliveries for each hour and subscription, the oldest hour first');
  addFlags(command, flags);
  addListOptions(command).action(
    async (options: Record<string, unknown> & OutputOptions & { limit?: number }) => {
      const client = await openClient(command, 'operator');
      const columns = { shown: STATISTICS, all: COLUMNS.listWebhookStatistics ?? [] };
      const filter = valuesOf(flags, options);
      await printList((paging) => client.webhookStatistics.list(filter, paging), options, columns);
    },
  );
};

/** Adds the verbs of `webhooks` besides those of `addVerbs`. */
export const addWebhookVerbs = (webhooks: Command): void => {
  addTest(webhooks);
  addReplaceSecret(webhooks);
  addRedeliver(webhooks);
  addRedelivery(webhooks);
  addStopRedelivery(webhooks);
  addRedeliveries(webhooks);
  addStatistics(webhooks);
};

/** Adds `deliveries redeliver`. */
export const addDeliveryVerbs = (deliveries: Command): void => {
  const command = deliveries
    .command('redeliver <id>')
    .description('Send the event of a delivery again')
    .option('--idempotency-key <key>', 'calls with the same key send it again once');
  addOutputOptions(command).action(
    async (id: string, options: OutputOptions & { idempotencyKey?: string }) => {
      const client = await openClient(command, 'operator');
      const { idempotencyKey } = options;
      const { _id } = await client.webhookDeliveries.redeliver(id, { idempotencyKey });
      const delivery = await untilDone(() => client.webhookDeliveries.get(_id), isFinal, MAX_WAIT_MS);
      await printDelivery(delivery, options);
      const problem = problemOf(delivery, 'The receiver did not accept it.');
      if (problem !== undefined) throw new CliError(problem);
    },
  );
};
