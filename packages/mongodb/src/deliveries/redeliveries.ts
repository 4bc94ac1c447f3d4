import type { Redelivery, ResourceLimit } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { atOnce, byId, insertNew } from '../driver/statements.ts';
import { amongEvents, type EventDocument, type EventRef, mayStillEnter } from '../events/event-document.ts';
import { type DeliveryDocument, isFinal, type NewDelivery, toDocument } from './deliveries.ts';
import { repairsOf, UNSUCCESSFUL } from './repairs.ts';

/** How long a finished redelivery can be read: 30 days. */
const REDELIVERY_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum number of deliveries that one step examines. */
const STEP = 200;

/**
 * Maximum number of bulk redeliveries of an organization that run. Requests at the same moment may exceed it by a few.
 */
export const MAX_RUNNING_REDELIVERIES = 50;

export const redeliveryLimits: readonly ResourceLimit[] = [
  {
    id: 'running_redeliveries',
    part: 'Webhooks',
    resource: 'Bulk redeliveries of one organization that run',
    value: MAX_RUNNING_REDELIVERIES,
    unit: 'redeliveries',
    beyond: '429 TooManyRequests',
    metric: 'chairside_api_refusals_total',
  },
];

export type RedeliveryDocument = {
  _id: string;
  organizationId: string;
  subscriptionId: string;
  since: Date;
  until: Date;
  outcomes: Redelivery['outcomes'];
  /** Leaves out what succeeded, and what a later redelivery has delivered. */
  unrepaired?: true;
  state: Redelivery['state'];
  /**
   * Increases with each completed step, and when the redelivery is stopped. A step is stored only if this number has
   * not changed since the step read it.
   */
  steps: number;
  /** The last delivery that a step has examined. */
  position?: { createdTime: Date; _id: string };
  made: number;
  gone: number;
  createdTime: Date;
  finalTime?: Date;
  expireAt?: Date;
  /** Present once the counts cannot change any more, so that a list does not count them again. */
  counts?: BulkCounts;
};

/** The bulk redeliveries of all organizations, as the dispatcher runs them. */
export type Redeliveries = {
  /** Running redeliveries, at first one of each organization, those with the fewest steps first. */
  running(limit: number): Promise<RedeliveryDocument[]>;
  /**
   * Creates the next deliveries, and marks the redelivery as done when none are left. The call may be repeated, even by
   * two processes at once, because the ids of the new deliveries are derived from existing ids.
   */
  advance(redelivery: RedeliveryDocument, now: Date): Promise<void>;
};

/** The numbers of deliveries that a bulk redelivery has created, by outcome. */
export type BulkCounts = Pick<Redelivery, 'waiting' | 'succeeded' | 'failed'>;

/** How long after the end a step that began before it may still create deliveries, with a wide margin. */
const SETTLED_MS = 10 * 60_000;

/**
 * Counts the deliveries that a bulk redelivery has created.
 *
 * @returns whether the counts can still change: a step creates deliveries, some wait, or the outcome of one that was
 *   interrupted may still be stored
 */
export const countBulk = async (
  deliveries: Collection<DeliveryDocument>,
  {
    _id: bulkId,
    subscriptionId,
    finalTime,
  }: Pick<RedeliveryDocument, '_id' | 'subscriptionId' | 'finalTime'>,
  now: Date,
): Promise<{ counts: BulkCounts; mayChange: boolean }> => {
  // An index has all of these fields, so no delivery is read.
  const groups = await deliveries
    .aggregate<{ _id: DeliveryDocument['status']; count: number }>([
      { $match: { bulkId, subscriptionId } },
      { $group: { _id: '$status', count: { $sum: 1 } } },
    ])
    .toArray();
  const sum = (...statuses: DeliveryDocument['status'][]) =>
    groups.reduce((total, { _id, count }) => total + (statuses.includes(_id) ? count : 0), 0);
  const counts = {
    waiting: sum('queued', 'sending'),
    succeeded: sum('succeeded'),
    failed: sum('failed', 'interrupted', 'skipped'),
  };
  const mayGrow = finalTime === undefined || now.getTime() - finalTime.getTime() <= SETTLED_MS;
  return { counts, mayChange: mayGrow || counts.waiting + sum('interrupted') > 0 };
};

