import { CONNECTION_SCOPE } from '@chairside/domain';
import type { OAuthStore } from '@chairside/mongodb/oauth';
import { type ClientMetadata, type Configuration, errors, interactionPolicy } from 'oidc-provider';
import { findAccountWith, type GrantAccount } from './account.ts';
import { adapterOf } from './adapter.ts';
import { type ClientDocuments, isAllowedHost } from './client-documents.ts';
import type { EndGrant } from './ended-grants.ts';
import { renderError } from './error-page.ts';
import { oauthKeysOf } from './keys.ts';
import type { AuthorizationMetrics } from './metrics.ts';
import { redirectProblem } from './redirects.ts';
import { SUPPORTED } from './registration.ts';
import { canonicalResource } from './resource.ts';

/** How an authorization code is returned to the app: in the query of the redirect address. */
export const RESPONSE_MODE = 'query';

export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  consent: '/oauth/consent',
} as const;

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
/** The lifetime of each kind of object, in seconds. */
const LIVES = {
  // Hosts of assistants fail to refresh. Each call of the connector is checked, so a connection still ends at the next call.
  AccessToken: 8 * 60 * MINUTE,
  AuthorizationCode: MINUTE,
  // The store sets the actual end of a grant, and each new token extends it.
  Grant: 3650 * DAY,
  IdToken: MINUTE,
  Interaction: 30 * MINUTE,
  // A grant also ends if its refresh token is not used for this time.
  RefreshToken: 30 * DAY,
  Session: MINUTE,
};
/** The maximum length of an app's name, in characters. */
const MAX_NAME_LENGTH = 100;
/**
 * How long a client's document is cached at least and at most, in seconds. A change to the document takes effect when
 * it is fetched again.
 */
export const DOCUMENT_LIFE = { min: 30, max: 10 * MINUTE };

/** The parts from which the configuration of oidc-provider is built. */
export type ProviderParts = {
  publicUrl: string;
  mcpUrl: string;
  /** The value of OAUTH_KEYS. */
  keys: string;
  redirectSchemes: readonly string[];
  clientHosts: readonly string[];
  store: OAuthStore;
  metrics: Pick<AuthorizationMetrics, 'clientRegistered'>;
  endGrant: EndGrant;
  documents: Pick<ClientDocuments, 'mayFetch' | 'fetch'>;
  documentLife: { min: number; max: number };
};

/**
 * The names of the cookies. Over https, they have the prefix `__Secure-`: browsers accept it only for cookies that were
 * set over https (RFC 6265bis, 4.1.3.1).
 */
export const cookieNames = (publicUrl: string) => {
  const prefix = publicUrl.startsWith('https://') ? '__Secure-' : '';
  return {
    session: `${prefix}chairside-oauth`,
    interaction: `${prefix}chairside-oauth-interaction`,
    resume: `${prefix}chairside-oauth-resume`,
  };
};

/** Every authorization asks for consent, even if the same app was connected before. */
const policy = () => {
  const { Prompt, Check } = interactionPolicy;
  const isUnanswered = (
    ctx: { oidc: { result?: { consent?: unknown; login?: unknown } | undefined } },
    part: 'consent' | 'login',
  ) => (ctx.oidc.result?.[part] === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT);
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('operator', 'an administrator must sign in', 'login_required', (ctx) =>
        isUnanswered(ctx, 'login'),
      ),
    ),
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('consent', 'an administrator must consent', 'consent_required', (ctx) => {
        // The operator has decided, but the grant has ended: for example, the browser did not return to the app in
        // time.
        if (ctx.oidc.result?.login !== undefined && ctx.oidc.account === undefined)
          throw new errors.AccessDenied('The grant has ended. Start again in the app.');
        return isUnanswered(ctx, 'consent');
      }),
    ),
  ];
};

/**
 * Makes the checks that oidc-provider does not make. It runs when a client registers, and each time a client or its
 * document is read.
 */
