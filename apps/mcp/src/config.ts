import { checkConnectionString } from '@chairside/mongodb/schedule';
import { checkConnectorUrl, checkPublicOrigin } from '@chairside/network';
import {
  bindAddress,
  checkedBy,
  type Environment,
  port,
  readSettings,
  sharedSecrets,
  sharedSettings,
  trustedProxies,
  wholeNumber,
} from '@chairside/startup';
import { z } from 'zod';

const isWebUrl = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

/** Every setting of the connector; each description is a row of docs/configuration.md. */
export const configSchema = z.object({
  HOST: bindAddress.default('127.0.0.1').describe('Bind address of the connector'),
  PORT: port.prefault('3007').describe('Port of the connector. 0 lets the system choose one'),
  METRICS_HOST: bindAddress.default('127.0.0.1').describe('Bind address of the metrics endpoint'),
  METRICS_PORT: port.prefault('3008').describe('Port of the metrics endpoint. 0 lets the system choose one'),
  TRUST_PROXY: trustedProxies,
  MCP_URL: z
    .string({ error: 'is required, for example https://mcp.example.com/mcp' })
    .superRefine(checkedBy(checkConnectorUrl))
    .describe(
      'Address of the connector as people enter it in their assistant, with `/mcp`. It must begin with `https://`, unless it is an address of the same machine',
    ),
  AUTHORIZATION_SERVER_URL: z
    .string({ error: 'is required: the PUBLIC_URL of the dashboard' })
    .superRefine(checkedBy(checkPublicOrigin))
    .describe('`PUBLIC_URL` of the dashboard, where administrators connect an assistant'),
  INTROSPECTION_URL: z
    .string({ error: 'is required, for example http://127.0.0.1:3006/introspect' })
    .refine(isWebUrl, { error: 'must be a URL such as http://127.0.0.1:3006/introspect' })
    .describe(
      'Address at which the connector reaches the introspection endpoint of the dashboard, with `/introspect`. Requests contain the secret and access tokens, so use http in a private network only',
    ),
  INTROSPECTION_SECRET: z
    .string({
      error: 'is required: the value that the dashboard has, for example $(openssl rand -base64 32)',
    })
    .pipe(sharedSecrets)
    .describe(
      'Secret that the dashboard has too. If you set two secrets, separated by a comma, the connector sends the first. See [connector](connector.md#the-secret-of-the-connector)',
    ),
  MONGODB_URL: sharedSettings.MONGODB_URL.superRefine(checkedBy(checkConnectionString)).describe(
    'Connection string of MongoDB. Use a database user that can read nothing but the schedule: see [schedule](schedule.md#a-database-user-that-can-read-nothing-else)',
  ),
  MONGODB_TIMEOUT_MS: wholeNumber('milliseconds', 100, 60_000)
    .prefault('2000')
    .describe('Timeout of a database operation, in milliseconds'),
  REDIS_URL: sharedSettings.REDIS_URL,
  REDIS_CA_FILE: sharedSettings.REDIS_CA_FILE,
  REDIS_PREFIX: sharedSettings.REDIS_PREFIX,
  LOG_LEVEL: sharedSettings.LOG_LEVEL,
  OTEL_EXPORTER_OTLP_ENDPOINT: sharedSettings.OTEL_EXPORTER_OTLP_ENDPOINT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: sharedSettings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  OTEL_TRACES_EXPORTER: sharedSettings.OTEL_TRACES_EXPORTER,
  OTEL_SDK_DISABLED: sharedSettings.OTEL_SDK_DISABLED,
});
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} listing every invalid setting */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
