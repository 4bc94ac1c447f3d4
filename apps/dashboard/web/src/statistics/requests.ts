import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';
import { HOUR, PERIODS, type Period } from './hours.ts';

/** The filter that selects the counted deliveries. */
export type StatisticsFilter = { clinicId?: string; webhookSubscriptionId?: string };

/** How often the statistics are read on a page that shows them, in milliseconds. */
const INTERVAL_MS = 60_000;

/** The hours of a period with their counts. The query is live: it is repeated while the page is shown. */
export const statisticsQuery = (period: Period, filter: StatisticsFilter) =>
  queryOptions({
    queryKey: ['statistics', period, filter],
    queryFn(context) {
      const since = new Date(Math.floor(Date.now() / HOUR) * HOUR - PERIODS[period].hours * HOUR);
      return withPrompts(() =>
        api.webhookStatistics.list({ ...filter, since }, liveRequest(context)).toArray(),
      );
    },
    refetchInterval(query) {
      const live = liveInterval(query);
      return live === false ? false : Math.max(live, INTERVAL_MS);
    },
    staleTime: INTERVAL_MS,
    placeholderData: keepPreviousData,
  });