const checkClient = (metadata: ClientMetadata, redirectSchemes: readonly string[]): void => {
  const problem = redirectProblem(metadata.redirect_uris ?? [], redirectSchemes);
  if (problem !== undefined) throw new errors.InvalidClientMetadata(`redirect_uris ${problem}`);
  const { client_name: name } = metadata;
  const isName =
    name === undefined ||
    (typeof name === 'string' && name.length <= MAX_NAME_LENGTH && !/\p{C}/u.test(name));
  if (!isName)
    throw new errors.InvalidClientMetadata(
      `client_name must have at most ${MAX_NAME_LENGTH} characters, and no control characters`,
    );
  // Native clients may be redirected to any port of the user's own machine (RFC 8252, 7.3). The type is set here,
  // because the documents of some native programs do not declare it.
  metadata.application_type = 'native';
};

/** The features of oidc-provider. Every feature that is not needed is disabled. */
const featuresOf = ({
  mcpUrl,
  clientHosts,
  documents,
  documentLife,
}: ProviderParts): NonNullable<Configuration['features']> => ({
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  dPoP: { enabled: false },
  // A separate server offers the introspection endpoint: see introspection.ts.
  introspection: { enabled: false },
  revocation: {
    enabled: true,
    allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
  },
  registration: { enabled: true, issueRegistrationAccessToken: false },
  clientIdMetadataDocument: {
    enabled: true,
    ack: 'draft-02',
    cacheDuration: documentLife,
    allowFetch: (_ctx, clientId) => documents.mayFetch(clientId),
    allowClient: (_ctx, { clientId }) => isAllowedHost(clientId, clientHosts),
  },
  resourceIndicators: {
    enabled: true,
    defaultResource: (_ctx, _client, oneOf) => (Array.isArray(oneOf) ? (oneOf[0] ?? mcpUrl) : mcpUrl),
    useGrantedResource: () => true,
    getResourceServerInfo(_ctx, resource) {
      if (canonicalResource(resource, mcpUrl) !== mcpUrl) throw new errors.InvalidTarget();
      return {
        scope: CONNECTION_SCOPE,
        audience: mcpUrl,
        accessTokenTTL: LIVES.AccessToken,
        accessTokenFormat: 'opaque',
      };
    },
  },
});

/** The configuration of oidc-provider. */
export const configurationOf = (parts: ProviderParts): Configuration => {
  const { publicUrl, keys, redirectSchemes, store, endGrant, documents } = parts;
  const { cookies, signing } = oauthKeysOf(keys);
  const cookieOptions = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    adapter: adapterOf(store, parts),
    findAccount: findAccountWith(store, endGrant),
    // Each consent creates a grant of its own, so an earlier grant is never reused.
    async loadExistingGrant({ oidc }) {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${PATHS.consent}/${uid}` },
    jwks: { keys: signing },
    cookies: { keys: cookies, names: cookieNames(publicUrl), long: cookieOptions, short: cookieOptions },
    scopes: SUPPORTED.scopes,
    // RFC 9728, section 4. The page Connected apps shows this address, too.
    discovery: { protected_resources: [parts.mcpUrl] },
    responseTypes: SUPPORTED.responseTypes,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      application_type: 'native',
      grant_types: SUPPORTED.grantTypes,
      response_types: SUPPORTED.responseTypes,
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    pkce: { required: () => true },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    // oidc-provider stores no session: see adapter.ts.
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    allowOmittingSingleRegisteredRedirectUri: false,
    enableHttpPostMethods: false,
    // Tokens are for programs on servers and computers, not for pages of other origins.
    clientBasedCORS: () => false,
    clockTolerance: 0,
    extraTokenClaims: async ({ oidc }) => {
      const { organizationId } = (oidc.entities.Account ?? {}) as Partial<GrantAccount>;
      return { ...(organizationId !== undefined && { organization_id: organizationId }) };
    },
    extraClientMetadata: {
      // The library calls `validator` once for each property in this list, and never for an empty list. No client has
      // this property. It only makes the library call `checkClient`, which checks the standard properties.
      properties: ['chairside_policy'],
      validator: (_ctx, _key, _value, metadata) => checkClient(metadata, redirectSchemes),
    },
    // No client needs a sector identifier, and fetching one would mean one more outgoing request.
    sectorIdentifierUriValidate: () => false,
    fetch: documents.fetch,
    features: featuresOf(parts),
    renderError,
    routes: {
      authorization: PATHS.authorization,
      token: PATHS.token,
      registration: PATHS.registration,
      revocation: PATHS.revocation,
      jwks: PATHS.jwks,
    },
    ttl: LIVES,
  };
};
