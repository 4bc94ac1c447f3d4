import {
  bindAddress,
  certificateFile,
  checkedBy,
  type Environment,
  port,
  readSettings,
  sharedSettings,
} from '@chairside/domain';
import { checkConnectionString } from '@chairside/mongodb';
import { z } from 'zod';

/** Every setting of the webhook-dispatcher; each description is a line of the table in the README. */
export const configSchema = z.object({
  ...sharedSettings,
  MONGODB_URL: sharedSettings.MONGODB_URL.superRefine(checkedBy(checkConnectionString)),
  WEBHOOK_CA_FILE: certificateFile
    .prefault('')
    .describe('File of certificates in PEM that receivers may be signed by besides the public ones'),
  HEALTH_HOST: bindAddress
    .default('127.0.0.1')
    .describe('Address on which the dispatcher tells its health and its metrics'),
  HEALTH_PORT: port
    .prefault('3001')
    .describe('Port on which the dispatcher tells its health; 0 takes any free one'),
});
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} that names every problem at once */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
