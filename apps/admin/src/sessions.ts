import { clock } from '@chairside/domain';
import type { RunAction } from '@chairside/mongodb';
import type { Command } from 'commander';
import { audited, runIn, runs, withAuthor } from './command.ts';
import { AdminFailure } from './failure.ts';

type EndOptions = { operator: string; dryRun?: boolean };

export const addSessionCommands = (program: Command): void => {
  const session = program.command('session').description('end the sessions of an operator');
  const end = withAuthor(session.command('end'))
    .description('end all sessions and program tokens of an operator, who can sign in again')
    .requiredOption('--operator <who>', 'e-mail address or id of the operator')
    .option('--dry-run', 'change nothing, print how many sessions would end');
  runs(end, async (context, { operator: given, dryRun = false }: EndOptions) => {
    const owner = await context.administration.overview.ownerOf('operator', given);
    if (owner === undefined)
      throw new AdminFailure(
        `There is no operator ${given}. List the operators with: chairside-admin operator list`,
      );
    const { _id, organizationId } = owner;
    const { operators } = context.store.organization(organizationId);
    const now = clock.now();
    const action: RunAction = { action: 'sessions_ended', kind: 'operator', ids: [_id] };
    const ended = dryRun
      ? await operators.sessions(_id, now)
      : await audited(context, runIn(organizationId, context.author), action, () =>
          operators.endSessions(_id, now),
        );
    const count = ended?.length ?? 0;
    return {
      result: { operatorId: _id, organizationId, endedSessions: count, dryRun },
      lines: [dryRun ? `Would end ${count} sessions.` : `Ended ${count} sessions, and the program tokens.`],
    };
  });
};
