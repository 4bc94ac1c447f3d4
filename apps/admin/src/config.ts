import { mailSettings, requireWithMail } from '@chairside/mail';
import { checkConnectionString, checkVaultUrl } from '@chairside/mongodb';
import { checkedBy, type Environment, oauthKeys, readSettings, sharedSettings } from '@chairside/startup';
import { z } from 'zod';

/**
 * The settings of the services that the command line needs. Only `doctor` uses Redis, the keys of the dashboard and mail, and
 * only `operator invite` the address of the dashboard.
 */
const settings = z.object({
  MONGODB_URL: sharedSettings.MONGODB_URL.superRefine(checkedBy(checkConnectionString)),
  ENCRYPTION_KEYS: sharedSettings.ENCRYPTION_KEYS,
  VAULT_URL: sharedSettings.VAULT_URL.superRefine(checkedBy(checkVaultUrl)),
  AUDIT_RETENTION_DAYS: sharedSettings.AUDIT_RETENTION_DAYS,
  OAUTH_KEYS: oauthKeys,
  REDIS_URL: sharedSettings.REDIS_URL.optional(),
  REDIS_CA_FILE: sharedSettings.REDIS_CA_FILE,
  REDIS_PREFIX: sharedSettings.REDIS_PREFIX,
  DASHBOARD_URL: sharedSettings.DASHBOARD_URL,
  ...mailSettings,
});
export const configSchema = requireWithMail(settings, ['MAIL_FROM']);
export type Config = z.output<typeof configSchema>;

/** @throws {SettingsError} that names every invalid setting */
export const readConfig = (environment: Environment = process.env): Config =>
  readSettings(configSchema, environment);
