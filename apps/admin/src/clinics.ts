import { type ClinicDetails, clinicDetailsSchema, clock, newId } from '@chairside/domain';
import type { ListedClinic } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { addClinicHoursCommands } from './clinic-hours.ts';
import { audited, runs, withAuthor } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists } from './rows.ts';

type ClinicOptions = {
  organization: string;
  name?: string;
  currency?: string;
  locale?: string;
  timezone?: string;
};

/** Validates the options. An empty value clears a field. */
const readDetails = ({ name, currency, locale, timezone }: ClinicOptions): ClinicDetails => {
  const given = Object.entries({ name, currency, defaultLocale: locale, timezone }).filter(
    ([, value]) => value !== undefined,
  );
  const parsed = clinicDetailsSchema.safeParse(
    Object.fromEntries(given.map(([field, value]) => [field, value === '' ? null : value])),
  );
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new UsageFailure(`The clinic is not valid: ${problems.join('; ')}. Correct the options.`);
};

const withDetails = (command: Command): Command =>
  withAuthor(command)
    .requiredOption('--organization <id>', 'id of the organization')
    .option('--name <name>', 'name of the clinic')
    .option('--currency <code>', 'ISO 4217 currency code, such as EUR')
    .option('--locale <tag>', 'BCP 47 language tag, such as de-DE')
    .option('--timezone <name>', 'IANA time zone, such as Europe/Berlin');

export const addClinicCommands = (program: Command): void => {
  const clinic = program.command('clinic').description('create, change and list clinics');
  runs(
    withDetails(clinic.command('create').description('create a clinic and print its id')),
    async (context, options: ClinicOptions) => {
      const details = readDetails(options);
      const run = await context.begin(options.organization);
      const given = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));
      const record = { _id: newId(), ...given, lastEditTime: clock.now().toISOString() };
      await audited(context, run, { action: 'created', kind: 'clinic', ids: [record._id] }, () =>
        context.store.organization(run.organizationId).clinics.create(record),
      );
      return { result: record, lines: [record._id] };
    },
  );
  runs(
    withDetails(
      clinic.command('update').description('change a clinic; an empty value clears a field'),
    ).argument('<id>', 'id of the clinic'),
    async (context, options: ClinicOptions, id = '') => {
      const details = readDetails(options);
      if (Object.keys(details).length === 0)
        throw new UsageFailure('Give at least one change: --name, --currency, --locale or --timezone.');
      const run = await context.begin(options.organization);
      const changes = Object.keys(details).map((field) => ({ field }));
      const outcome = await audited(
        context,
        run,
        { action: 'updated', kind: 'clinic', ids: [id], changes },
        () => context.administration.updateClinic(run.organizationId, id, details, clock.now()),
      );
      if (outcome === 'missing') {
        throw new AdminFailure(
          `There is no clinic ${id} in this organization. List the clinics with: chairside-admin clinic list`,
        );
      }
      return { result: { _id: id, ...details }, lines: [`Changed clinic ${id}.`] };
    },
  );
  addClinicHoursCommands(clinic);
  lists(
    clinic
      .command('list')
      .description('list clinics, the oldest first')
      .option('--organization <id>', 'only clinics of this organization'),
    async (context, options: { organization?: string }) => ({
      rows: context.administration.overview.clinics(await placeOf(context, options)),
      linesOf: ({ _id, organizationId, name, currency, defaultLocale, timezone }: ListedClinic) => [
        lineOf(_id, organizationId, name, currency, defaultLocale, timezone),
      ],
    }),
  );
};
