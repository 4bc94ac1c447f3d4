import type { Command } from 'commander';
import { openClient } from '../access/open-client.ts';
import { addValueOptions, printValue, type ValueOptions } from '../output/value.ts';

/** How long the service may take for an export, which can be long. */
const TIMEOUT_MS = 600_000;

/** Adds `patients export`. Nothing is printed before the export is complete. */
export const addExport = (patients: Command): void => {
  const command = patients
    .command('export <id>')
    .description('Print what is stored about a patient, and who has read it. It needs an administrator');
  addValueOptions(command).action(async (id: string, options: ValueOptions) => {
    const client = await openClient(command, 'operator');
    await printValue(await client.patients.export(id, { timeout: TIMEOUT_MS }), options);
  });
};
