import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

/** The connected apps of the organization. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: ({ signal }) => withPrompts(() => api.connections.list({ signal }).toArray()),
});
