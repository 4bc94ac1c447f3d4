import { existsSync } from 'node:fs';
import type { BookingOptions, Chairside } from '@chairside/client';
import type { CsvLayout } from '@chairside/terminal';
import { type Access, clientOf, findAccess } from '../access/credentials.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { Noun } from '../nouns.ts';
import type { OutputOptions } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { countOf, journalOf, openJournal } from './journal.ts';
import { lockRun } from './lock.ts';
import { requireNoRefused } from './refused.ts';
import { checkFile, hashOf, type InputFile } from './rows.ts';
import { writeRows } from './write-rows.ts';
import type { Writes } from './writes.ts';

/** The principal that writes the records. A key is the same one after it was rotated. */
const principalOf = async ({ kind }: Access, client: Chairside): Promise<string> =>
  kind === 'token'
    ? `operator ${(await client.sessions.current()).operatorId}`
    : `API key ${(await client.apiKeys.current()).ref}`;

const SEPARATORS: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs' };

/** Says how a CSV file was read, where it is no plain one. */
const sayLayout = (path: string, { separator, emptyColumns, emptyRows }: CsvLayout): void => {
  if (separator !== ',')
    say(`${path}: the cells are separated by ${SEPARATORS[separator] ?? JSON.stringify(separator)}.`);
  const skipped = [
    ...(emptyColumns > 0 ? [`${emptyColumns} empty ${emptyColumns === 1 ? 'column' : 'columns'}`] : []),
    ...(emptyRows > 0 ? [`${emptyRows} empty ${emptyRows === 1 ? 'row' : 'rows'}`] : []),
  ];
  if (skipped.length > 0) say(`${path}: ${skipped.join(' and ')} skipped.`);
};

export type FromOptions = BookingOptions & {
  profile?: string | undefined;
  isDryRun: boolean;
  output: OutputOptions;
};

/** Writes each row of a file: `--from`. */
export const writeFromFile = async (
  { name, need }: Noun,
  writes: Writes,
  file: InputFile,
  { profile, isDryRun, output, onlyIfFree }: FromOptions,
): Promise<void> => {
  const { path, encoding } = file;
  const checked = await checkFile(file, writes);
  sayLayout(path, checked.layout);
  if (isDryRun) {
    say(`${path}: ${checked.total} ${checked.total === 1 ? 'row' : 'rows'} can be sent. Nothing was sent.`);
    return;
  }
  const access = await findAccess(profile);
  const client = clientOf(access, need);
  const principal = await principalOf(access, client);
  const options = JSON.stringify({ encoding, onlyIfFree });
  const unlock = await lockRun(path);
  try {
    const hash = await hashOf(file);
    const of = { hash, noun: name, verb: writes.verb, url: client.baseUrl, principal, options };
    if (!existsSync(journalOf(path))) requireNoRefused(file);
    const journal = openJournal(path, of);
    try {
      if (!journal.isNew) {
        const refused = countOf(journal, 'refused');
        say(
          `${journalOf(path)}: continuing an earlier run. So far, ${journal.ended.length - refused} rows are written and ${refused} refused.`,
        );
      }
      await writeRows({ client, file, writes, checked, journal, output, signal: untilInterrupted() });
    } finally {
      journal.close();
    }
  } finally {
    unlock();
  }
};
