import { setTimeout as sleep } from 'node:timers/promises';
import type { DeletionReport } from '@chairside/mongodb/administration';
import { VERSION } from '@chairside/startup';
import { withProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { note, type Output, runs, withAuthor } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { lineOf, lists } from './rows.ts';

const DEFAULT_COUNTDOWN = 10;
const MAX_COUNTDOWN = 3600;

const NOTES = `
Deletes the organization with everything that it has stored: API keys, operators and their sessions, connected apps,
subscriptions, records, settings, events, deliveries, statistics and the audit log. Then it destroys the keys that encrypt the
names and contacts of its patients. No event is sent. What is kept is when this was done, with
numbers of documents: print it again with organization deletions.

  1. Look at what would be deleted: organization delete <id> --dry-run
  2. Export what the practice wants to keep: export
  3. Delete: organization delete <id> --confirm "<name>"

The services keep running. Ctrl-C during the countdown keeps everything. After it, the command may be interrupted and
repeated. Repeat it, too, if a dispatcher or an api stood still meanwhile: it then deletes what that process has written since.

Not deleted: backups and logs, which contain the organization for as long as you keep them, and what the practice's partners have
received. Without the keys, what identifies patients cannot be decrypted in a backup: docs/operation/backup.md, "The vault".`;

type DeleteOptions = { confirm?: string; dryRun?: boolean; countdown?: string };

const countdownOf = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_COUNTDOWN;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= MAX_COUNTDOWN) return seconds;
  throw new UsageFailure(`--countdown must be a whole number of seconds from 0 to ${MAX_COUNTDOWN}.`);
};

const countDown = async (name: string, seconds: number): Promise<void> => {
  for (let left = seconds; left > 0; left--) {
    if (left === seconds || left % 10 === 0 || left <= 3)
      note(`Deleting ${JSON.stringify(name)} in ${left} s. Ctrl-C keeps everything.`);
    await sleep(1000);
  }
};

const linesOf = (removed: DeletionReport['removed']): string[] => {
  const lines = Object.entries(removed).map(([collection, count]) => `  ${count} × ${collection}`);
  return lines.length > 0 ? lines : ['  nothing'];
};

/** The certificate of a deletion. `--json` has the same facts. */
const certificateOf = (report: DeletionReport): Output => {
  const { organizationId, name, begunTime = '', endedTime = '', removed } = report;
  const named = name === undefined ? organizationId : `${organizationId}, ${JSON.stringify(name)},`;
  return {
    result: { ...report, version: VERSION },
    lines: [
      `Organization ${named} is deleted, with everything that it has stored in this database.`,
      `Begun ${begunTime}, ended ${endedTime}, by chairside-admin ${VERSION}. Deleted documents:`,
      ...linesOf(removed),
      'Its data keys are destroyed.',
      'Backups and logs contain the organization for as long as you keep them. A backup of the data keys can decrypt a backup of its patients.',
    ],
  };
};

export const addDeleteOrganization = (organization: Command): void => {
  const command = organization
    .command('delete')
    .description('delete an organization with everything that it has stored')
    .argument('<id>', 'id of the organization')
    .option('--confirm <name>', 'the name of the organization, exactly')
    .option('--dry-run', 'change nothing, print what would be deleted')
    .option(
      '--countdown <seconds>',
      `how long Ctrl-C can still keep everything (default ${DEFAULT_COUNTDOWN})`,
    )
    .addHelpText('after', NOTES);
  runs(withAuthor(command), async ({ administration, author }, options: DeleteOptions, id = '') => {
    const countdown = countdownOf(options.countdown);
    const trial = await administration.deleteOrganization(id, {
      isTrial: true,
      author,
      onProgress: () => {},
    });
    if (trial === undefined)
      throw new AdminFailure(
        `There is no organization ${id}. List the organizations with: chairside-admin organization list`,
      );
    const { name, removed } = trial;
    if (options.dryRun === true) {
      const known = name === undefined ? `${id}, which was deleted before` : `${id}, ${JSON.stringify(name)}`;
      return {
        result: { ...trial, dryRun: true },
        lines: [`Would be deleted of organization ${known}:`, ...linesOf(removed)],
      };
    }
    if (name !== undefined) {
      if (options.confirm === undefined)
        throw new UsageFailure(
          `This cannot be undone. Look at it with --dry-run, then repeat the command with --confirm ${JSON.stringify(name)}.`,
        );
      if (options.confirm !== name)
        throw new UsageFailure(
          `--confirm does not match: the name of this organization is ${JSON.stringify(name)}.`,
        );
      await countDown(name, countdown);
    }
    const report = await withProgress({ unit: 'documents' }, (progress) =>
      administration.deleteOrganization(id, {
        isTrial: false,
        author,
        onProgress: (done) => progress.advance(done),
      }),
    );
    if (report === undefined) throw new AdminFailure(`The organization ${id} does not exist any more.`);
    return certificateOf(report);
  });
  lists(
    organization.command('deletions').description('list deleted organizations, the oldest first'),
    async ({ administration }) => ({
      rows: (async function* () {
        yield* await administration.deletions();
      })(),
      linesOf: ({ organizationId, begunTime = '', endedTime, runs: made, removed }: DeletionReport) => [
        lineOf(
          organizationId,
          begunTime,
          endedTime ?? 'not ended: repeat the command',
          made?.map(({ by }) => by).join(', '),
        ),
        ...linesOf(removed),
      ],
    }),
  );
};
