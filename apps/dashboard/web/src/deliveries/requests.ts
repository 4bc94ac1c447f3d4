import type { WebhookDelivery, WebhookDeliveryFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { PAGE_SIZE } from '../api/page-size.ts';
import { saveFile } from '../api/save-file.ts';
import { withPrompts } from '../session/prompts.ts';
import { keptSince } from './period.ts';
import type { DeliverySearch } from './search.ts';

/** One page of deliveries. The first page is live: it is read repeatedly while it is shown. */
export const deliveriesQuery = ({ cursor, ...filter }: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', filter, cursor],
    queryFn: (context) =>
      withPrompts(() =>
        api.webhookDeliveries
          .list(filter as WebhookDeliveryFilter, { pageSize: PAGE_SIZE, ...liveRequest(context) })
          .page(cursor),
      ),
    refetchInterval: cursor === undefined ? liveInterval : false,
    placeholderData: keepPreviousData,
  });

/**
 * Downloads the deliveries as CSV, the newest first. A download can neither ask for a sign-in nor show a refusal, so one
 * delivery is read before it begins.
 *
 * @throws {ChairsideError} if the deliveries cannot be read
 */
export const downloadDeliveries = async ({ cursor: _, ...filter }: DeliverySearch): Promise<void> => {
  await withPrompts(() =>
    api.webhookDeliveries.list(filter as WebhookDeliveryFilter, { pageSize: 1 }).page(),
  );
  saveFile('/downloads/deliveries.csv', filter);
};

/**
 * The first page of the deliveries of an event, its redeliveries included. The query is live. An event has at most one
 * automatic delivery for each subscription.
 */
export const deliveriesOfEventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'of event', eventId],
    queryFn: (context) =>
      withPrompts(() =>
        api.webhookDeliveries
          .list({ eventId, since: keptSince() }, { pageSize: PAGE_SIZE, ...liveRequest(context) })
          .page(),
      ),
    refetchInterval: liveInterval,
  });

/** A failure of a subscription: the latest one, and the time of the first one of the present row of failures. */
export type LastFailure = {
  _id: string;
  time: string;
  cause: WebhookDelivery['cause'];
  since: string | undefined;
};

/** After this many failures in a row, a subscription is disabled. */
export const MAX_ROW = 20;

/** The latest failure of a subscription. It is read anew when the number of failures in a row changes. */
export const lastFailureQuery = ({
  _id,
  consecutiveFailures,
}: {
  _id: string;
  consecutiveFailures: number;
}) =>
  queryOptions({
    queryKey: ['lastFailure', _id, consecutiveFailures],
    async queryFn(context): Promise<LastFailure | null> {
      const filter = { webhookSubscriptionId: _id, outcome: 'failed', since: keptSince() } as const;
      const pageSize = Math.min(MAX_ROW, consecutiveFailures) + 5;
      const list = api.webhookDeliveries.list(filter, { pageSize, ...liveRequest(context) });
      const { data } = await withPrompts(() => list.page());
      const [latest] = data;
      if (latest === undefined) return null;
      // Only the regular deliveries count towards the failures in a row.
      const first = data.filter(({ kind }) => kind === 'event')[consecutiveFailures - 1];
      const { cause, attemptTime, createdTime } = latest;
      return { _id: latest._id, time: attemptTime ?? createdTime, cause, since: first?.createdTime };
    },
    staleTime: 60_000,
  });

const isFinal = ({ outcome }: WebhookDelivery): boolean => outcome !== 'queued' && outcome !== 'sending';

/** One delivery. It is read repeatedly until it is final. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: (context) => withPrompts(() => api.webhookDeliveries.get(id, liveRequest(context))),
    refetchInterval: (query) =>
      query.state.data !== undefined && isFinal(query.state.data) ? false : liveInterval(query),
  });

/** Whether a list of deliveries that are kept has any. @throws {ChairsideError} */
export const hasDeliveries = async (filter: Record<string, string>): Promise<boolean> => {
  const list = () =>
    api.webhookDeliveries
      .list({ ...filter, since: keptSince() } as WebhookDeliveryFilter, { pageSize: 1 })
      .page();
  return (await withPrompts(list)).data.length > 0;
};
