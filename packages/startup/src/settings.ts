import { isIP } from 'node:net';
import { allowedNetworks, DEFAULT_AUDIT_RETENTION_DAYS, isNetwork, ServiceError } from '@chairside/domain';
import { certificateFile, parseRedisUrl } from '@chairside/network';
import { z } from 'zod';
import { hasUniqueKeyIds, isKeyList, KEY_LIST_FORM } from './key-list.ts';
import { tracingSettings } from './tracing-settings.ts';

/** Environment variables, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A host name (RFC 1123). Its last label must not be a number, because `256.1.1.1` is an invalid address, not a name.
 */
const HOST_NAME =
  /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)*(?!\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i;

/**
 * Turns a check of a string into a refinement of a setting.
 *
 * @param check throws an error whose message says what the setting must be, without its value
 */
export const checkedBy =
  (check: (value: string) => unknown) => (value: string, context: z.RefinementCtx<string>) => {
    try {
      check(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  };

/**
 * A setting that is a number in decimal digits.
 *
 * @param unit the unit of the number, for the error message
 */
export const wholeNumber = (unit: string, minimum: number, maximum: number) => {
  const error = `must be a whole number of ${unit} from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, error);
};

/** A setting that is a TCP port; 0 lets the system choose one. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port from 0 to 65535');

/** A setting that is an IP address or a host name (RFC 952 and RFC 1123, 2.1). */
export const bindAddress = z
  .string()
  .refine(
    (value) => isIP(value) !== 0 || HOST_NAME.test(value),
    'must be an IP address or a host name, for example 127.0.0.1 or localhost',
  );

/**
 * A setting that is a list of entries, separated by commas.
 *
 * @param problem what the entries must be, for the error message
 */
export const listOf = (isEntry: (entry: string) => boolean, problem: string) =>
  z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .refine((entries) => entries.every(isEntry), { error: problem, abort: true });

/** The names of networks that proxy-addr accepts. Fastify uses proxy-addr to evaluate `trustProxy`. */
const NAMED_NETWORKS: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** The setting that becomes the option `trustProxy` of a Fastify server. */
export const trustedProxies = listOf(
  (entry) => isIP(entry) !== 0 || isNetwork(entry) || NAMED_NETWORKS.includes(entry),
  `must be IP addresses, networks such as 10.0.0.0/8, or ${NAMED_NETWORKS.join(', ')}, separated by commas`,
)
  .prefault('')
  .describe('Addresses or networks, separated by commas, of the proxies whose `X-Forwarded-For` is trusted');

/**
 * A setting with the secret that a client and its server share, such as PROXY_SECRET: printable ASCII without spaces
 * and commas. During a rotation, a comma separates the new secret from the old one. The client sends the first secret,
 * and the server accepts both.
 */
export const sharedSecrets = listOf(
  (entry) => /^[!-+\--~]{32,256}$/.test(entry),
  'must be one or two secrets of 32 to 256 printable ASCII characters, separated by a comma: openssl rand -base64 32',
).refine((entries) => entries.length <= 2, 'must have at most two secrets, the new one and the old one');

const networks = listOf(
  isNetwork,
  'must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas',
).transform(allowedNetworks);

/** The setting `OAUTH_KEYS`, which is undefined if it is empty. */
export const oauthKeys = z
  .string()
  .refine((keys) => keys === '' || isKeyList(keys), `must be ${KEY_LIST_FORM}`)
  .refine(hasUniqueKeyIds, 'must not have two keys with the same id')
  .transform((keys) => keys || undefined)
  .prefault('');

const dashboardUrl = z
  .string()
  .refine(
    (value) => value === '' || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
    'must be a URL that starts with https:// or http://',
  )
  // In this form it is a valid header: without characters outside of ASCII, and without spaces and lines around it.
  .transform((value) => URL.parse(value)?.href);

/** The settings that api and webhook-dispatcher share. Each description is a row of docs/configuration.md. */
export const sharedSettings = {
  MONGODB_URL: z
    .string({ error: 'is required, for example mongodb://localhost:27017/chairside' })
    .regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://')
    .describe('Connection string of MongoDB. The path of the URL names the database (default `chairside`)'),
  REDIS_URL: z
    .string({ error: 'is required, for example redis://localhost:6379' })
    .superRefine(checkedBy(parseRedisUrl))
    .describe(
      'URL of Redis: `redis://`, `redis+sentinel://` or `redis+cluster://`; for TLS with `rediss` instead of `redis`. See [install](operation/install.md#redis)',
    ),
  REDIS_CA_FILE: certificateFile
    .prefault('')
    .describe('PEM file of certification authorities to trust for Redis, in addition to the public ones'),
  REDIS_PREFIX: z
    .string()
    .regex(/^[^{}]*\{[^{}]+\}/, 'must have a part in braces, for example {chairside}')
    .default('{chairside}')
    .describe('Prefix of every key in Redis. The braces keep all keys on one node of a cluster'),
  ENCRYPTION_KEYS: z
    .string({ error: `is required: ${KEY_LIST_FORM}` })
    .refine(isKeyList, `must be ${KEY_LIST_FORM}`)
    .refine(hasUniqueKeyIds, 'must not have two keys with the same id')
    .describe(
      'Encryption keys, as `id:base64,…` with 32 bytes for each key. The first key encrypts; all keys decrypt',
    ),
  VAULT_URL: z
    .string()
    .regex(/^(mongodb(\+srv)?:\/\/|$)/, 'must start with mongodb:// or mongodb+srv://')
    .prefault('')
    .describe(
      'Connection string of a second database that has only the data keys (default name `chairside-vault`), which you back up apart from the first. See [the vault](operation/backup.md#the-vault). Without it, the data keys are stored in the first database',
    ),
  WEBHOOK_ALLOWED_NETWORKS: networks
    .prefault('')
    .describe(
      'Networks that webhooks may be sent to in addition to the public internet, in CIDR notation, separated by commas',
    ),
  DASHBOARD_URL: dashboardUrl
    .prefault('')
    .describe(
      'Address of the dashboard. The links of mails and invitations lead to it, passkeys belong to its host, `GET /dashboard` redirects to it, and `chairside open dashboard` opens it',
    ),
  AUDIT_RETENTION_DAYS: wholeNumber('days', 1, 36_500)
    .prefault(String(DEFAULT_AUDIT_RETENTION_DAYS))
    .describe('How long an audit entry is kept, in days'),
  INDEX_BUILD_MAX_DOCUMENTS: wholeNumber('documents', 0, 1_000_000_000_000)
    .prefault('100000')
    .describe(
      'Size of the largest collection, in documents, on which a starting process builds a missing index. If a larger one lacks an index, the process waits, not ready, until `chairside-admin indexes apply` has built it',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info')
    .describe('Least severe level that is logged'),
  ...tracingSettings,
};

/** Thrown when settings are invalid. The message has one line for each problem and contains no values. */
export class SettingsError extends ServiceError {
  override readonly name = 'SettingsError';
}

/**
 * Thrown when this version cannot work with the database. The message says what is wrong and what to do, and contains
 * no value of a record.
 */
export class UnusableDatabaseError extends ServiceError {
  override readonly name = 'UnusableDatabaseError';
}

const unusable = (problems: readonly string[]): string =>
  `The configuration is not valid:\n${problems.join('\n')}`;

/**
 * Reads settings from an environment. An empty variable counts as absent.
 *
 * @throws {SettingsError} that reports every problem at once
 */
export const readSettings = <S extends z.ZodType>(schema: S, environment: Environment): z.output<S> => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
  throw new SettingsError(unusable(problems));
};

/** The names of the settings that contain the bind address of a server. */
export type BindSettings = { host: string; port: string };

type ListenError = NodeJS.ErrnoException & { port?: number; address?: string };

/** The messages for system errors of `listen`, which name the settings to change. */
const BIND_PROBLEMS: Readonly<Record<string, (settings: BindSettings, error: ListenError) => string>> = {
  EADDRINUSE: ({ port: name }, { port: taken, address }) =>
    `  ${name} is taken: another program listens on port ${taken} of ${address}. Stop that program, or set ${name} to another port.`,
  EACCES: ({ port: name }, { port: denied }) =>
    `  ${name} is ${denied}, which this user may not listen on. Set ${name} to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }, { address }) =>
    `  ${host} is ${address}, which is not an address of this machine. Set ${host} to one of its addresses.`,
  ENOTFOUND: ({ host }) => `  ${host} is a name that has no address. Set ${host} to an IP address.`,
  EAI_AGAIN: ({ host }) => `  ${host} is a name that has no address. Set ${host} to an IP address.`,
};

/**
 * Waits until a server listens.
 *
 * @param settings the names of the settings that contain the bind address, for the error message
 * @throws {SettingsError} if the bind address is the cause of a failure; other errors are passed on
 */
export const untilBound = async (listening: Promise<unknown>, settings: BindSettings): Promise<void> => {
  try {
    await listening;
  } catch (error) {
    const problem = BIND_PROBLEMS[String((error as NodeJS.ErrnoException).code)];
    if (problem === undefined) throw error;
    throw new SettingsError(unusable([problem(settings, error as ListenError)]));
  }
};

/** Returns the message for a failed start if its cause is a setting or the database; otherwise undefined. */
export const startFailure = (error: unknown): string | undefined =>
  error instanceof SettingsError || error instanceof UnusableDatabaseError ? error.message : undefined;
