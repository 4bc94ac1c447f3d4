import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';
import { HOUR, PERIODS, type Period } from './hours.ts';

/** The filter that selects the counted deliveries. */
export type StatisticsFilter = { clinicId?: string; webhookSubscriptionId?: string };

/** The hours of a period with their counts. */
export const statisticsQuery = (period: Period, filter: StatisticsFilter) =>
  queryOptions({
    queryKey: ['statistics', period, filter],
    queryFn({ signal }) {
      const since = new Date(Math.floor(Date.now() / HOUR) * HOUR - PERIODS[period].hours * HOUR);
      return withPrompts(() => api.webhookStatistics.list({ ...filter, since }, { signal }).toArray());
    },
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
