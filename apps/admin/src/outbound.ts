import type { OutboundFilter } from '@chairside/mongodb/administration';
import { withProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { type Context, type Output, runs, withAuthor } from './command.ts';
import { UsageFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { requireSealed } from './restores.ts';
import { timeOption } from './rows.ts';

const NOTES = `
Dispatchers with OUTBOUND=hold send nothing: deliveries of events, tests and redeliveries wait, and so do the ones of events that
are written meanwhile. release sends what waits now; discard stores it as skipped, with the cause "outbound_off". Both can be
interrupted with Ctrl-C and repeated. What arrives later waits again, until the dispatchers run with OUTBOUND=send.

After restore seal, either one without a filter ends the hold: dispatchers send again.`;

type OutboundOptions = {
  organization?: string;
  clinic?: string;
  subscription?: string;
  since?: Date;
  until?: Date;
  dryRun?: boolean;
};

const filterOf = async (
  context: Context,
  { subscription: subscriptionId, since, until, ...place }: OutboundOptions,
): Promise<OutboundFilter> => {
  if (subscriptionId !== undefined) {
    const found = await context.administration.overview.findSubscription(subscriptionId);
    if (found === undefined)
      throw new UsageFailure(
        `There is no subscription ${subscriptionId}. List the subscriptions with: chairside-admin subscription list`,
      );
  }
  return { ...(await placeOf(context, place)), subscriptionId, since, until };
};

const decide =
  (verb: 'release' | 'discard', done: string) =>
  async (context: Context, options: OutboundOptions): Promise<Output> => {
    const isTrial = options.dryRun === true;
    await requireSealed(context);
    const filter = await filterOf(context, options);
    const count = await withProgress({ unit: 'deliveries' }, (progress) =>
      context.administration.heldDeliveries[verb](filter, {
        author: context.author,
        isTrial,
        onProgress: (each) => progress.advance(each),
      }),
    );
    // What waited in the backup is decided about.
    const isAll = Object.values(filter).every((value) => value === undefined);
    if (isAll && !isTrial) await context.administration.restores.settle();
    return {
      result: { deliveries: count, dryRun: isTrial },
      lines: [isTrial ? `Would ${verb} ${count} deliveries.` : `${done} ${count} deliveries.`],
    };
  };

export const addOutboundCommands = (program: Command): void => {
  const outbound = program
    .command('outbound')
    .description('decide about the deliveries that dispatchers hold')
    .addHelpText('after', NOTES);
  const verb = (name: string, description: string): Command =>
    withAuthor(outbound.command(name))
      .description(description)
      .option('--organization <id>', 'only deliveries of this organization')
      .option('--clinic <id>', 'only deliveries of this clinic')
      .option('--subscription <id>', 'only deliveries of this subscription')
      .addOption(timeOption('--since <time>', 'only deliveries that were created at this time or later'))
      .addOption(
        timeOption('--until <time>', 'only deliveries that were created before this time (default: now)'),
      )
      .option('--dry-run', 'change nothing, print how many deliveries it concerns');
  runs(verb('release', 'send the deliveries that wait now'), decide('release', 'Released'));
  runs(verb('discard', 'skip the deliveries that wait now'), decide('discard', 'Discarded'));
};
