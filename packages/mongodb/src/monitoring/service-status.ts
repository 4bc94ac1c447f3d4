import { MAX_COUNTED_WAITING, type OutboundMode, type ServiceStatus } from '@chairside/domain';
import type { DeliveryDocument } from '../deliveries/deliveries.ts';
import type { Collection, Database } from '../driver/database.ts';
import { databaseTime } from '../driver/statements.ts';
import { hasOutbox, publishedKinds } from '../records/outbox.ts';
import type { Reach } from '../records/record-query.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import type { SubscriptionDocument } from '../subscriptions/subscriptions.ts';
import type { Outages } from './outages.ts';

/** Maximum number of subscriptions whose queued deliveries are counted. */
const MAX_SUBSCRIPTIONS = 1000;

/** The state of the service for one organization, or for some of its clinics. */
export type OwnServiceStatus = {
  /**
   * Reads the state. The cost is limited: each of the five searches (four for unpublished records, one for queued
   * deliveries) examines at most `MAX_COUNTED_WAITING` documents or index entries.
   */
  read(): Promise<ServiceStatus>;
};

type Counted = { count: number; oldest: Date | null; complete: boolean };
const NOTHING: Counted = { count: 0, oldest: null, complete: true };

/** @param reach whose state is read */
export const serviceStatusOf = (
  database: Database,
  deliveries: Collection<DeliveryDocument>,
  subscriptions: Collection<SubscriptionDocument>,
  outages: Pick<Outages, 'current'>,
  outbound: (now: Date) => Promise<OutboundMode>,
  { organizationId, clinicIds }: Reach,
): OwnServiceStatus => {
  /**
   * Counts the organization's records among the oldest unpublished records of the whole service. There is no index by
   * organization, because every write would have to maintain it. The search is fast without it, because fan-out usually
   * takes milliseconds, so few events are unpublished.
   */
  const countRecords = async (collection: string): Promise<Counted> => {
    const own = {
      $and: [
        { $eq: ['$organizationId', { $literal: organizationId }] },
        ...(clinicIds === undefined ? [] : [{ $in: ['$clinicId', { $literal: [...clinicIds] }] }]),
      ],
    };
    const [found] = await database
      .collection<RecordDocument>(collection)
      .aggregate<{ examined: number; count: number; oldest: Date | null }>([
        { $match: hasOutbox },
        { $sort: { outboxAt: 1 } },
        { $limit: MAX_COUNTED_WAITING },
        // A record can have some MiB.
        { $project: { organizationId: 1, clinicId: 1, outboxAt: 1 } },
        {
          $group: {
            _id: null,
            examined: { $sum: 1 },
            count: { $sum: { $cond: [own, 1, 0] } },
            oldest: { $min: { $cond: [own, '$outboxAt', null] } },
          },
        },
      ])
      .toArray();
    if (found === undefined) return NOTHING;
    const { examined, count, oldest } = found;
    return { count, oldest, complete: examined < MAX_COUNTED_WAITING };
  };

  const countDeliveries = async (subscriptionIds: readonly string[]): Promise<Counted> => {
    const [found] = await deliveries
      .aggregate<{ count: number; oldest: Date }>(
        [
          { $match: { subscriptionId: { $in: [...subscriptionIds] }, status: 'queued' } },
          { $limit: MAX_COUNTED_WAITING },
          { $match: { organizationId } },
          { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$createdTime' } } },
        ],
        { hint: 'queued' },
      )
      .toArray();
    return found === undefined ? NOTHING : { ...found, complete: found.count < MAX_COUNTED_WAITING };
  };

  return {
    async read() {
      const now = await databaseTime(database);
      const own = await subscriptions
        .find(
          { organizationId, ...(clinicIds && { clinicId: { $in: [...clinicIds] } }) },
          { projection: { _id: 1 }, sort: { _id: 1 }, limit: MAX_SUBSCRIPTIONS + 1 },
        )
        .toArray();
      const ids = own.slice(0, MAX_SUBSCRIPTIONS).map(({ _id }) => _id);
      const [queued, ...records] = await Promise.all([
        countDeliveries(ids),
        ...publishedKinds.map((kind) => countRecords(shapes[kind].collection)),
      ]);
      const all = [queued, ...records];
      const times = all.flatMap(({ oldest }) => (oldest === null ? [] : [oldest.getTime()]));
      const outageTime = await outages.current();
      const eventsWaiting = records.reduce((sum, { count }) => sum + count, 0);
      return {
        eventsWaiting: Math.min(eventsWaiting, MAX_COUNTED_WAITING),
        deliveriesWaiting: queued.count,
        oldestAge: times.length === 0 ? 0 : Math.max(0, now.getTime() - Math.min(...times)) / 1000,
        complete: all.every(({ complete }) => complete) && own.length <= MAX_SUBSCRIPTIONS,
        outage: outageTime !== undefined,
        outbound: await outbound(now),
        ...(outageTime && { outageTime: outageTime.toISOString() }),
      };
    },
  };
};
