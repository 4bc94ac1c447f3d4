import type { AvailabilitySearch } from '@chairside/client';
import type { Command } from 'commander';
import { openClient } from '../access/open-client.ts';
import { requireFlags } from '../flags/faults.ts';
import { FLAGS } from '../flags/flag-table.ts';
import { addFlags, requiredOf, valuesOf } from '../flags/flags.ts';
import { addOutputOptions, type OutputOptions, printRow, printRows, type Row } from '../output/rows.ts';
import { say } from '../output/stdout.ts';

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

const SLOT_COLUMNS = ['start', 'end'];
const AVAILABILITY_HELP = `
Prints the free slots in local time of the clinic. Nothing is reserved.

Examples:
  $ chairside availability --clinic-id 01JB… --from 2030-01-31 --to 2030-02-01 --duration-minutes 30`;

/** Adds `availability`, which prints free slots. The reason for their absence goes to stderr. */
export const addAvailabilityCommand = (program: Command): void => {
  const flags = FLAGS.findAvailability ?? [];
  const command = program.command('availability').description('Find free slots of a clinic');
  addFlags(command, flags);
  requireFlags(command, requiredOf(flags), []);
  addOutputOptions(command)
    .addHelpText('after', AVAILABILITY_HELP)
    .action(async (options: Row & OutputOptions) => {
      const client = await openClient(command, 'any');
      // The API validates the values.
      const search = valuesOf(flags, options) as unknown as AvailabilitySearch;
      const { slots, isCut, reason } = await client.findAvailability(search);
      const pages = async function* () {
        yield slots;
      };
      await printRows(pages(), options, { shown: SLOT_COLUMNS, all: SLOT_COLUMNS });
      if (reason !== undefined) say(`No free slot: ${reason}.`);
      if (isCut) say(`There are more slots. Search again with --from ${slots.at(-1)?.start.slice(0, 10)}.`);
    });
};
