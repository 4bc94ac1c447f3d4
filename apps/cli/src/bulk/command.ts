import { createHash } from 'node:crypto';
import type { BookingOptions, Chairside } from '@chairside/client';
import { type Access, clientOf, findAccess } from '../access/credentials.ts';
import { FLAGS } from '../flags/flag-table.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { Noun } from '../nouns.ts';
import { say } from '../output/stdout.ts';
import { type Creation, createRows } from './create-from.ts';
import { journalOf, openJournal } from './journal.ts';
import { lockRun } from './lock.ts';
import { checkFile, hashOf, type InputFile, type Layout } from './rows.ts';

/**
 * The principal that creates the records. The API has no route that returns the id of a key, so a hash identifies the
 * key.
 */
const principalOf = async ({ kind, secret }: Access, client: Chairside): Promise<string> =>
  kind === 'token'
    ? `operator ${(await client.sessions.current()).operatorId}`
    : `API key ${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;

const SEPARATORS: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs' };

/** Says how a CSV file was read, where it is no plain one. */
const sayLayout = (path: string, { separator, emptyColumns, emptyRows }: Layout): void => {
  if (separator !== ',')
    say(`${path}: the cells are separated by ${SEPARATORS[separator] ?? JSON.stringify(separator)}.`);
  const skipped = [
    ...(emptyColumns > 0 ? [`${emptyColumns} empty ${emptyColumns === 1 ? 'column' : 'columns'}`] : []),
    ...(emptyRows > 0 ? [`${emptyRows} empty ${emptyRows === 1 ? 'row' : 'rows'}`] : []),
  ];
  if (skipped.length > 0) say(`${path}: ${skipped.join(' and ')} skipped.`);
};

/** Creates a record for each row of a file: `create --from`. */
export const createFromFile = async (
  { name, need, create }: Noun & { create: NonNullable<Noun['create']> },
  file: InputFile,
  profile: string | undefined,
  booking: BookingOptions,
): Promise<void> => {
  const { path, encoding } = file;
  const flags = FLAGS[create.operation] ?? [];
  const checked = await checkFile(file, flags);
  sayLayout(path, checked.layout);
  const access = await findAccess(profile);
  const client = clientOf(access, need);
  const principal = await principalOf(access, client);
  const hash = await hashOf(file);
  const options = JSON.stringify({ encoding, ...booking });
  const unlock = await lockRun(path);
  try {
    const journal = openJournal(path, { hash, noun: name, url: client.baseUrl, principal, options });
    try {
      const { created, refused } = journal.counts();
      if (!journal.isNew) {
        say(
          `${journalOf(path)}: continuing an earlier run. So far, ${created} rows are created and ${refused} refused.`,
        );
      }
      const send: Creation['send'] = (of, body, key) => create.send(of, body, key, booking);
      await createRows({ client, file, flags, checked, journal, send, signal: untilInterrupted() });
    } finally {
      journal.close();
    }
  } finally {
    unlock();
  }
};
