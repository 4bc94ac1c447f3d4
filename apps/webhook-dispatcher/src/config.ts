import { outboundModes } from '@chairside/domain';
import { mailSettings, requireWithMail } from '@chairside/mail';
import { checkConnectionString, checkVaultUrl } from '@chairside/mongodb';
import { LONGEST_PAUSE_MS } from '@chairside/mongodb/dispatch';
import { certificateFile } from '@chairside/network';
import {
  bindAddress,
  checkedBy,
  type Environment,
  port,
  readSettings,
  sharedSettings,
  wholeNumber,
} from '@chairside/startup';
import { z } from 'zod';

const pause = wholeNumber('milliseconds', 0, LONGEST_PAUSE_MS);

const settings = z.object({
  ...sharedSettings,
  MONGODB_URL: sharedSettings.MONGODB_URL.superRefine(checkedBy(checkConnectionString)),
  VAULT_URL: sharedSettings.VAULT_URL.superRefine(checkedBy(checkVaultUrl)),
  WEBHOOK_CA_FILE: certificateFile
    .prefault('')
    .describe(
      'PEM file of certification authorities that may sign the certificates of receivers, besides the public ones',
    ),
  FAILING_PAUSE_MS: pause
    .prefault('1000')
    .describe(
      'Pause after the failure that slows a subscription down, in milliseconds. Each further pause is twice as long. 0 means no pauses',
    ),
  FAILING_PAUSE_MAX_MS: pause
    .prefault('60000')
    .describe('Longest pause between two attempts at a subscription that is slowed down, in milliseconds'),
  OUTBOUND: z
    .enum(outboundModes, { error: 'must be send, hold or off' })
    .default('send')
    .describe(
      'What happens to deliveries. `send`: they are sent. `hold`: they wait until `chairside-admin outbound release`. `off`: they are skipped, for copies of production. See [levers](operation/levers.md#holding-all-webhooks)',
    ),
  ...mailSettings,
  HEALTH_HOST: bindAddress.default('127.0.0.1').describe('Bind address of the health and metrics endpoints'),
  HEALTH_PORT: port
    .prefault('3001')
    .describe('Port of the health and metrics endpoints. 0 lets the system choose one'),
});
/** Every setting of the webhook-dispatcher; each description is a row of docs/configuration.md. */
export const configSchema = requireWithMail(settings, ['MAIL_FROM', 'DASHBOARD_URL']);
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} that lists every invalid setting */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
