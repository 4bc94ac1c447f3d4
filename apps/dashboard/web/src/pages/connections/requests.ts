import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { withPrompts } from '../../session/prompts.ts';

/**
 * The address of the connector, from the metadata of the authorization server; null if there is no connector.
 */
export const connectorQuery = queryOptions({
  queryKey: ['connector'],
  async queryFn(): Promise<string | null> {
    const response = await fetch('/.well-known/oauth-authorization-server');
    if (!response.ok) return null;
    const { protected_resources } = (await response.json()) as { protected_resources?: string[] };
    return protected_resources?.[0] ?? null;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** The connected apps of the organization. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: ({ signal }) => withPrompts(() => api.connections.list({ signal }).toArray()),
});
