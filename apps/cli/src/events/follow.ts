import { readFile } from 'node:fs/promises';
import type { ChairsideEvent, EventFilter, EventFollower, FollowOptions } from '@chairside/client';
import { shown } from '@chairside/terminal';
import { type Command, Option } from 'commander';
import { openClient } from '../access/open-client.ts';
import { UsageError } from '../failure.ts';
import { FLAGS } from '../flags/flag-table.ts';
import { addFlags, valuesOf } from '../flags/flags.ts';
import { untilInterrupted } from '../interrupt.ts';
import { jsonOf } from '../output/json.ts';
import { formatOf, type OutputOptions } from '../output/rows.ts';
import { say, write } from '../output/stdout.ts';
import { reportOutage } from './outage.ts';
import { timeOfService, WAITING, WATCHING } from './waiting.ts';

/** Minimum time between two writes of the cursor file. */
const WRITE_INTERVAL_MS = 200;

/** Keeps the cursor in a file, so that the next start continues from it. */
const openCursorFile = async (file: string) => {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  let written = Number.NEGATIVE_INFINITY;
  let latest: string | undefined;
  const flush = async (): Promise<void> => {
    if (latest === undefined) return;
    const cursor = latest;
    latest = undefined;
    await writeFileAtomic(file, `${cursor}\n`, { mode: 0o600 });
    written = performance.now();
  };
  return {
    /** The cursor of an earlier run; undefined if there is none. */
    async read(): Promise<string | undefined> {
      try {
        return (await readFile(file, 'utf8')).trim() || undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async keep(cursor: string): Promise<void> {
      latest = cursor;
      if (performance.now() - written > WRITE_INTERVAL_MS) await flush();
    },
    flush,
  };
};

type CursorFile = Awaited<ReturnType<typeof openCursorFile>>;

const lineOf = (event: ChairsideEvent, format: 'table' | 'ndjson'): string =>
  format === 'ndjson'
    ? `${jsonOf(event)}\n`
    : `${event.loggedTime}  ${event.event.padEnd(20)}  ${event.id}  ${shown(String(event.data._id ?? ''))}\n`;

/** Prints the events, and keeps the position after those that are printed. */
const printAll = async (
  follower: EventFollower,
  format: 'table' | 'ndjson',
  outage: ReturnType<typeof reportOutage>,
  file: CursorFile | undefined,
): Promise<void> => {
  const begun = follower.cursor;
  let isPrinted = true;
  try {
    for await (const event of follower) {
      outage.onEvent();
      isPrinted = false;
      await write(lineOf(event, format));
      isPrinted = true;
      await file?.keep(follower.cursor);
    }
  } finally {
    // The position advances also while there are no events. One that was refused is not kept.
    if (isPrinted && follower.cursor !== begun) await file?.keep(follower.cursor);
    await file?.flush();
  }
};

/** Adds `events follow`. */
export const addFollow = (events: Command): void => {
  const flags = (FLAGS.listEvents ?? []).filter(({ name }) => !['until', 'order'].includes(name));
  const command = events
    .command('follow')
    .description('Print events as they enter the log, within two seconds after the write, until Ctrl-C');
  addFlags(command, flags);
  command
    .option('--cursor <cursor>', 'continue after an earlier page: its X-Resume-Cursor')
    .option('--cursor-file <file>', 'keep the position in this file, and continue from it after a restart')
    .addOption(
      new Option('-o, --output <format>', 'table on a terminal, ndjson elsewhere').choices([
        'table',
        'ndjson',
      ]),
    )
    .addHelpText(
      'after',
      `
Without --since, --cursor and --cursor-file, it begins with the next event. Events are printed in the order of the log, each
once. After a crash of this program, the last events before the crash may be printed again: deduplicate by id.

Example:
  $ chairside events follow --event patient.created --cursor-file patients.cursor`,
    )
    .action(
      async (options: Record<string, unknown> & OutputOptions & { cursor?: string; cursorFile?: string }) => {
        const { cursor: given, cursorFile } = options;
        if (given !== undefined && cursorFile !== undefined)
          throw new UsageError('Give --cursor or --cursor-file, not both.');
        const client = await openClient(command, 'any');
        const file = cursorFile === undefined ? undefined : await openCursorFile(cursorFile);
        const cursor = given ?? (await file?.read());
        const { since, ...filter } = valuesOf(flags, options) as EventFilter;
        const signal = untilInterrupted();
        const outage = reportOutage();
        // As a cursor, the time is final: the client would correct a present time again at its first read.
        const now = async () => client.events.follow({ since: await timeOfService(client) }).cursor;
        const begin: FollowOptions =
          cursor === undefined && since !== undefined ? { since } : { cursor: cursor ?? (await now()) };
        const { onFailure } = outage;
        const follower = client.events.follow({
          ...filter,
          ...begin,
          ...WATCHING,
          signal,
          onFailure,
        });
        say(WAITING);
        const format = formatOf(options) === 'ndjson' ? 'ndjson' : 'table';
        // Otherwise a start after a crash would begin with the next event again, and miss those in between.
        if (cursor === undefined && since === undefined) await file?.keep(follower.cursor);
        await printAll(follower, format, outage, file).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      },
    );
};
