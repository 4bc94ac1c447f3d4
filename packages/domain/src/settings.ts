import { z } from 'zod';
import { DEFAULT_AUDIT_RETENTION_DAYS } from './audit-entry.ts';
import { allowedNetworks } from './public-address.ts';
import { parseRedisUrl } from './redis-url.ts';
import { tracingSettings } from './tracing.ts';
import { certificateFile } from './trust.ts';

/** An environment: what `process.env` is. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Says the problem of a setting as `check` words it, and nothing of its value. */
const checkedBy =
  (check: (value: string) => unknown) => (value: string, context: z.RefinementCtx<string>) => {
    try {
      check(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  };

/** A TCP port as a setting. */
export const port = z.coerce
  .number({ error: 'must be a port number' })
  .int('must be a whole number')
  .min(0, 'must be 0 or more (0 takes any free port)')
  .max(65_535, 'must be at most 65535');

/** Networks in CIDR notation, separated by commas. */
const networks = z
  .string()
  .transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
  .transform((cidrs, context) => {
    try {
      return allowedNetworks(cidrs);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const ENCRYPTION_KEYS_FORM = 'id:base64,… with 32 bytes each, for example 1:$(openssl rand -base64 32)';

/** What api and webhook-dispatcher have in common. Each description is a line of the table in the README. */
export const sharedSettings = {
  MONGODB_URL: z
    .string({ error: 'is required, for example mongodb://localhost:27017/chairside' })
    .regex(/^mongodb(\+srv)?:\/\//, 'must start with mongodb:// or mongodb+srv://')
    .describe('Connection string; its path names the database (default `chairside`)'),
  REDIS_URL: z
    .string({ error: 'is required, for example redis://localhost:6379' })
    .superRefine(checkedBy(parseRedisUrl))
    .describe(
      'Redis; `redis+sentinel://`, `redis+cluster://`, and `rediss` for TLS: [operation](docs/operation.md)',
    ),
  REDIS_CA_FILE: certificateFile
    .prefault('')
    .describe('File of certificates in PEM that Redis may be signed by besides the public ones'),
  REDIS_PREFIX: z
    .string()
    .regex(/^[^{}]*\{[^{}]+\}/, 'must have a part in braces, for example {chairside}')
    .default('{chairside}')
    .describe('First part of every key in Redis; the braces keep a queue on one node of a cluster'),
  ENCRYPTION_KEYS: z
    .string({ error: `is required: ${ENCRYPTION_KEYS_FORM}` })
    .regex(
      /^[\w-]{1,32}:[A-Za-z0-9+/]{43}=(,[\w-]{1,32}:[A-Za-z0-9+/]{43}=)*$/,
      `must be ${ENCRYPTION_KEYS_FORM}`,
    )
    .refine((keys) => {
      const ids = keys.split(',').map((entry) => entry.split(':')[0]);
      return new Set(ids).size === ids.length;
    }, 'must not have two keys with one id')
    .describe('`id:base64,…`, 32 bytes each; the first encrypts, all decrypt'),
  WEBHOOK_ALLOWED_NETWORKS: networks
    .prefault('')
    .describe(
      'Networks in CIDR notation, separated by commas, to which webhooks may go besides the public internet',
    ),
  AUDIT_RETENTION_DAYS: z.coerce
    .number({ error: 'must be a number of days' })
    .int('must be a whole number of days')
    .min(1, 'must be at least 1')
    .max(36_500, 'must be at most 36500')
    .default(DEFAULT_AUDIT_RETENTION_DAYS)
    .describe('Days that an audit entry is kept from the time it is written'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info')
    .describe('Least severe level that is logged'),
  ...tracingSettings,
};

/** Settings that cannot be used. The message has a line for each problem and no value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** A database that this version cannot work with. The message says what is wrong and what to do; it has no value of a record. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError';
}

/**
 * Reads settings from an environment; an empty variable counts as absent.
 *
 * @throws {SettingsError} that names every problem at once
 */
export const readSettings = <S extends z.ZodType>(schema: S, environment: Environment): z.output<S> => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
  throw new SettingsError(`The configuration cannot be used:\n${problems.join('\n')}`);
};

/**
 * What an operator can do about a process that did not start, in one sentence for each problem;
 * undefined for a fault that is not his.
 */
export const startFailure = (error: unknown): string | undefined => {
  if (error instanceof SettingsError || error instanceof UnusableDatabaseError) return error.message;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is taken. Stop what listens there, or set another port.`;
  if (code === 'EACCES') return `Port ${port} may not be used by this user. Set a port above 1023.`;
  if (code === 'EADDRNOTAVAIL')
    return `${address} is not an address of this machine. Set another one to listen on.`;
  return undefined;
};
