import { CONNECTION_SCOPE } from '@chairside/domain';
import { RETRY_AFTER } from '@chairside/http-server';
import { type OAuthStore, openOAuthStore, type Patience } from '@chairside/mongodb/oauth';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { AdapterEvents } from './adapter.ts';
import { createDocumentFetch, type FetchDocument, keepUnreachableClients } from './client-documents.ts';
import { configurationOf, cookieNames, DOCUMENT_LIFE, PATHS, RESPONSE_MODE } from './configuration.ts';
import { oauthKeysOf } from './keys.ts';
import { type Admission, createAdmission } from './limits.ts';
import type { AuthorizationMetrics } from './metrics.ts';
import type { OAuthConfig } from './settings.ts';

/** How long a database operation waits for a connection, and how long it may take. */
const PATIENCE = { waitMs: 1500, operationMs: 5000 };

/** The OAuth 2.0 authorization server of the connector. */
export type AuthorizationServer = {
  publicUrl: string;
  mcpUrl: string;
  provider: Provider;
  store: OAuthStore;
  events: AdapterEvents;
  admission: Admission;
  close(): Promise<void>;
};

/**
 * oidc-provider always offers this scope. It is removed, because a grant is for a practice and reveals nothing about
 * the administrator.
 */
const IDENTITY = 'openid';
/** The request parameters that oidc-provider accepts only together with the `openid` scope. */
const OF_IDENTITY: readonly string[] = [
  'acr_values',
  'claims',
  'claims_locales',
  'id_token_hint',
  'max_age',
  'nonce',
];

/**
 * Adds the only scope of the connector to every authorization request, even if the request names no scope or others.
 * Removes the `openid` scope and its parameters from requests, and from the metadata the scope and all response modes
 * but one.
 */
const askForScope = (provider: Provider): void => {
  provider.use(async (ctx, next) => {
    if (ctx.path === PATHS.authorization) {
      const asked = [ctx.query.scope ?? []].flat().join(' ').split(' ').filter(Boolean);
      const scopes = new Set([...asked.filter((scope) => scope !== IDENTITY), CONNECTION_SCOPE]);
      const kept = Object.entries(ctx.query).filter(([name]) => !OF_IDENTITY.includes(name));
      ctx.query = { ...Object.fromEntries(kept), scope: [...scopes].join(' ') };
    }
    await next();
    const metadata = ctx.body as
      | { scopes_supported?: string[]; response_modes_supported?: string[] }
      | undefined;
    if (metadata?.scopes_supported === undefined) return;
    metadata.scopes_supported = metadata.scopes_supported.filter((scope) => scope !== IDENTITY);
    metadata.response_modes_supported = [RESPONSE_MODE];
  });
};

/**
 * Removes the session cookie of oidc-provider from responses. It is useless, because the session is never stored: see
 * adapter.ts.
 */
const withoutSessionCookie = (provider: Provider, name: string): void => {
  provider.use(async (ctx, next) => {
    await next();
    const set = [ctx.response.headers['set-cookie'] ?? []].flat();
    const kept = set.filter((cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`));
    if (kept.length > 0) ctx.res.setHeader('Set-Cookie', kept);
    else ctx.res.removeHeader('Set-Cookie');
  });
};

/**
 * Shows errors of the authorization endpoint on a page instead of returning them to the app. Anybody can register an
 * app, so redirecting an error before a person has decided would turn this host into an open redirector (RFC 9700,
 * 4.11.2). The library reads `allow_redirect` after it has emitted the error. The decision of a person is returned by
 * another route.
 */
const showEarlyErrors = (provider: Provider): void => {
  const keep = ({ oidc }: KoaContextWithOIDC, error: object): void => {
    if (oidc.route === 'authorization') Object.assign(error, { allow_redirect: false });
  };
  provider.on('authorization.error', keep);
  provider.on('server_error', keep);
};

/** Adds `Retry-After` to every response with status 503. */
const withRetryAfter = (provider: Provider): void => {
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.status === 503) ctx.set('Retry-After', String(RETRY_AFTER));
  });
};

/**
 * Makes a refresh token usable again if the refresh failed after the token was consumed. The client has no new token,
 * and its retry must not count as a second use. If the release fails too, the retry ends the grant.
 */
const releaseAfterFailure = (provider: Provider, { state }: OAuthStore): void => {
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== PATHS.token || ctx.status < 500) return;
    // The library sets this entity only in the request that has consumed the token.
    const { RotatedRefreshToken: token } = ctx.oidc?.entities ?? {};
    if (token !== undefined) await state.release(token.kind, token.jti).catch(() => {});
  });
};

/**
 * Changes the behaviour of oidc-provider that its configuration cannot change. Middleware runs in the order of this
 * function.
 */
const adaptProvider = (
  provider: Provider,
  store: OAuthStore,
  events: AdapterEvents,
  publicUrl: string,
): void => {
  // oidc-provider may trust the forwarded headers, because routes.ts replaces those of the caller.
  provider.proxy = true;
  keepUnreachableClients(provider);
  showEarlyErrors(provider);
  withRetryAfter(provider);
  releaseAfterFailure(provider, store);
  askForScope(provider);
  withoutSessionCookie(provider, cookieNames(publicUrl).session);
  provider.on('grant.revoked', ({ oidc }) =>
    events.grantEnded(oidc.route === 'token' ? 'replay' : 'revoked'),
  );
};

/**
 * Opens the authorization server. It connects to the database at the first request.
 *
 * @param options.fetchDocument receives the default function, which fetches from the public internet only, and returns
 *   the function that fetches client documents
 * @param options.documentLife how long a client document is kept, in seconds
 * @param options.patience time limits of database operations
 */
export const openAuthorizationServer = (
  config: OAuthConfig,
  metrics: Omit<AuthorizationMetrics, 'introspected'>,
  options: {
    fetchDocument?: (fetchPublic: FetchDocument) => FetchDocument;
    documentLife?: typeof DOCUMENT_LIFE;
    patience?: Patience;
  } = {},
): AuthorizationServer => {
  const { PUBLIC_URL: publicUrl, MCP_URL: mcpUrl, OAUTH_KEYS: keys } = config;
  const store = openOAuthStore({
    url: config.MONGODB_URL,
    appName: 'chairside-dashboard',
    patience: options.patience ?? PATIENCE,
    keys: oauthKeysOf(keys).storage,
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
  });
  const documents = createDocumentFetch();
  const events: AdapterEvents = {
    grantEnded: metrics.grantEnded,
    clientRegistered: metrics.clientRegistered,
  };
  const admission = createAdmission(store.limits, metrics.oauthLimited);
  const provider = new Provider(
    publicUrl,
    configurationOf({
      publicUrl,
      mcpUrl,
      keys,
      redirectSchemes: config.OAUTH_REDIRECT_SCHEMES,
      clientHosts: config.OAUTH_CLIENT_HOSTS,
      store,
      events,
      admission,
      fetchDocument: options.fetchDocument?.(documents.fetch) ?? documents.fetch,
      documentLife: options.documentLife ?? DOCUMENT_LIFE,
    }),
  );
  adaptProvider(provider, store, events, publicUrl);
  return {
    publicUrl,
    mcpUrl,
    provider,
    store,
    events,
    admission,
    async close() {
      await documents.close();
      await store.close();
    },
  };
};
