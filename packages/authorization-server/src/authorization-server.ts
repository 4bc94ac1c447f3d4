import { CONNECTION_SCOPE } from '@chairside/domain';
import { RETRY_AFTER } from '@chairside/http-server';
import { loggedRegistration, type OAuthStore, openOAuthStore, type Patience } from '@chairside/mongodb/oauth';
import type { DatabaseTimes } from '@chairside/telemetry';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { callers } from './callers.ts';
import { type ClientDocuments, createClientDocuments, FAILURE_LIFE_MS } from './client-documents.ts';
import { configurationOf, cookieNames, DOCUMENT_LIFE, PATHS, RESPONSE_MODE } from './configuration.ts';
import { createDocumentFetch, type FetchDocument } from './document-fetch.ts';
import { createEndGrant, type EndGrant } from './ended-grants.ts';
import { oauthKeysOf } from './keys.ts';
import { type Admission, createAdmission } from './limits.ts';
import type { AuthorizationMetrics } from './metrics.ts';
import { manageRegistrations } from './registration.ts';
import { canonicalResource } from './resource.ts';
import type { OAuthConfig } from './settings.ts';
import { inTurns } from './turns.ts';

/**
 * How long a database operation waits for a connection, and how long it may take. The driver opens two connections at a
 * time, so in the first seconds of a rush of some networks, those of others wait for more than a second on a busy machine.
 */
const PATIENCE = { waitMs: 5000, operationMs: 5000 };

/** The OAuth 2.0 authorization server of the connector. */
export type AuthorizationServer = {
  publicUrl: string;
  mcpUrl: string;
  provider: Provider;
  /** Its operations wait for the turn of the caller's network. */
  store: OAuthStore;
  endGrant: EndGrant;
  admission: Admission;
  /** Counts a request that failed because of a bug. */
  faulted(): void;
  close(): Promise<void>;
};

/**
 * oidc-provider always offers this scope. It is removed, because a grant is for the data of a practice, not for the
 * identity of the administrator.
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
 * Adds the only scope of the connector to every authorization request, even if the request names other scopes or none, and
 * gives its resource one form.
 * Removes the `openid` scope and its parameters from these requests. From the metadata, removes this scope and all
 * response modes but one.
 */
const askForScope = (provider: Provider, mcpUrl: string): void => {
  provider.use(async (ctx, next) => {
    if (ctx.path === PATHS.authorization) {
      const asked = [ctx.query.scope ?? []].flat().join(' ').split(' ').filter(Boolean);
      const scopes = new Set([...asked.filter((scope) => scope !== IDENTITY), CONNECTION_SCOPE]);
      const kept = Object.entries(ctx.query).filter(([name]) => !OF_IDENTITY.includes(name));
      ctx.query = { ...Object.fromEntries(kept), scope: [...scopes].join(' ') };
      const { resource } = ctx.query;
      if (resource !== undefined) {
        const [first, ...others] = new Set([resource].flat().map((each) => canonicalResource(each, mcpUrl)));
        ctx.query = { ...ctx.query, resource: others.length === 0 ? first : [first ?? '', ...others] };
      }
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

/** Adds `Retry-After` to every response with status 429 or 503 that has none. */
const withRetryAfter = (provider: Provider): void => {
  provider.use(async (ctx, next) => {
    await next();
    if ((ctx.status !== 429 && ctx.status !== 503) || ctx.res.hasHeader('Retry-After')) return;
    ctx.set('Retry-After', String(callers.getStore()?.retryAfter ?? RETRY_AFTER));
  });
};

/**
 * Makes a refresh token usable again if the refresh failed after the token was consumed. The client has no new token,
 * and its retry must not count as a second use. If the release fails too, the retry ends the grant.
 */
const releaseAfterFailure = (provider: Provider, { state }: OAuthStore): void => {
  provider.use(async (ctx, next) => {
    await next();
    // A refusal with 429 may come after the token was consumed.
    if (ctx.path !== PATHS.token || (ctx.status < 500 && ctx.status !== 429)) return;
    // The library sets this entity only in the request that has consumed the token.
    const { RotatedRefreshToken: token } = ctx.oidc?.entities ?? {};
    if (token !== undefined) await state.release(token.kind, token.jti).catch(() => {});
  });
};

/**
 * Changes a refusal (400 or 401) of the token endpoint to 429 if the network of the caller has had too many refusals.
 */
const limitRejections = (provider: Provider, admission: Pick<Admission, 'reject'>): void => {
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path !== PATHS.token || (ctx.status !== 400 && ctx.status !== 401)) return;
    // If the refusal cannot be counted, it is sent all the same.
    const seconds = await admission.reject(callers.getStore()?.address).catch(() => undefined);
    if (seconds === undefined) return;
    ctx.status = 429;
    ctx.set('Retry-After', String(seconds));
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: `Too many requests from your network had invalid tokens or credentials. Try again in ${seconds} s.`,
    };
  });
};

