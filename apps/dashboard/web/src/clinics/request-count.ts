import { queryOptions, skipToken } from '@tanstack/react-query';

/**
 * The number of requests of today at the clinic of this browser, as the page Today has read it last. Nothing else reads it,
 * because each read of appointments leaves an audit entry.
 */
export const requestCountQuery = queryOptions<number>({
  queryKey: ['requests of today'],
  queryFn: skipToken,
});
