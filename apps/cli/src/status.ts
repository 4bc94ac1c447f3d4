import type { Command } from 'commander';
import { openClient } from './access/open-client.ts';
import { addOutputOptions, type OutputOptions, printRow } from './output/rows.ts';

/** Adds `status`, which shows the backlog of the organization, and whether an outage is declared. */
export const addStatusCommand = (program: Command): void => {
  const command = program
    .command('status')
    .description(
      'Show how many changed records and deliveries wait, and whether an outage of the service is declared',
    );
  addOutputOptions(command).action(async (options: OutputOptions) => {
    const client = await openClient(command, 'operator');
    await printRow({ ...(await client.serviceStatus()) }, options);
  });
};
