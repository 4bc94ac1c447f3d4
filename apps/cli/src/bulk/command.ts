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
import { checkFile, hashOf, headOf, type InputFile, separatorOf } from './rows.ts';

/**
 * The principal that creates the records. The API has no route that returns the id of a key, so a hash identifies the
 * key.
 */
const principalOf = async ({ kind, secret }: Access, client: Chairside): Promise<string> =>
  kind === 'token'
    ? `operator ${(await client.sessions.current()).operatorId}`
    : `API key ${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;

/** Creates a record for each row of a file: `create --from`. */
export const createFromFile = async (
  { name, need, create }: Noun & { create: NonNullable<Noun['create']> },
  file: InputFile,
  profile: string | undefined,
  booking: BookingOptions,
): Promise<void> => {
  const { path, encoding } = file;
  const flags = FLAGS[create.operation] ?? [];
  const separator = file.format === 'csv' ? separatorOf((await headOf(file)).head, flags) : ',';
  if (separator !== ',')
    say(`${path}: the cells are separated by ${separator === ';' ? 'semicolons' : 'tabs'}.`);
  const checked = await checkFile(file, flags);
  const access = await findAccess(profile);
  const client = clientOf(access, need);
  const principal = await principalOf(access, client);
  const hash = await hashOf(path);
  const options = JSON.stringify({ encoding, ...booking });
  const unlock = lockRun(path);
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
