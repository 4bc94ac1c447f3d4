import { newId, text } from '@chairside/domain';
import type { ListedOrganization } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { runs } from './command.ts';
import { addDeleteOrganization } from './delete-organization.ts';
import { UsageFailure } from './failure.ts';
import { addOrganizationSearch } from './organization-search.ts';
import { lineOf, lists } from './rows.ts';

const MAX_NAME_LENGTH = 500;

export const addOrganizationCommands = (program: Command): void => {
  const organization = program
    .command('organization')
    .description('create, list and delete organizations, and switch their search');
  const create = organization
    .command('create')
    .description('create an organization and print its id')
    .argument('<name>', 'name of the organization');
  runs(create, async ({ store }, _options, name = '') => {
    if (name.trim() === '' || !text(MAX_NAME_LENGTH).safeParse(name).success) {
      throw new UsageFailure(`Give the organization a name of 1 to ${MAX_NAME_LENGTH} characters.`);
    }
    const _id = newId();
    await store.everyOrganization.organizations.create({ _id, name });
    return { result: { _id, name }, lines: [_id] };
  });
  lists(
    organization.command('list').description('list organizations, the oldest first'),
    async ({ administration }) => ({
      rows: administration.overview.organizations(),
      linesOf: ({ _id, name, createdTime }: ListedOrganization) => [lineOf(_id, createdTime, name)],
    }),
  );
  addOrganizationSearch(organization);
  addDeleteOrganization(organization);
};