export const toRedelivery = (document: RedeliveryDocument, counts: BulkCounts): Redelivery => ({
  _id: document._id,
  subscriptionId: document.subscriptionId,
  since: document.since.toISOString(),
  until: document.until.toISOString(),
  outcomes: document.outcomes,
  ...(document.unrepaired && { unrepaired: true }),
  state: document.state,
  made: document.made,
  ...counts,
  gone: document.gone,
  createdTime: document.createdTime.toISOString(),
  ...(document.finalTime && { finalTime: document.finalTime.toISOString() }),
});

/** The fields of a bulk redelivery that has ended. */
export const ended = (state: 'done' | 'stopped', now: Date) => ({
  state,
  finalTime: now,
  expireAt: new Date(now.getTime() + REDELIVERY_LIFE_MS),
});

/**
 * An organization with many redeliveries does not delay those of others, and a long redelivery does not delay a short one
 * of the same organization.
 */
const inTurns = (running: readonly RedeliveryDocument[]): RedeliveryDocument[] => {
  const bySteps = running.toSorted((one, other) => one.steps - other.steps);
  const ofOrganizations = Map.groupBy(bySteps, ({ organizationId }) => organizationId);
  return [...ofOrganizations.values()]
    .flatMap((own) => own.map((redelivery, place) => ({ redelivery, place })))
    .toSorted((one, other) => one.place - other.place || one.redelivery.steps - other.redelivery.steps)
    .map(({ redelivery }) => redelivery);
};

export const openRedeliveries = (
  collection: Collection<RedeliveryDocument>,
  deliveries: Collection<DeliveryDocument>,
  events: Collection<EventDocument>,
): Redeliveries => {
  const nextSources = ({
    organizationId,
    subscriptionId,
    since,
    until,
    outcomes,
    unrepaired,
    position,
  }: RedeliveryDocument) =>
    deliveries
      .find(
        {
          organizationId,
          subscriptionId,
          createdTime: { $gte: position?.createdTime ?? since, $lt: until },
          kind: 'event',
          status: { $in: outcomes.filter((each) => !unrepaired || UNSUCCESSFUL.includes(each)) },
          ...isFinal,
          ...(position && {
            $or: [
              { createdTime: { $gt: position.createdTime } },
              { createdTime: position.createdTime, _id: { $gt: position._id } },
            ],
          }),
        },
        {
          sort: { createdTime: 1, _id: 1 },
          limit: STEP,
          projection: { timings: 0, sealed: 0 },
        },
      )
      .toArray();

  /** Leaves out what another redelivery has delivered. Its own redeliveries do not count, because a step may be repeated. */
  const unrepairedOf = async <Source extends DeliveryDocument>(
    { _id, organizationId }: RedeliveryDocument,
    sources: readonly Source[],
  ): Promise<Source[]> => {
    const isRepaired = await repairsOf(deliveries, organizationId, sources, _id);
    return sources.filter((source) => !isRepaired(source));
  };

  const present = async (refs: readonly EventRef[]): Promise<Set<string>> => {
    const found = await events
      .find(amongEvents(refs), { projection: { _id: 1 }, ...byId, ...atOnce(refs.length) })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  };

  return {
    // Reads all running redeliveries without a limit, because an organization has few.
    running: async (limit) => {
      const all = await collection.find({ state: 'running' }).toArray();
      return inTurns(all).slice(0, limit);
    },

    async advance(redelivery, now) {
      const examined = await nextSources(redelivery);
      const sources = redelivery.unrepaired ? await unrepairedOf(redelivery, examined) : examined;
      const sendable = await present(
        sources.map(({ eventId, organizationId }) => ({ _id: eventId, organizationId })),
      );
      const fresh = sources
        .filter((source) => sendable.has(source.eventId) || mayStillEnter(source, now))
        .map(
          ({ _id, organizationId, clinicId, subscriptionId, eventId, event, bodyBytes }): NewDelivery => ({
            _id: `${_id}-${redelivery._id}`,
            organizationId,
            clinicId,
            subscriptionId,
            eventId,
            event,
            kind: 'redelivery',
            redeliveryOf: _id,
            bulkId: redelivery._id,
            ...(bodyBytes !== undefined && { bodyBytes }),
          }),
        );
      await insertNew(
        deliveries,
        fresh.map((delivery) => toDocument(delivery, now)),
      );
      const last = examined.at(-1);
      const isDone = examined.length < STEP;
      await collection.updateOne(
        { _id: redelivery._id, steps: redelivery.steps },
        {
          $inc: { steps: 1, made: fresh.length, gone: sources.length - fresh.length },
          $set: {
            ...(last && { position: { createdTime: last.createdTime, _id: last._id } }),
            ...(isDone && ended('done', now)),
          },
        },
      );
    },
  };
};
