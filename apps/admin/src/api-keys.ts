import { clock } from '@chairside/domain';
import type { ListedApiKey } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
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
  const apiKey = program.command('apikey').description('list API keys');
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
};
