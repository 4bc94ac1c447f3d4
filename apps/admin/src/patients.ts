import type { ErasureReport } from '@chairside/mongodb';
import type { Command } from 'commander';
import { type Answer, answers } from './command.ts';
import { AdminFailure } from './failure.ts';

type EraseOptions = { organization: string; keepBilling?: boolean; dryRun?: boolean };

const NOTES = `
Removes the patient with its appointments, invoices, payments and treatments, the bodies of all their events, and what
receivers answered to them. An audit entry with the ids stays. Nobody is sent an event: tell your partners yourself,
remove the patient from the system you import from, and mind that backups keep it for as long as you keep them.`;

const answerOf = (report: ErasureReport, isTrial: boolean): Answer => {
  const { patientId, records, events, deliveriesRemoved, deliveriesEmptied } = report;
  const perKind = Object.entries(records).map(([kind, count]) => `  ${count} × ${kind}`);
  return {
    result: { ...report, dryRun: isTrial },
    lines: [
      isTrial ? `This would go, of patient ${patientId}:` : `Patient ${patientId} is erased. Gone:`,
      ...perKind,
      `  ${events} × event`,
      `  ${deliveriesRemoved} × delivery that was not final`,
      `  ${deliveriesEmptied} × what a receiver answered`,
    ],
  };
};

export const addPatientCommands = (program: Command): void => {
  const patient = program.command('patient').description('one patient');
  const erase = patient
    .command('erase')
    .description('remove a patient everywhere, for good')
    .argument('<id>', 'our id of the patient (_id)')
    .requiredOption('--organization <id>', 'the organization')
    .option('--keep-billing', 'keep invoices and payments, with nothing of the patient but its id')
    .option('--dry-run', 'change nothing, tell what would go')
    .addHelpText('after', NOTES);
  answers(
    erase,
    async ({ administration, begin }, { organization, keepBilling, dryRun }: EraseOptions, id = '') => {
      const run = await begin(organization);
      const isTrial = dryRun === true;
      const report = await administration.erasePatient(run, id, {
        keepBilling: keepBilling === true,
        isTrial,
      });
      if (Object.keys(report.records).length + report.events === 0) {
        throw new AdminFailure(
          `There is nothing of a patient ${id} in this organization. Check the id, with: export patient`,
        );
      }
      return answerOf(report, isTrial);
    },
  );
};
