import type { AvailabilitySearch, SetOpeningHours } from '@chairside/client';
import type { Command } from 'commander';
import { openClient } from '../access/open-client.ts';
import { requireFlags } from '../flags/faults.ts';
import { FLAGS } from '../flags/flag-table.ts';
import { addFlags, bodyOf, requiredOf, valuesOf } from '../flags/flags.ts';
import { addOutputOptions, type OutputOptions, printRow, printRows, type Row } from '../output/rows.ts';
import { say } from '../output/stdout.ts';

const HELP = `
Examples:
  $ chairside hours get 01JB… --output json > hours.json
  $ chairside hours set 01JB… --data hours.json`;

/** Adds `hours get` and `hours set`. */
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

  const flags = FLAGS.setOpeningHours ?? [];
  const set = parent
    .command('set <clinic>')
    .description('Replace all opening hours of a clinic. It needs an administrator');
  addFlags(set, flags);
  set
    .option('-d, --data <file>', 'a file with the output of hours get, or - for stdin')
    .option('--if-match <etag>', 'set them only if they still have this version');
  requireFlags(set, requiredOf(flags), () => ['--data']);
  addOutputOptions(set).action(
    async (clinic: string, options: Row & OutputOptions & { data?: string; ifMatch?: string }) => {
      const client = await openClient(set, 'operator');
      const body = (await bodyOf(flags, options)) as unknown as SetOpeningHours;
      const stored = await client.openingHours.set(clinic, body, { ifMatch: options.ifMatch });
      await printRow({ ...stored }, options);
    },
  );
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
  requireFlags(command, requiredOf(flags), () => []);
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
