import type { Command } from 'commander';
import { openClient } from '../access/open-client.ts';
import { addOutputOptions, type OutputOptions, printRow } from '../output/rows.ts';

const HELP = `
Examples:
  $ chairside hours get 01JB… --output json`;

/** Adds `hours get`. */
export const addHoursCommand = (program: Command): void => {
  const parent = program
    .command('hours')
    .description('The opening hours of a clinic')
    .addHelpText('after', HELP);
  const get = parent.command('get <clinic>').description('Show the opening hours of a clinic');
  addOutputOptions(get).action(async (clinic: string, options: OutputOptions) => {
    const client = await openClient(get, 'any');
    await printRow({ ...(await client.openingHours.get(clinic)) }, options);
  });
};
