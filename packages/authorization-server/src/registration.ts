import { createHmac } from 'node:crypto';
import { CONNECTION_SCOPE } from '@chairside/domain';
import { acceptedSecrets } from '@chairside/http-server';
import { errors, type Provider, type ResponseType } from 'oidc-provider';

/** The scopes, grant types and response types that an app can have. */
export const SUPPORTED = {
  scopes: [CONNECTION_SCOPE, 'offline_access'],
  grantTypes: ['authorization_code', 'refresh_token'],
  responseTypes: ['code'] as ResponseType[],
};

type Metadata = Record<string, unknown>;

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The supported entries, or all of them if none is supported: then the library refuses the metadata and says why. */
const narrowedTo = (supported: readonly string[], value: unknown): unknown => {
  if (!Array.isArray(value)) return value;
  const kept = value.filter((each) => supported.includes(each));
  return kept.length > 0 ? [...new Set(kept)] : value;
};

/** The supported scopes; undefined without one. Each app gets the scope of the connector, whatever it asks for. */
const narrowedScope = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const kept = value.split(/\s+/).filter((scope) => SUPPORTED.scopes.includes(scope));
  return kept.length > 0 ? [...new Set(kept)].join(' ') : undefined;
};

/** Metadata about the identity of a person (OpenID Connect), which no app gets here. */
const OF_IDENTITY: readonly string[] = [
  'default_acr_values',
  'default_max_age',
  'id_token_signed_response_alg',
  'require_auth_time',
  'subject_type',
  'userinfo_signed_response_alg',
];

/**
 * The metadata of an app without what this server does not support, and without empty values. RFC 7591, 2 and 3.2.1: a
 * server may ignore or replace what a client asks for, and its response says what the client got.
 */
export const narrowed = (metadata: Metadata): Metadata => {
  const { scope, grant_types, response_types, ...others } = Object.fromEntries(
    Object.entries(metadata).filter(([name, value]) => !isEmpty(value) && !OF_IDENTITY.includes(name)),
  );
  const narrow = {
    scope: narrowedScope(scope),
    grant_types: narrowedTo(SUPPORTED.grantTypes, grant_types),
    response_types: narrowedTo(SUPPORTED.responseTypes as string[], response_types),
  };
  return {
    ...others,
    ...Object.fromEntries(Object.entries(narrow).filter(([, value]) => value !== undefined)),
  };
};

/**
 * Narrows metadata in JSON.
 *
 * @returns the same text if it is no JSON object: then the library refuses it
 */
export const narrowedText = (text: string): string => {
  try {
    const metadata: unknown = JSON.parse(text);
    const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
    return isObject ? JSON.stringify(narrowed(metadata as Metadata)) : text;
  } catch {
    return text;
  }
};

/** The tokens with which apps read their registration (RFC 7592). They are derived, so that none is stored. */
export const registrationTokens = (keys: readonly string[]) => {
  const tokenOf = (key: string, clientId: string): string =>
    createHmac('sha256', key).update(`registration ${clientId}`).digest('base64url');
  const [first = ''] = keys;
  return {
    of: (clientId: string): string => tokenOf(first, clientId),
    isOf: (clientId: string, token: string): boolean =>
      acceptedSecrets(keys.map((key) => tokenOf(key, clientId)))(token),
  };
};

/**
 * Lets an app read its registration with the token that it got (RFC 7592, 2.1). It cannot change it: it registers again.
 */
export const manageRegistrations = (
  provider: Provider,
  { path, publicUrl, keys }: { path: string; publicUrl: string; keys: readonly string[] },
): void => {
  const tokens = registrationTokens(keys);
  const access = (clientId: string) => ({
    registration_client_uri: `${publicUrl}${path}/${clientId}`,
    registration_access_token: tokens.of(clientId),
  });
  provider.use(async (ctx, next) => {
    if (ctx.method === 'GET' && ctx.path.startsWith(`${path}/`)) {
      const clientId = ctx.path.slice(path.length + 1);
      const [, token = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
      const client = tokens.isOf(clientId, token) ? await provider.Client.find(clientId) : undefined;
      ctx.set('Cache-Control', 'no-store');
      if (client === undefined) {
        const { error, error_description } = new errors.InvalidToken('no such registration');
        ctx.set('WWW-Authenticate', `Bearer realm="${publicUrl}", error="${error}"`);
        ctx.status = 401;
        ctx.body = { error, error_description };
        return;
      }
      ctx.body = { ...client.metadata(), ...access(clientId) };
      return;
    }
    await next();
    if (ctx.path !== path || ctx.status !== 201) return;
    const registered = ctx.body as { client_id: string };
    ctx.body = { ...registered, ...access(registered.client_id) };
  });
};
