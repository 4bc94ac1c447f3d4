import { checkConnectionString } from '@chairside/mongodb/oauth';
import { checkConnectorUrl } from '@chairside/network';
import {
  bindAddress,
  checkedBy,
  listOf,
  oauthKeys,
  port,
  sharedSecrets,
  sharedSettings,
} from '@chairside/startup';
import { z } from 'zod';

/** The syntax of a scheme (RFC 3986, 3.1) of 2 to 40 characters, in lower case, as browsers write it. */
const SCHEME = /^[a-z][a-z\d+.-]{1,39}$/;
/** Schemes that OAUTH_REDIRECT_SCHEMES must not contain, because they do not belong to one app. */
const NOT_FOR_APPS: readonly string[] = [
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'ftp',
  'http',
  'https',
  'javascript',
  'mailto',
  'vbscript',
  'view-source',
  'ws',
  'wss',
];

const HOST = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/;

const absent = (value: string): boolean => value === '';
const orAbsent = (value: string): string | undefined => value || undefined;

/** The settings of the authorization server. It runs only if `MCP_URL` is set. */
export const oauthSettings = {
  MCP_URL: z
    .string()
    .superRefine(checkedBy((value) => absent(value) || checkConnectorUrl(value)))
    .transform(orAbsent)
    .prefault('')
    .describe(
      'Address of the [MCP connector](dashboard.md#connected-apps), as people enter it in their apps. If it is set, the dashboard is its OAuth 2.0 authorization server',
    ),
  MONGODB_URL: z
    .string()
    .refine((value) => absent(value) || /^mongodb(\+srv)?:\/\//.test(value), {
      error: 'must start with mongodb:// or mongodb+srv://',
      abort: true,
    })
    .superRefine(checkedBy((value) => absent(value) || checkConnectionString(value)))
    .transform(orAbsent)
    .prefault('')
    .describe(
      'Connection string of MongoDB, with a [database user for the dashboard only](operation/install.md#the-authorization-server). Required with `MCP_URL`',
    ),
  OAUTH_KEYS: oauthKeys.describe(
    'Keys of the authorization server, as `id:base64,…` with 32 bytes for each key. The first key signs and encrypts; all keys verify and decrypt. Required with `MCP_URL`',
  ),
  INTROSPECTION_HOST: bindAddress
    .default('127.0.0.1')
    .describe('Bind address of the introspection endpoint, which only the connector may reach'),
  INTROSPECTION_PORT: port
    .prefault('3006')
    .describe('Port of the introspection endpoint. 0 lets the system choose one'),
  INTROSPECTION_SECRET: sharedSecrets
    .prefault('')
    .describe(
      'Secret of at least 32 characters that the connector has too. While you change it, set both secrets, separated by a comma; the dashboard accepts both. Required with `MCP_URL`',
    ),
  OAUTH_REDIRECT_SCHEMES: listOf(
    (entry) => SCHEME.test(entry) && !NOT_FOR_APPS.includes(entry),
    'must be URL schemes of apps such as cursor, separated by commas',
  )
    .prefault('')
    .describe(
      'URL schemes, separated by commas, that apps may be redirected to besides https and addresses of the user’s own machine, such as `cursor`',
    ),
  OAUTH_CLIENT_HOSTS: listOf(
    (entry) => HOST.test(entry),
    'must be host names such as claude.ai, separated by commas',
  )
    .prefault('')
    .describe(
      'Hosts, separated by commas, whose apps may identify themselves with a document (client id metadata). Without this setting, the apps of every public host may do so',
    ),
  AUDIT_RETENTION_DAYS: sharedSettings.AUDIT_RETENTION_DAYS,
};

type OAuthSettings = {
  MCP_URL: string | undefined;
  MONGODB_URL: string | undefined;
  OAUTH_KEYS: string | undefined;
  INTROSPECTION_SECRET: readonly string[];
};

/** The settings of the authorization server when `MCP_URL` is set. */
export type OAuthConfig = Pick<
  z.output<z.ZodObject<typeof oauthSettings>>,
  'OAUTH_REDIRECT_SCHEMES' | 'OAUTH_CLIENT_HOSTS' | 'AUDIT_RETENTION_DAYS'
> & { PUBLIC_URL: string; MCP_URL: string; MONGODB_URL: string; OAUTH_KEYS: string };

/**
 * Adds the check that no required setting of the authorization server is missing. Missing settings are reported
 * together with all other problems.
 */
export const requireWithConnector = <S extends z.ZodType<OAuthSettings>>(schema: S): S =>
  (['MONGODB_URL', 'OAUTH_KEYS', 'INTROSPECTION_SECRET'] as const).reduce(
    (checked, name) =>
      checked.refine(({ MCP_URL, [name]: value }) => MCP_URL === undefined || (value?.length ?? 0) > 0, {
        path: [name],
        error: 'is required with MCP_URL',
        when: () => true,
      }),
    schema,
  );

/** The settings that the authorization server needs; undefined without `MCP_URL`. */
export const oauthConfigOf = <C extends OAuthSettings>(
  config: C,
): (C & { MCP_URL: string; MONGODB_URL: string; OAUTH_KEYS: string }) | undefined => {
  const { MCP_URL, MONGODB_URL, OAUTH_KEYS } = config;
  if (MCP_URL === undefined || MONGODB_URL === undefined || OAUTH_KEYS === undefined) return undefined;
  return { ...config, MCP_URL, MONGODB_URL, OAUTH_KEYS };
};
