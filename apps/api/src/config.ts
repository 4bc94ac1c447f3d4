import { checkConnectionString, checkVaultUrl } from '@chairside/mongodb';
import {
  bindAddress,
  checkedBy,
  type Environment,
  listOf,
  port,
  readSettings,
  sharedSecrets,
  sharedSettings,
  trustedProxies,
  wholeNumber,
} from '@chairside/startup';
import { z } from 'zod';

const origins = listOf(
  (entry) => URL.canParse(entry) && new URL(entry).origin === entry,
  'must be origins such as https://app.example.com, separated by commas, without a path',
);

/** The default of EVENT_BYTES_PER_MINUTE: 64 MiB. */
export const DEFAULT_EVENT_BYTES = 67_108_864;

/** Every setting of the api; each description is a row of docs/configuration.md. */
export const configSchema = z.object({
  ...sharedSettings,
  MONGODB_URL: sharedSettings.MONGODB_URL.superRefine(checkedBy(checkConnectionString)),
  VAULT_URL: sharedSettings.VAULT_URL.superRefine(checkedBy(checkVaultUrl)),
  HOST: bindAddress.default('127.0.0.1').describe('Bind address of the api'),
  PORT: port.prefault('3000').describe('Port of the api. 0 lets the system choose one'),
  METRICS_HOST: bindAddress.default('127.0.0.1').describe('Bind address of the metrics endpoint'),
  METRICS_PORT: port.prefault('3003').describe('Port of the metrics endpoint. 0 lets the system choose one'),
  EVENT_BYTES_PER_MINUTE: wholeNumber('bytes', 1_048_576, 1_099_511_627_776)
    .prefault(String(DEFAULT_EVENT_BYTES))
    .describe('Limit on the event bodies that the writes of one organization produce in a minute, in bytes'),
  MONGODB_TIMEOUT_MS: wholeNumber('milliseconds', 100, 60_000)
    .prefault('950')
    .describe(
      'Timeout of a database operation, in milliseconds. If the database does not respond, the driver retries once',
    ),
  CORS_ORIGINS: origins
    .prefault('')
    .describe('Origins, separated by commas, whose scripts may call the api from a browser (CORS)'),
  TRUST_PROXY: trustedProxies,
  PROXY_SECRET: sharedSecrets
    .prefault('')
    .describe(
      'Secret of at least 32 characters. The api trusts the `X-Forwarded-For` of the dashboard, because the dashboard sends this secret. While you change it, set both secrets, separated by a comma: see [rotate](operation/rotate.md#the-secret-of-the-dashboard)',
    ),
});
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} listing every invalid setting */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
