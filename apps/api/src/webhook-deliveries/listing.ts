import {
  clock,
  type Delivery,
  deliveryOutcomes,
  deliverySchema,
  eventNameSchema,
  failureCauses,
  skipReasons,
  statusClasses,
  timeOfId,
} from '@chairside/domain';
import type { DeliveryFilter, Secrets } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { serializerOf } from '../http/serialization.ts';
import { timePagesOf } from '../lists/pages.ts';
import { filterBy, pageQuery, timeFilter, timeRange } from '../lists/query.ts';

/**
 * A list with the filter `requestId` finds deliveries by the events of the request, if the request wrote at most this
 * many events. Only imports write more.
 */
const MAX_EVENTS_OF_REQUEST = 100;
/**
 * The events of a request are created at one moment. Between those of an import, which can be minutes apart, lie the
 * deliveries of all organizations, and a search by events reads them all.
 */
const MAX_SPAN_MS = 1000;
/** The period of a list of all deliveries without `since`: 24 hours. */
const DEFAULT_PERIOD_MS = 24 * 60 * 60 * 1000;

const oneOf = <const T extends readonly string[]>(names: T) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` }).optional();

/** The query parameters of a list of the deliveries of one subscription. */
export const deliveryQuery = z.strictObject({
  outcome: oneOf(deliveryOutcomes).meta({
    description: 'Only deliveries with this outcome.',
    examples: ['failed'],
  }),
  cause: oneOf([...failureCauses, ...skipReasons]).meta({
    description: 'Only deliveries with this cause.',
    examples: ['timeout'],
  }),
  event: eventNameSchema
    .optional()
    .meta({ description: 'Only deliveries of this event.', examples: ['patient.updated'] }),
  statusClass: oneOf(statusClasses).meta({
    description: 'Only deliveries whose receiver responded with a status of this class.',
    examples: ['5xx'],
  }),
  unrepaired: z
    .literal('true', { error: 'must be true' })
    .optional()
    .meta({
      description:
        'With `true`, only deliveries that failed, were interrupted or were skipped, and of which no later redelivery succeeded.',
      examples: ['true'],
    }),
  eventId: filterBy('of the event with this id', '01JB000000000000000EVENT10'),
  requestId: filterBy('of the event that this request caused', '01JB00000000000000REQVEST0'),
  since: timeFilter('Only deliveries that were created at this time or later.'),
  until: timeFilter('Only deliveries that were created at this time or earlier.'),
  ...pageQuery,
});

/** The query parameters of a list of all deliveries. */
export const allDeliveriesQuery = z.strictObject({
  clinicId: filterBy('of this clinic', '01JB0000000000000000CHN1C0'),
  webhookSubscriptionId: filterBy('of this subscription', '01JB000000000000SVBSCR1PT0'),
  ...deliveryQuery.shape,
  since: timeFilter('Only deliveries that were created at this time or later. Default: 24 hours ago.'),
});

const filterOf = (
  query: z.output<typeof deliveryQuery> & { clinicId?: string | undefined },
): DeliveryFilter => {
  const { limit, cursor, statusClass, since, until, eventId, unrepaired, ...rest } = query;
  return {
    ...rest,
    ...timeRange(since, until),
    ...(eventId !== undefined && { eventIds: [eventId] }),
    ...(unrepaired && { unrepaired: true }),
    ...(statusClass && { statusClass: Number(statusClass.charAt(0)) }),
  };
};

/**
 * Returns the ids of the events that the filter selects. Returns undefined if the filter must be checked on each
 * delivery, for example because the events are those of an import.
 */
const eventIdsOf = async (
  { store }: FastifyRequest,
  { eventIds, requestId }: DeliveryFilter,
): Promise<readonly string[] | undefined> => {
  if (eventIds !== undefined || requestId === undefined) return eventIds;
  const found = await store.audit.eventIds(requestId, MAX_EVENTS_OF_REQUEST + 1);
  // No event is found for an unknown request, but also if audit entries are kept for a shorter time than deliveries.
  if (found.length === 0 || found.length > MAX_EVENTS_OF_REQUEST) return undefined;
  const times = found.map((id) => timeOfId(id).getTime());
  return Math.max(...times) - Math.min(...times) <= MAX_SPAN_MS ? found : undefined;
};

type Listing = {
  /** The name of the list, which its cursors are bound to. */
  list: string;
  filter: DeliveryFilter;
  limit: number;
  cursor?: string | undefined;
};

/** Returns functions that send a page of the deliveries of one subscription, and of all deliveries. */
export const createListing = (secrets: Secrets) => {
  const sendPage = timePagesOf(secrets);
  const stringify = serializerOf(deliverySchema);

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    { list, filter, limit, cursor }: Listing,
    defaultSince?: Date,
  ) => {
    const { deliveries } = request.store;
    // The cursor is bound to the filter of the caller, without the default of `since`, because this default changes
    // with each request.
    const bounded = { ...filter, since: filter.since ?? defaultSince };
    let downTo: Awaited<ReturnType<typeof deliveries.examinedTo>>;
    return sendPage<Delivery>(reply, {
      list,
      request,
      limit,
      cursor,
      filter,
      async *read(before, count) {
        const found = { ...bounded, eventIds: await eventIdsOf(request, bounded) };
        downTo = await deliveries.examinedTo(found, before);
        yield* deliveries.page(found, { before, downTo }, count);
      },
      timeOf: ({ createdTime }) => createdTime,
      stoppedAt: () => downTo,
      stringify,
    });
  };

  return {
    ofSubscription(
      request: FastifyRequest,
      reply: FastifyReply,
      subscriptionId: string,
      query: z.output<typeof deliveryQuery>,
    ) {
      const filter = { ...filterOf(query), subscriptionId };
      return send(request, reply, { list: `deliveries of ${subscriptionId}`, filter, ...query });
    },

    all(request: FastifyRequest, reply: FastifyReply, query: z.output<typeof allDeliveriesQuery>) {
      const { webhookSubscriptionId, ...rest } = query;
      const filter = { ...filterOf(rest), subscriptionId: webhookSubscriptionId };
      const since = new Date(clock.now().getTime() - DEFAULT_PERIOD_MS);
      return send(request, reply, { list: 'deliveries', filter, ...query }, since);
    },
  };
};
