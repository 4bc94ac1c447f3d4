import {
  bindAddress,
  type Environment,
  port,
  proxySecrets,
  readSettings,
  sharedSettings,
  trustedProxies,
} from '@chairside/runtime';
import { z } from 'zod';
import { oauthSettings, requireWithConnector } from './oauth/settings.ts';

const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

const isOrigin = (value: string): boolean => URL.canParse(value) && new URL(value).origin === value;

/** Whether a browser may keep cookies of this origin without TLS: nobody can listen on a loopback connection. */
const isLoopback = (origin: string): boolean => LOOPBACK_HOSTS.includes(new URL(origin).hostname);

const publicUrl = z
  .string({ error: 'is required, for example https://dashboard.example.com' })
  .refine(isOrigin, {
    error:
      'must be an origin such as https://dashboard.example.com, without a path and without a slash at the end',
    abort: true,
  })
  .refine((value) => value.startsWith('https://') || isLoopback(value), {
    error:
      'must start with https://. Only an address of this machine, such as http://127.0.0.1:3004, may use http',
  });

/** Every setting of the dashboard; each description is a row of docs/configuration.md. */
export const configSchema = requireWithConnector(
  z.object({
    HOST: bindAddress.default('127.0.0.1').describe('Bind address of the dashboard'),
    PORT: port.prefault('3004').describe('Port of the dashboard. 0 lets the system choose one'),
    METRICS_HOST: bindAddress.default('127.0.0.1').describe('Bind address of the metrics endpoint'),
    METRICS_PORT: port
      .prefault('3005')
      .describe('Port of the metrics endpoint. 0 lets the system choose one'),
    PUBLIC_URL: publicUrl.describe(
      'Origin under which browsers reach the dashboard. https, except for an address of the same machine',
    ),
    API_URL: z
      .string({ error: 'is required, for example http://127.0.0.1:3000' })
      .refine((value) => isOrigin(value) && /^https?:/.test(value), {
        error:
          'must be an origin such as http://127.0.0.1:3000, without a path and without a slash at the end',
      })
      .describe('Origin of the api, as the dashboard reaches it'),
    PROXY_SECRET: z
      .string({ error: 'is required: the value that the api has, for example $(openssl rand -base64 32)' })
      .pipe(proxySecrets)
      .describe(
        'Secret that the api has too. Two, separated by a comma, while you change it: the first is sent. [operation](operation.md#the-secret-of-the-dashboard)',
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
