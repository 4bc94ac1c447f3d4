import { type Environment, port, readSettings, sharedSettings } from '@chairside/domain';
import { z } from 'zod';

const trustProxy = z.string().transform((value) => {
  const proxies = value.split(',').map((entry) => entry.trim());
  return proxies[0] === '' ? false : proxies;
});

const origins = z.string().transform((value, context) => {
  const list = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const isOrigin = (entry: string) => URL.canParse(entry) && new URL(entry).origin === entry;
  if (list.every(isOrigin)) return list;
  context.addIssue({
    code: 'custom',
    message: 'must be origins such as https://app.example.com, separated by commas, without a path',
  });
  return z.NEVER;
});

/** What EVENT_BYTES_PER_MINUTE is unless it is set: 64 MiB. */
export const DEFAULT_EVENT_BYTES = 67_108_864;

/** Every setting of the api; each description is a line of the table in the README. */
export const configSchema = z.object({
  ...sharedSettings,
  HOST: z.string().default('127.0.0.1').describe('Address the api listens on'),
  PORT: port.default(3000).describe('Port the api listens on; 0 takes any free one'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address on which the api tells its metrics'),
  METRICS_PORT: port.default(3003).describe('Port on which the api tells its metrics; 0 takes any free one'),
  EVENT_BYTES_PER_MINUTE: z.coerce
    .number({ error: 'must be a number of bytes' })
    .int('must be a whole number of bytes')
    .min(1_048_576, 'must be at least 1048576')
    .default(DEFAULT_EVENT_BYTES)
    .describe('Bytes of event bodies that the writes of one organization may make in a minute'),
  MONGODB_TIMEOUT_MS: z.coerce
    .number({ error: 'must be a number of milliseconds' })
    .int('must be a whole number of milliseconds')
    .min(100, 'must be at least 100')
    .max(60_000, 'must be at most 60000')
    .default(950)
    .describe(
      'Milliseconds before an operation in the database times out; it is tried twice if the database is silent',
    ),
  CORS_ORIGINS: origins
    .prefault('')
    .describe('Origins, separated by commas, whose scripts may call the api from a browser'),
  TRUST_PROXY: trustProxy
    .prefault('')
    .describe(
      'Addresses or networks, separated by commas, of the proxies whose `X-Forwarded-For` says who calls',
    ),
});
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} that names every problem at once */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
