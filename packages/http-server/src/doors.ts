import { ServiceError } from '@chairside/domain';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** How the requests of some routes are counted. */
type CountedBy = 'credential' | 'operator' | 'organization' | 'network' | 'connection';

/**
 * The bounds on what the requests of some routes can take from other callers. `limits` contains ids of rows of
 * docs/limits.md.
 */
export type Door = {
  server: 'api' | 'dashboard' | 'authorization server' | 'connector';
  routes: string;
  /** The largest body; absent if the routes read no body. */
  body?: string;
  countedBy: readonly CountedBy[];
  /** Where the requests wait in turns; absent if they are served from memory. */
  turns?: string;
  limits: readonly string[];
};

/** Every route of every public server has one of these doors. docs/limits.md has a row for each. */
export const doors = {
  'api-links': {
    server: 'api',
    routes:
      '`POST /api/invitations/complete`, `POST /api/passwordresets`, `POST /api/passwordresets/complete`',
    body: '16 KiB',
    countedBy: ['network', 'connection'],
    turns: 'between networks, for the check and the hash of the password',
    limits: [
      'body_without_credentials',
      'resets_of_network',
      'links_of_network',
      'strengths_waiting',
      'passwords_waiting',
    ],
  },
  'api-sign-in': {
    server: 'api',
    routes: '`POST /api/sessions`, `POST /api/sessions/challenge`, `POST /api/sessions/passkey`',
    body: '16 KiB',
    countedBy: ['network', 'connection'],
    turns: 'between networks, for the hash of the password',
    limits: [
      'body_without_credentials',
      'passwords_of_pair',
      'passwords_of_network',
      'passwords_of_site',
      'passwords_of_email',
      'answers_of_network',
      'answers_of_site',
      'passwords_waiting',
    ],
  },
  'api-public': {
    server: 'api',
    routes: 'health, reference, documents, `GET /api/passwordresets`',
    countedBy: ['connection'],
    limits: ['connections'],
  },
  'api-with-credentials': {
    server: 'api',
    routes: 'all other routes',
    body: '256 KiB',
    countedBy: ['credential', 'organization', 'network'],
    turns:
      'between networks, for the lookup of the credentials; between organizations, for the request, for the rows of a list, or for the parts of an export',
    limits: [
      'body',
      'bodies_of_organization',
      'rejections',
      'requests_of_key',
      'requests_of_token',
      'lookups_of_network',
      'requests_of_organization',
      'reads_of_organization',
      'streams_of_organization',
      'exports_of_organization',
    ],
  },
  'dashboard-session': {
    server: 'dashboard',
    routes: '`/session`, `/session/tokens`, and the routes of the api for links',
    body: '8 KiB',
    countedBy: ['credential', 'network', 'connection'],
    turns: 'in the api',
    limits: [
      'dashboard_own_body',
      'dashboard_own_requests_of_network',
      'passwords_of_network',
      'links_of_network',
      'resets_of_network',
      'requests_of_token',
    ],
  },
  'dashboard-forwarded': {
    server: 'dashboard',
    routes: '`/api/*`',
    body: '256 KiB',
    countedBy: ['credential', 'operator', 'organization'],
    turns: 'between organizations, for a connection to the api',
    limits: [
      'dashboard_body',
      'dashboard_bodies_of_organization',
      'dashboard_session',
      'dashboard_operator',
      'dashboard_organization',
      'dashboard_waiting',
    ],
  },
  'dashboard-download': {
    server: 'dashboard',
    routes: '`/downloads/*`',
    countedBy: ['credential', 'organization'],
    turns: 'between organizations, for each page',
    limits: ['downloads_of_session', 'downloads_of_organization', 'download_reads'],
  },
  'dashboard-pages': {
    server: 'dashboard',
    routes: 'pages, assets and health',
    countedBy: ['connection'],
    limits: ['connections'],
  },
  'oauth-metadata': {
    server: 'authorization server',
    routes: 'metadata and `/oauth/jwks`',
    countedBy: ['connection'],
    limits: ['connections'],
  },
  'oauth-authorize': {
    server: 'authorization server',
    routes: '`/oauth/authorize`',
    countedBy: ['network'],
    turns: 'between networks, at the database and for the document of the app',
    limits: ['authorizations', 'client_documents', 'authorization_operations_of_network'],
  },
  'oauth-register': {
    server: 'authorization server',
    routes: '`/oauth/register` and `/oauth/register/*`',
    body: '16 KiB',
    countedBy: ['network'],
    turns: 'between networks, at the database',
    limits: ['registrations', 'authorization_body', 'unused_clients', 'authorization_operations_of_network'],
  },
  'oauth-token': {
    server: 'authorization server',
    routes: '`/oauth/token` and `/oauth/revoke`',
    body: '16 KiB',
    countedBy: ['network', 'connection'],
    turns: 'between networks, at the database and for the document of the app',
    limits: [
      'authorization_body',
      'token_rejections',
      'client_documents',
      'authorization_operations_of_network',
    ],
  },
  'oauth-consent': {
    server: 'authorization server',
    routes: '`/oauth/consent/*`',
    body: '8 KiB',
    countedBy: ['network', 'credential'],
    turns: 'between networks, at the database; in the api',
    limits: ['client_documents', 'authorization_operations_of_network', 'requests_of_token'],
  },
  'connector-messages': {
    server: 'connector',
    routes: 'the path of `MCP_URL`',
    body: '64 KiB',
    countedBy: ['credential', 'organization', 'network'],
    turns:
      'between networks, for an unknown token; between organizations, for a known token and for the call of a tool',
    limits: [
      'connector_body',
      'connector_bodies_of_organization',
      'requests_of_grant',
      'invalid_tokens',
      'known_tokens_of_organization',
      'unknown_tokens_of_network',
      'tool_calls_of_organization',
    ],
  },
  'connector-public': {
    server: 'connector',
    routes: 'metadata and health',
    countedBy: ['connection'],
    limits: ['connections'],
  },
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof doors;

declare module 'fastify' {
  interface FastifyContextConfig {
    door?: DoorName;
  }
  interface FastifyInstance {
    /** Every route of the server, with its door. */
    doorList: readonly { method: string; url: string; door: DoorName }[];
  }
}

/**
 * Collects the routes that are registered from now on, as `app.doorList`. A route without a door prevents the start, so
 * that every route has bounds.
 *
 * @param doorOf the door of a route whose config has none
 */
export const requireDoors = (
  app: FastifyInstance,
  doorOf: (route: RouteOptions) => DoorName | undefined = () => undefined,
): void => {
  const list: { method: string; url: string; door: DoorName }[] = [];
  app.decorate('doorList', list);
  app.addHook('onRoute', (route) => {
    const { config, method, url } = route;
    const door = config?.door ?? doorOf(route);
    if (door === undefined)
      throw new ServiceError(`${method} ${url} has no door in its config. Set config.door: see doors.ts.`);
    list.push(...[method].flat().map((each) => ({ method: each, url, door })));
  });
};
