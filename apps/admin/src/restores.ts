import type { SealReport } from '@chairside/mongodb/administration';
import { withProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { type Context, type Output, runs, withAuthor } from './command.ts';
import { AdminFailure } from './failure.ts';

const NOTES = `
A database that was restored from a backup has again what was ended since: keys, tokens, operators, subscriptions, connected apps,
erased patients, deleted organizations. The vault (VAULT_URL) knows it. Until one of these commands, dispatchers hold everything.

  restore seal   ends it once more, and all sessions and links. Look at it first with --dry-run. What waits in the backup keeps
                 waiting: then run outbound release or outbound discard, without a filter.
  restore none   if nothing was restored. Dispatchers send again.

Both can be interrupted and repeated. See docs/operation/backup.md, "Restore".`;

const NO_VAULT =
  'Without a vault (VAULT_URL), nothing tells what was ended since the backup. See docs/operation/backup.md, "What a deletion leaves".';

const WORDS: Readonly<Record<keyof SealReport['ended'], string>> = {
  apiKey: 'API key',
  programToken: 'program token',
  connection: 'connected app',
  subscription: 'subscription',
  operator: 'deleted operator',
  disabledOperator: 'disabled operator',
  factor: 'second factor',
  patient: 'erased patient',
  patientRecords: 'patient erased without the billing',
};

const linesOf = ({ organizations, ended, sessions, links, mails, facts }: SealReport): string[] => [
  ...organizations.map((id) => `  organization ${id}`),
  ...Object.entries(ended).flatMap(([kind, ids]) =>
    ids.map((id) => `  ${WORDS[kind as keyof typeof WORDS]} ${id}`),
  ),
  `  ${sessions} × session`,
  `  ${links} × link`,
  `  ${mails} × mail that was not sent`,
  `  ${facts} × row with a notice that was not told`,
];

const seal = async (context: Context, { dryRun = false }: { dryRun?: boolean }): Promise<Output> => {
  const { administration, author } = context;
  const report = await withProgress({ unit: 'endings' }, (progress) =>
    administration.restores.seal({ author, isTrial: dryRun, onProgress: (done) => progress.advance(done) }),
  );
  if (report === undefined) throw new AdminFailure(NO_VAULT);
  return {
    result: { ...report, dryRun },
    lines: [
      dryRun ? 'Would be ended once more:' : 'Ended once more:',
      ...linesOf(report),
      ...(dryRun
        ? []
        : ['What waits in the backup keeps waiting. Now run outbound release, or outbound discard.']),
    ],
  };
};

export const addRestoreCommands = (program: Command): void => {
  const restore = program
    .command('restore')
    .description('decide about a database that was restored from a backup')
    .addHelpText('after', NOTES);
  runs(
    withAuthor(restore.command('seal'))
      .description('end once more what has ended since the backup, and all sessions and links')
      .option('--dry-run', 'change nothing, print what would end'),
    seal,
  );
  runs(
    restore.command('none').description('say that nothing was restored: dispatchers send again'),
    async ({ administration }) => {
      if (!(await administration.restores.none())) throw new AdminFailure(NO_VAULT);
      return { result: { restored: false }, lines: ['Nothing was restored. Dispatchers send again.'] };
    },
  );
};

/** @throws {AdminFailure} if the database was restored and is not sealed */
export const requireSealed = async ({ administration }: Context): Promise<void> => {
  if ((await administration.restores.state()) !== 'restored') return;
  throw new AdminFailure(
    'This database was restored from a backup. First run restore seal, or restore none if nothing was restored.',
  );
};
