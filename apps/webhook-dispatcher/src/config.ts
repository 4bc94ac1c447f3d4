import { checkConnectionString } from '@chairside/mongodb';
import {
  bindAddress,
  certificateFile,
  checkedBy,
  type Environment,
  port,
  readSettings,
  sharedSettings,
} from '@chairside/runtime';
import { z } from 'zod';

/** Every setting of the webhook-dispatcher; each description is a row of docs/configuration.md. */
export const configSchema = z.object({
  ...sharedSettings,
  MONGODB_URL: sharedSettings.MONGODB_URL.superRefine(checkedBy(checkConnectionString)),
  WEBHOOK_CA_FILE: certificateFile
    .prefault('')
    .describe(
      'PEM file of certification authorities that may sign the certificates of receivers, besides the public ones',
    ),
  HEALTH_HOST: bindAddress.default('127.0.0.1').describe('Bind address of the health and metrics endpoints'),
  HEALTH_PORT: port
    .prefault('3001')
    .describe('Port of the health and metrics endpoints. 0 lets the system choose one'),
});
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} that lists every invalid setting */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
