import { oauthSettings, requireWithConnector } from '@chairside/authorization-server';
import { checkPublicOrigin, isOrigin } from '@chairside/network';
import {
  bindAddress,
  checkedBy,
  type Environment,
  port,
  readSettings,
  sharedSecrets,
  sharedSettings,
  trustedProxies,
} from '@chairside/startup';
import { z } from 'zod';

/** Every setting of the dashboard; each description is a row of docs/configuration.md. */
export const configSchema = requireWithConnector(
  z.object({
    HOST: bindAddress.default('127.0.0.1').describe('Bind address of the dashboard'),
    PORT: port.prefault('3004').describe('Port of the dashboard. 0 lets the system choose one'),
    METRICS_HOST: bindAddress.default('127.0.0.1').describe('Bind address of the metrics endpoint'),
    METRICS_PORT: port
      .prefault('3005')
      .describe('Port of the metrics endpoint. 0 lets the system choose one'),
    PUBLIC_URL: z
      .string({ error: 'is required, for example https://dashboard.example.com' })
      .superRefine(checkedBy(checkPublicOrigin))
      .describe(
        'Origin under which browsers reach the dashboard. It must begin with `https://`, unless it is an address of the same machine',
      ),
    API_URL: z
      .string({ error: 'is required, for example http://127.0.0.1:3000' })
      .refine(
        isOrigin,
        'must be an origin such as http://127.0.0.1:3000, without a path and without a slash at the end',
      )
      .describe('Origin at which the dashboard reaches the api'),
    PROXY_SECRET: z
      .string({ error: 'is required: the value that the api has, for example $(openssl rand -base64 32)' })
      .pipe(sharedSecrets)
      .describe(
        'Secret that the api has too. While you change it, set both secrets, separated by a comma; the dashboard sends the first. See [rotate](operation/rotate.md#the-secret-of-the-dashboard)',
      ),
    TRUST_PROXY: trustedProxies,
    LOG_LEVEL: sharedSettings.LOG_LEVEL,
    ...oauthSettings,
  }),
);
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} listing every invalid setting */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
