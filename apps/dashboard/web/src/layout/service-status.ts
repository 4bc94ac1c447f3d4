import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

/** How many changed records and deliveries of the organization wait, and whether an outage is declared. */
export const serviceStatusQuery = queryOptions({
  queryKey: ['serviceStatus'],
  queryFn: (context) => withPrompts(() => api.serviceStatus(liveRequest(context))),
  refetchInterval: liveInterval,
});