/** Makes oidc-provider find clients through `documents.find`. */
const findClientsWith = ({ Client }: Provider, documents: Pick<ClientDocuments, 'find'>): void => {
  const find = Client.find.bind(Client);
  Client.find = (id) => documents.find(id, () => find(id));
};

/**
 * Changes the behaviour of oidc-provider that its configuration cannot change. Middleware runs in the order of this
 * function.
 */
const adaptProvider = (
  provider: Provider,
  {
    store,
    documents,
    admission,
    publicUrl,
    mcpUrl,
    registrationKeys,
  }: Pick<AuthorizationServer, 'store' | 'admission' | 'publicUrl' | 'mcpUrl'> & {
    documents: ClientDocuments;
    registrationKeys: readonly string[];
  },
): void => {
  // oidc-provider may trust the forwarded headers, because routes.ts replaces those of the caller.
  provider.proxy = true;
  findClientsWith(provider, documents);
  showEarlyErrors(provider);
  withRetryAfter(provider);
  limitRejections(provider, admission);
  releaseAfterFailure(provider, store);
  askForScope(provider, mcpUrl);
  manageRegistrations(provider, { path: PATHS.registration, publicUrl, keys: registrationKeys });
  withoutSessionCookie(provider, cookieNames(publicUrl).session);
};

/**
 * Opens the authorization server. It connects to the database at the first request.
 *
 * @param options.fetchDocument receives the default function, which fetches from the public internet only, and returns
 *   the function that fetches client documents
 * @param options.documentLife how long oidc-provider caches a client document, in seconds, and for how many milliseconds
 *   a failed fetch is remembered
 * @param options.patience time limits of database operations
 * @param options.times receives the times of the database
 * @param options.limitsNow the time that decides which period of a limit a request counts in
 * @param options.log if given, `register` registers this process in the database, and logs when it fails
 * @param options.hasUnreadableCallers whether a trusted proxy writes no address of its callers, for the registration
 */
export const openAuthorizationServer = (
  config: OAuthConfig,
  metrics: Omit<AuthorizationMetrics, 'introspected'>,
  options: {
    fetchDocument?: (fetchPublic: FetchDocument) => FetchDocument;
    documentLife?: typeof DOCUMENT_LIFE & { failureMs: number };
    patience?: Patience;
    times?: DatabaseTimes;
    limitsNow?: () => Date;
    log?: Parameters<typeof loggedRegistration>[1];
    hasUnreadableCallers?: () => boolean;
  } = {},
): AuthorizationServer => {
  const { PUBLIC_URL: publicUrl, MCP_URL: mcpUrl, OAUTH_KEYS: keys } = config;
  const store = inTurns(
    openOAuthStore({
      url: config.MONGODB_URL,
      appName: 'chairside-dashboard',
      patience: options.patience ?? PATIENCE,
      times: options.times,
      registration: options.log && loggedRegistration('dashboard', options.log, options.hasUnreadableCallers),
      keys: oauthKeysOf(keys).storage,
      auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    }),
  );
  const publicFetch = createDocumentFetch();
  const endGrant = createEndGrant(store, metrics);
  const admission = createAdmission(store, metrics.oauthLimited, options.limitsNow);
  const documents = createClientDocuments({
    store,
    admission,
    hosts: config.OAUTH_CLIENT_HOSTS,
    fetchDocument: options.fetchDocument?.(publicFetch.fetch) ?? publicFetch.fetch,
    failureLifeMs: options.documentLife?.failureMs ?? FAILURE_LIFE_MS,
  });
  const provider = new Provider(
    publicUrl,
    configurationOf({
      publicUrl,
      mcpUrl,
      keys,
      redirectSchemes: config.OAUTH_REDIRECT_SCHEMES,
      clientHosts: config.OAUTH_CLIENT_HOSTS,
      store,
      metrics,
      endGrant,
      documents,
      documentLife: options.documentLife ?? DOCUMENT_LIFE,
    }),
  );
  const { registration: registrationKeys } = oauthKeysOf(keys);
  adaptProvider(provider, { store, documents, admission, publicUrl, mcpUrl, registrationKeys });
  return {
    publicUrl,
    mcpUrl,
    provider,
    store,
    endGrant,
    admission,
    faulted: metrics.faulted,
    async close() {
      await publicFetch.close();
      await store.close();
    },
  };
};
