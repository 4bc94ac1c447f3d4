import { clock } from '@chairside/domain';
import type { RunAction } from '@chairside/mongodb';
import type { ListedProgramToken } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { audited, runIn, runs, withAuthor } from './command.ts';
import { AdminFailure } from './failure.ts';
import { placeOf } from './place.ts';
import { lineOf, lists } from './rows.ts';

export const addProgramTokenCommands = (program: Command): void => {
  const token = program.command('programtoken').description('list and revoke program tokens');
  lists(
    token
      .command('list')
      .description('list program tokens with their operators, their last use and their end, the oldest first')
      .option('--organization <id>', 'only tokens of this organization'),
    async (context, options: { organization?: string }) => ({
      rows: context.administration.overview.programTokens(await placeOf(context, options)),
      linesOf: ({ _id, organizationId, operatorId, lastUsedTime, expiryTime }: ListedProgramToken) => [
        lineOf(
          _id,
          organizationId,
          `operator ${operatorId}`,
          lastUsedTime === undefined ? 'never used' : `used ${lastUsedTime}`,
          `until ${expiryTime}`,
        ),
      ],
    }),
  );
  runs(
    withAuthor(
      token.command('revoke').description('end a program token').argument('<id>', 'id of the token'),
    ),
    async (context, _options, id = '') => {
      const owner = await context.administration.overview.ownerOf('programToken', id);
      if (owner === undefined)
        throw new AdminFailure(
          `There is no program token ${id}. List the tokens with: chairside-admin programtoken list`,
        );
      const { organizationId } = owner;
      const action: RunAction = { action: 'token_ended', kind: 'session', ids: [id] };
      await audited(context, runIn(organizationId, context.author), action, () =>
        context.store.organization(organizationId).programTokens.end(id, clock.now()),
      );
      return { result: { _id: id, organizationId }, lines: [`Revoked program token ${id}.`] };
    },
  );
};
