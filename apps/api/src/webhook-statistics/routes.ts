import {
  clock,
  type DeliveryStatistics,
  deliveryStatisticsSchema,
  MAX_STATISTICS_DAYS,
  validationError,
} from '@chairside/domain';
import type { StatisticsRow } from '@chairside/mongodb';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { serializerOf } from '../http/serialization.ts';
import { pagesOf } from '../lists/pages.ts';
import { filterBy, pageQuery, timeFilter, timeRange } from '../lists/query.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const MAX_PERIOD = MAX_STATISTICS_DAYS * DAY;

const querystring = z.strictObject({
  clinicId: filterBy('of this clinic', '01JB0000000000000000CHN1C0'),
  webhookSubscriptionId: filterBy('of this subscription', '01JB000000000000SVBSCR1PT0'),
  since: timeFilter('Only hours that begin at this time or later. Default: 24 hours before `until`.'),
  until: timeFilter(
    `Only hours that begin before this time, at most ${MAX_STATISTICS_DAYS} days after \`since\`. Default: now.`,
  ),
  ...pageQuery,
});

/** @throws {Refusal} ValidationError for a period that is too long */
const periodOf = ({ since, until = clock.now() }: ReturnType<typeof timeRange>) => {
  const period = { since: since ?? new Date(until.getTime() - DAY), until };
  // A period may be up to one hour longer than the maximum.
  if (until.getTime() - period.since.getTime() <= MAX_PERIOD + HOUR) return period;
  throw validationError([
    { path: 'since', message: `must be at most ${MAX_STATISTICS_DAYS} days before until` },
  ]);
};

export const webhookStatisticsRoutes = (app: App, { store }: Pick<Dependencies, 'store'>): void => {
  const sendPage = pagesOf(store.secrets);
  const stringify = serializerOf(deliveryStatisticsSchema);

  app.get(
    '/api/webhookstatistics',
    {
      config: { access: { role: 'administrator', program: 'webhooks' } },
      schema: {
        tags: ['Webhook deliveries'],
        operationId: 'listWebhookStatistics',
        summary: 'List statistics of deliveries',
        description:
          'Returns a row for each hour and subscription with deliveries, in pages, the oldest hour first. A row counts deliveries of kind `event` by the time at which they became final. Rows are kept for 30 days. The last rows may be those of hours that are not closed yet, with `complete: false`.',
        querystring,
        response: { 200: z.array(deliveryStatisticsSchema) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, since, until, clinicId, webhookSubscriptionId: subscriptionId } = request.query;
      const filter = { clinicId, subscriptionId, ...timeRange(since, until) };
      const period = periodOf(filter);
      const { statistics } = request.store;
      return sendPage<StatisticsRow>(reply, {
        list: 'statistics',
        request,
        limit,
        cursor,
        // The filter does not contain the defaults of the period, because they change with each request.
        filter,
        read: ([after] = [], count) => statistics.page({ ...filter, ...period }, after ?? undefined, count),
        positionOf: ({ _id }) => [_id],
        stringify: (row) => stringify(row.statistics satisfies DeliveryStatistics),
      });
    },
  );
};
