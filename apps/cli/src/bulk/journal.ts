import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { CliError } from '../failure.ts';

/** The API keeps an `Idempotency-Key` for 24 hours. This is one hour less. */
const KEY_LIFE_MS = 23 * 60 * 60 * 1000;

/** A journal is valid only for a run with the same values. */
export type JournalOf = {
  /** SHA-256 of the file. */
  hash: string;
  /** The noun of the records, such as `patients`. */
  noun: string;
  url: string;
  /** The API key or the operator, without the secret. */
  principal: string;
  /** The options that change the requests. With others, the API does not recognize the row of a repeated request. */
  options: string;
};

type Head = JournalOf & { version: 2; run: string; startedTime: string };
/** `sent`: the request may have reached the service. `created` and `refused` are final. */
type Entry = { line: number; state: 'sent' | 'created' | 'refused'; time: string };

/** The state of each row of a file, by the line in which it begins, without the values of the row. */
export type Journal = {
  /** A part of each idempotency key, so that the same row of the same run creates only one record. */
  run: string;
  isNew: boolean;
  /** Whether a row was created or refused. */
  hasEnded(line: number): boolean;
  /** The number of rows that were created and refused, earlier runs included. */
  counts(): { created: number; refused: number };
  /** Appends the state of a row. The state `sent` is written before the request is sent. */
  write(line: number, state: Entry['state']): void;
  close(): void;
};

/** The name of the journal of a file. */
export const journalOf = (file: string): string => `${file}.chairside-journal`;

const differences: readonly [keyof JournalOf, string][] = [
  ['hash', 'the file has changed since then'],
  ['noun', 'it created other records'],
  ['url', 'it used another address'],
  ['principal', 'it used other credentials'],
  ['options', 'it used other options (--encoding, --only-if-free)'],
];

const readHead = (path: string, line: string | undefined): Head => {
  try {
    const head = JSON.parse(line ?? '') as Head;
    if (head.version === 2 && typeof head.run === 'string') return head;
  } catch {
    // The error is reported below.
  }
  throw new CliError(
    `${path}: is not a journal of this version of chairside. Move it away, then run the command again.`,
  );
};

/** Entries of a journal. A crash may have cut off the last line. */
const readEntries = (lines: readonly string[]): Entry[] =>
  lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Entry];
    } catch {
      return [];
    }
  });

/**
 * Opens the journal beside a file, or begins one. The file of the journal can be read only by its owner.
 *
 * @throws {CliError} if the journal is not readable or belongs to another run, or if the result of a row is unknown and
 *   the row was sent so long ago that the API may no longer recognize its idempotency key
 */
export const openJournal = (file: string, of: JournalOf, now = Date.now()): Journal => {
  const path = journalOf(file);
  const isNew = !existsSync(path);
  const [first, ...lines] = isNew ? [] : readFileSync(path, 'utf8').split('\n');
  const head: Head = isNew
    ? { version: 2, run: randomUUID(), startedTime: new Date(now).toISOString(), ...of }
    : readHead(path, first);
  for (const [name, problem] of differences) {
    if (head[name] === of[name]) continue;
    throw new CliError(
      `${path}: this is the journal of an earlier run, and ${problem}. Continue that run with the same file, credentials and options. To create corrected rows, correct them in the file of the refused rows, and give that file to --from. Or move the journal away to begin a new run, which creates the rows of the earlier run again.`,
    );
  }

  const states = new Map<number, Entry>();
  for (const entry of readEntries(lines)) states.set(entry.line, entry);
  const uncertain = [...states.values()].filter(
    ({ state, time }) => state === 'sent' && now - Date.parse(time) > KEY_LIFE_MS,
  );
  if (uncertain.length > 0) {
    const found = uncertain.map(({ line }) => line).sort((a, b) => a - b);
    throw new CliError(
      `${path}: the rows of lines ${found.join(', ')} were sent more than 23 hours ago, and it is unknown whether they were created. Look for their records. Copy the rows that have no record into a new file, and move this file and its journal away.`,
    );
  }

  const fd = openSync(path, 'a', 0o600);
  // Unlike writeSync, writeFileSync fails if the disk becomes full after a part of the line.
  const append = (value: object): void => writeFileSync(fd, `${JSON.stringify(value)}\n`);
  // After a crash, the last line may be incomplete. The next entry begins on a new line.
  if (isNew) append(head);
  else writeFileSync(fd, '\n');

  const count = (wanted: Entry['state']) =>
    [...states.values()].filter(({ state }) => state === wanted).length;
  return {
    run: head.run,
    isNew,
    hasEnded: (line) => states.has(line) && states.get(line)?.state !== 'sent',
    counts: () => ({ created: count('created'), refused: count('refused') }),
    write(line, state) {
      const before = states.get(line);
      // The entry keeps the time of the first request, because the API stores the key at that time.
      const entry = { line, state, time: (before ?? { time: new Date().toISOString() }).time };
      append(entry);
      states.set(line, entry);
    },
    close: () => closeSync(fd),
  };
};
