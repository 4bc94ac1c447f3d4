import { type Environment, port, readSettings, sharedSettings } from '@chairside/domain';
import { z } from 'zod';

const trustProxy = z.string().transform((value) => {
  const proxies = value.split(',').map((entry) => entry.trim());
  return proxies[0] === '' ? false : proxies;
});

/** Every setting of the api; each description is a line of the table in the README. */
export const configSchema = z.object({
  ...sharedSettings,
  HOST: z.string().default('127.0.0.1').describe('Address the api listens on'),
  PORT: port.default(3000).describe('Port the api listens on; 0 takes any free one'),
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
