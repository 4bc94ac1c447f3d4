import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

/** The operators of the organization. */
export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => withPrompts(() => api.operators.list({ signal }).toArray()),
});

/** The API keys of the organization. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => withPrompts(() => api.apiKeys.list({ signal }).toArray()),
});

/** The program tokens of the organization. */
export const programTokensQuery = queryOptions({
  queryKey: ['programTokens'],
  queryFn: ({ signal }) => withPrompts(() => api.sessions.tokens({ signal }).toArray()),
});
