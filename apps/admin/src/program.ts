import { VERSION } from '@chairside/startup';
import { Command } from 'commander';
import { addApiKeyCommands } from './api-keys.ts';
import { addClinicCommands } from './clinics.ts';
import { addDeliveryCommands } from './deliveries.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEncryptionCommands } from './encryption.ts';
import { addExportCommand } from './export.ts';
import { addHostCommands } from './hosts.ts';
import { addImportCommand } from './import.ts';
import { addIndexCommands } from './indexes.ts';
import { addOperatorCommands } from './operators.ts';
import { addOrganizationCommands } from './organizations.ts';
import { addOutboundCommands } from './outbound.ts';
import { addPatientCommands } from './patients.ts';
import { addProgramTokenCommands } from './program-tokens.ts';
import { addRestoreCommands } from './restores.ts';
import { addSessionCommands } from './sessions.ts';
import { addSubscriptionCommands } from './subscriptions.ts';
import { addTopCommand } from './top.ts';

const NOTES = `
Environment variables, as for the services: MONGODB_URL, ENCRYPTION_KEYS; VAULT_URL and AUDIT_RETENTION_DAYS, if set;
for doctor also REDIS_URL, REDIS_CA_FILE, REDIS_PREFIX and OAUTH_KEYS, if set; for doctor --mail MAIL_URL, MAIL_FROM and MAIL_CA_FILE;
for operator invite DASHBOARD_URL.
Exit codes: 0 done, 1 failed, 2 wrong usage. Secrets are printed once, to stdout, and are never logged.`;

/** Builds the command line. Its parser reports wrong usage on stderr and throws a CommanderError. */
export const buildProgram = (): Command => {
  const program = new Command('chairside-admin')
    .description(
      'Administers the Chairside database: organizations, operators, clinics, imports, exports and upkeep.',
    )
    .version(VERSION)
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', NOTES)
    .exitOverride();
  addOrganizationCommands(program);
  addOperatorCommands(program);
  addApiKeyCommands(program);
  addProgramTokenCommands(program);
  addSessionCommands(program);
  addClinicCommands(program);
  addSubscriptionCommands(program);
  addHostCommands(program);
  addOutboundCommands(program);
  addRestoreCommands(program);
  addDeliveryCommands(program);
  addImportCommand(program);
  addExportCommand(program);
  addPatientCommands(program);
  addIndexCommands(program);
  addEncryptionCommands(program);
  addTopCommand(program);
  addDoctorCommand(program);
  return program;
};
