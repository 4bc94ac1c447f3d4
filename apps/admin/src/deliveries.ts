import { type DeliveryOutcome, deliveryOutcomes } from '@chairside/domain';
import type { ListedDelivery, ListedSubscription } from '@chairside/mongodb/administration';
import { type Command, Option } from 'commander';
import { type Context, type Output, runs } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists, timeOption } from './rows.ts';
import { stateOf } from './subscriptions.ts';

/** How many deliveries are listed without `--limit`. */
const STANDARD_LIMIT = 50;

type DeliveryOptions = {
  organization?: string;
  clinic?: string;
  subscription?: string;
  outcome?: DeliveryOutcome;
  since?: Date;
  until?: Date;
};

const NOTES = `
Deliveries are kept for 30 days after they are final. To list the deliveries of a deleted subscription, give both --organization
and --subscription. The body of an event and the receiver's response are not shown: both may contain patient data.`;

/** The organization and the subscriptions whose deliveries are listed. */
type Sources = { organizationId: string; subscriptionIds: string[] };

const sourcesOf = async (context: Context, options: DeliveryOptions): Promise<Sources> => {
  const { overview } = context.administration;
  const { organizationId, clinicId } = await placeOf(context, options);
  const { subscription } = options;
  if (subscription !== undefined) {
    const found = await overview.findSubscription(subscription);
    if (found === undefined && organizationId === undefined) {
      throw new AdminFailure(
        `There is no subscription ${subscription}. If it was deleted, give its --organization as well.`,
      );
    }
    if (found !== undefined && organizationId !== undefined && found.organizationId !== organizationId) {
      throw new AdminFailure(
        `There is no subscription ${subscription} in this organization. List the subscriptions with: chairside-admin subscription list`,
      );
    }
    return {
      organizationId: organizationId ?? found?.organizationId ?? '',
      subscriptionIds: [subscription],
    };
  }
  if (organizationId === undefined) throw new UsageFailure('Give --organization or --subscription.');
  const filter = { organizationId, ...(clinicId !== undefined && { clinicId }) };
  const found = await Array.fromAsync(overview.subscriptions(filter), ({ _id }) => _id);
  return { organizationId, subscriptionIds: found };
};

const codesOf = ({ cause, code, statusCode }: ListedDelivery): string =>
  [cause, code, statusCode].filter((each) => each !== undefined).join(' ');

const linesOf = (row: ListedDelivery): string[] => {
  const { createdTime, outcome, event, subscriptionId, _id, reason, address } = row;
  return [
    lineOf(createdTime, outcome, codesOf(row), event, subscriptionId, _id),
    ...(reason === undefined ? [] : [`    ${lineOf(reason, address)}`]),
  ];
};

const timingsOf = ({ duration, timings = {} }: ListedDelivery): string | undefined => {
  if (duration === undefined) return undefined;
  const phases = Object.entries(timings).map(([phase, time]) => `${phase} ${time}`);
  return `${duration} ms${phases.length === 0 ? '' : ` (${phases.join(', ')})`}`;
};

const detailsOf = (delivery: ListedDelivery, subscription: ListedSubscription | undefined): string[] => {
  const facts = {
    delivery: delivery._id,
    kind: delivery.kind,
    outcome: delivery.outcome,
    cause: delivery.cause,
    code: delivery.code,
    reason: delivery.reason,
    'status code': delivery.statusCode,
    address: delivery.address,
    duration: timingsOf(delivery),
    created: delivery.createdTime,
    attempted: delivery.attemptTime,
    final: delivery.finalTime,
    event: `${delivery.event} ${delivery.eventId}`,
    'redelivery of': delivery.redeliveryOf,
    request: delivery.requestId,
    worker: delivery.worker,
    organization: delivery.organizationId,
    clinic: delivery.clinicId,
    subscription: delivery.subscriptionId,
    receiver: subscription?.receiver,
    state: subscription === undefined ? 'the subscription was deleted' : stateOf(subscription),
  };
  const given = Object.entries(facts).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => lineOf(`${name}:`.padEnd(14), value));
};

const show = async (
  { administration, begin }: Context,
  { organization }: { organization?: string },
  id = '',
): Promise<Output> => {
  if (organization !== undefined) await begin(organization);
  const { overview } = administration;
  const found = await overview.findDelivery(id);
  if (found === undefined || (organization ?? found.organizationId) !== found.organizationId) {
    const where = organization === undefined ? '' : ' in this organization';
    throw new AdminFailure(
      `There is no delivery ${id}${where}. List the deliveries with: chairside-admin delivery list. A delivery is kept for 30 days after it is final.`,
    );
  }
  const subscription = await overview.findSubscription(found.subscriptionId);
  return {
    result: { ...found, subscription: subscription ?? null },
    lines: [
      ...detailsOf(found, subscription),
      "An administrator of the organization can read the beginning of the receiver's response with GET /api/webhookdeliveries/{id}.",
    ],
  };
};

export const addDeliveryCommands = (program: Command): void => {
  const delivery = program.command('delivery').description('list and show deliveries');
  const list = delivery
    .command('list')
    .description('list deliveries, the newest first')
    .option('--organization <id>', 'deliveries of this organization')
    .option('--clinic <id>', 'deliveries of the subscriptions of this clinic')
    .addOption(new Option('--subscription <id>', 'deliveries of this subscription').conflicts('clinic'))
    .addOption(
      new Option('--outcome <outcome>', 'only deliveries with this outcome').choices(deliveryOutcomes),
    )
    .addOption(timeOption('--since <time>', 'only deliveries created at this time or later'))
    .addOption(timeOption('--until <time>', 'only deliveries created until this time'))
    .addHelpText('after', NOTES);
  lists(
    list,
    async (context, options: DeliveryOptions) => {
      const { organizationId, subscriptionIds } = await sourcesOf(context, options);
      const { outcome, since, until } = options;
      const filter = { outcome, since, until };
      return {
        rows: context.administration.overview.deliveries(organizationId, subscriptionIds, filter),
        linesOf,
      };
    },
    STANDARD_LIMIT,
  );
  runs(
    delivery
      .command('show')
      .description('show a delivery and the reason for its outcome')
      .argument('<id>', 'id of the delivery')
      .option('--organization <id>', 'fail if the delivery belongs to another organization')
      .addHelpText('after', NOTES),
    show,
  );
};
