import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { withPrompts } from '../../session/prompts.ts';

/** The operator's own sessions. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => withPrompts(() => api.sessions.list({ signal }).toArray()),
});
