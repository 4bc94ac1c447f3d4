import { clock } from '@chairside/domain';
import type { RunAction } from '@chairside/mongodb';
import type { ListedApiKey } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { audited, runIn, runs, withAuthor } from './command.ts';
import { AdminFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists } from './rows.ts';

const NOTES = `
A key has all clinics, or some. Its secret is not shown, and neither is its name, which customers choose.`;

/** Describes how long a key works. */
const endOf = ({ expiryTime }: ListedApiKey): string => {
  if (expiryTime === undefined) return 'no end';
  return new Date(expiryTime) > clock.now() ? `until ${expiryTime}` : `ended ${expiryTime}`;
};

const clinicsOf = ({ clinicIds }: ListedApiKey): string =>
  clinicIds === undefined ? 'all clinics' : `clinics ${clinicIds.join(',')}`;

const rotationOf = ({ formerSecret, lastRotationTime }: ListedApiKey): string => {
  if (formerSecret !== undefined) return `former secret until ${formerSecret.expiryTime}`;
  return lastRotationTime === undefined ? '' : `rotated ${lastRotationTime}`;
};

export const addApiKeyCommands = (program: Command): void => {
  const apiKey = program.command('apikey').description('list and revoke API keys');
  const list = apiKey
    .command('list')
    .description('list API keys with their clinics, their last use and their end, the oldest first')
    .option('--organization <id>', 'only keys of this organization')
    .addHelpText('after', NOTES);
  lists(list, async (context, options: { organization?: string }) => ({
    rows: context.administration.overview.apiKeys(await placeOf(context, options)),
    linesOf: (row: ListedApiKey) => [
      lineOf(
        row._id,
        row.organizationId,
        clinicsOf(row),
        row.lastUsedTime === undefined ? 'never used' : `used ${row.lastUsedTime}`,
        endOf(row),
        rotationOf(row),
      ),
    ],
  }));
  runs(
    withAuthor(apiKey.command('revoke').description('delete an API key').argument('<id>', 'id of the key')),
    async (context, _options, id = '') => {
      const owner = await context.administration.overview.ownerOf('apiKey', id);
      if (owner === undefined)
        throw new AdminFailure(`There is no API key ${id}. List the keys with: chairside-admin apikey list`);
      const { organizationId } = owner;
      const action: RunAction = { action: 'deleted', kind: 'apiKey', ids: [id] };
      await audited(context, runIn(organizationId, context.author), action, () =>
        context.store.organization(organizationId).apiKeys.delete(id),
      );
      return { result: { _id: id, organizationId }, lines: [`Revoked API key ${id}.`] };
    },
  );
};
