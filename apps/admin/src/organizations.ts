import { newId, text } from '@chairside/domain';
import type { RunAction } from '@chairside/mongodb';
import type { ListedOrganization, Stop } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { audited, type Context, runIn, runs, withAuthor } from './command.ts';
import { addDeleteOrganization } from './delete-organization.ts';
import { UsageFailure } from './failure.ts';
import { addOrganizationSearch } from './organization-search.ts';
import { addOrganizationSuspension } from './organization-suspension.ts';
import { lineOf, lists } from './rows.ts';

const MAX_NAME_LENGTH = 500;

type Row = ListedOrganization & { suspension?: Pick<Stop, 'time' | 'by' | 'reason'> };

async function* withSuspensions({ administration }: Context): AsyncGenerator<Row, void> {
  const stops = await administration.stops.list();
  const suspensions = new Map(
    stops.map(({ organizationId, host: _host, ...stop }) => [organizationId, stop]),
  );
  for await (const organization of administration.overview.organizations()) {
    const suspension = suspensions.get(organization._id);
    yield { ...organization, ...(suspension && { suspension }) };
  }
}

export const addOrganizationCommands = (program: Command): void => {
  const organization = program
    .command('organization')
    .description('create, list, suspend and delete organizations, and switch their search');
  const create = withAuthor(organization.command('create'))
    .description('create an organization and print its id')
    .argument('<name>', 'name of the organization');
  runs(create, async (context, _options, name = '') => {
    if (name.trim() === '' || !text(MAX_NAME_LENGTH).safeParse(name).success) {
      throw new UsageFailure(`Give the organization a name of 1 to ${MAX_NAME_LENGTH} characters.`);
    }
    const _id = newId();
    const action: RunAction = { action: 'created', kind: 'organization', ids: [_id] };
    await audited(context, runIn(_id, context.author), action, () =>
      context.store.everyOrganization.organizations.create({ _id, name }),
    );
    return { result: { _id, name }, lines: [_id] };
  });
  lists(
    organization.command('list').description('list organizations, the oldest first'),
    async (context) => ({
      rows: withSuspensions(context),
      linesOf: ({ _id, name, createdTime, suspension }: Row) => [
        lineOf(_id, createdTime, name, suspension && `suspended ${suspension.time} by ${suspension.by}`),
      ],
    }),
  );
  addOrganizationSearch(organization);
  addOrganizationSuspension(organization);
  addDeleteOrganization(organization);
};
