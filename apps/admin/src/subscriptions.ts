import { clock, SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { RunAction } from '@chairside/mongodb';
import type { ListedSubscription } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { audited, runIn, runs, withAuthor } from './command.ts';
import { AdminFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists } from './rows.ts';

type SubscriptionFilter = { organization?: string; clinic?: string; disabled?: boolean };

const NOTES = `
The receiver is the origin of the URL. The path and query are not shown: they may contain a token of the customer.`;

/** Describes the state of a subscription. */
export const stateOf = ({
  active,
  disabledTime = '',
  disabledReason = '',
  consecutiveFailures: failures,
  replaces,
  replacedBy,
}: ListedSubscription): string => {
  if (replacedBy !== undefined) return `replaced by ${replacedBy}`;
  if (replaces !== undefined) return `to replace ${replaces}`;
  if (!active) return `disabled ${disabledTime} ${disabledReason}`.trimEnd();
  if (failures === 0) return 'enabled';
  const state = failures < SLOWED_FROM_FAILURES ? 'enabled' : 'slowed down';
  return `${state}, ${failures} failures in a row`;
};

export const addSubscriptionCommands = (program: Command): void => {
  const subscription = program.command('subscription').description('list and disable subscriptions');
  const list = subscription
    .command('list')
    .description('list subscriptions with their state, the oldest first')
    .option('--organization <id>', 'only subscriptions of this organization')
    .option('--clinic <id>', 'only subscriptions of this clinic')
    .option('--disabled', 'only disabled subscriptions')
    .addHelpText('after', NOTES);
  lists(list, async (context, options: SubscriptionFilter) => {
    const place = await placeOf(context, options);
    const filter = { ...place, ...(options.disabled === true && { active: false }) };
    return {
      rows: context.administration.overview.subscriptions(filter),
      linesOf: (row: ListedSubscription) => [
        lineOf(row._id, row.organizationId, row.clinicId, row.receiver, stateOf(row)),
      ],
    };
  });
  const disable = withAuthor(subscription.command('disable'))
    .description('disable a subscription: its waiting events are skipped; an administrator can activate it')
    .argument('<id>', 'id of the subscription');
  runs(disable, async (context, _options, id = '') => {
    const found = await context.administration.overview.findSubscription(id);
    if (found === undefined)
      throw new AdminFailure(
        `There is no subscription ${id}. List the subscriptions with: chairside-admin subscription list`,
      );
    const { organizationId } = found;
    const changes = [{ field: 'active', value: false }];
    const action: RunAction = { action: 'updated', kind: 'webhookSubscription', ids: [id], changes };
    await audited(context, runIn(organizationId, context.author), action, () =>
      context.store
        .organization(organizationId)
        .subscriptions.update(id, { active: false, isOfService: true }, clock.now()),
    );
    return { result: { _id: id, organizationId }, lines: [`Disabled subscription ${id}.`] };
  });
};
