import { CONNECTION_SCOPE } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * The address of the metadata (RFC 9728, section 3.1).
 *
 * @param mcpUrl the setting MCP_URL
 */
export const metadataUrl = (mcpUrl: string): string => {
  const { origin, pathname } = new URL(mcpUrl);
  return origin + WELL_KNOWN + pathname;
};

/**
 * Serves the metadata of the protected resource (RFC 9728), which names the authorization server. Two addresses are for
 * the path of the connector, without and with a slash at its end, and one is for the root, where some clients look first. Pages of any origin may read it.
 */
export const metadataRoutes = (
  app: App,
  { config: { MCP_URL, AUTHORIZATION_SERVER_URL } }: Pick<Dependencies, 'config'>,
): void => {
  const metadata = {
    resource: MCP_URL,
    authorization_servers: [AUTHORIZATION_SERVER_URL],
    scopes_supported: [CONNECTION_SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Chairside',
  };
  const { pathname } = new URL(metadataUrl(MCP_URL));
  for (const path of [pathname, `${pathname}/`, WELL_KNOWN]) {
    app.get(path, async (_request, reply) => reply.header('Access-Control-Allow-Origin', '*').send(metadata));
  }
};
