import type { ErasureReport } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { type Output, runs, withAuthor } from './command.ts';
import { AdminFailure } from './failure.ts';

type EraseOptions = { organization: string; keepBilling?: boolean; dryRun?: boolean };

const NOTES = `
Removes the patient with its appointments, invoices, payments and treatments, the bodies of all their events, and the
receivers' responses to them. Practice settings stay: they contain no data of patients. An audit entry with the ids stays. No event is sent: inform your partners yourself, and
remove the patient from the system that you import from. Backups contain the patient for as long as you keep them.`;

const outputOf = (report: ErasureReport, isTrial: boolean): Output => {
  const { patientId, records, events, deliveriesRemoved, deliveriesEmptied } = report;
  const perKind = Object.entries(records).map(([kind, count]) => `  ${count} × ${kind}`);
  return {
    result: { ...report, dryRun: isTrial },
    lines: [
      isTrial ? `Would be erased for patient ${patientId}:` : `Patient ${patientId} is erased. Removed:`,
      ...perKind,
      `  ${events} × event`,
      `  ${deliveriesRemoved} × delivery that was not final`,
      `  ${deliveriesEmptied} × response of a receiver`,
    ],
  };
};

export const addPatientCommands = (program: Command): void => {
  const patient = program.command('patient').description('erase a patient');
  const erase = patient
    .command('erase')
    .description('erase a patient permanently')
    .argument('<id>', 'id of the patient (_id)')
    .requiredOption('--organization <id>', 'id of the organization')
    .option('--keep-billing', 'keep invoices and payments, with only the id of the patient')
    .option('--dry-run', 'change nothing, print what would be erased')
    .addHelpText('after', NOTES);
  runs(
    withAuthor(erase),
    async ({ administration, begin }, { organization, keepBilling, dryRun }: EraseOptions, id = '') => {
      const run = await begin(organization);
      const isTrial = dryRun === true;
      const report = await administration.erasePatient(run, id, {
        keepBilling: keepBilling === true,
        isTrial,
      });
      if (Object.keys(report.records).length + report.events === 0) {
        throw new AdminFailure(
          `This organization has no data of a patient ${id}. Check the id with: export patient`,
        );
      }
      return outputOf(report, isTrial);
    },
  );
};
