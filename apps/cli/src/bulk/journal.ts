import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { CliError } from '../failure.ts';

/** How long the API keeps an `Idempotency-Key`, less an hour, in milliseconds. */
const KEY_LIFE = 23 * 60 * 60 * 1000;

/** What a journal is valid for. */
export type JournalOf = {
  /** SHA-256 of the file. */
  hash: string;
  /** The noun that is created. */
  noun: string;
  url: string;
  /** The API key or the operator, without the secret. */
  principal: string;
};

type Head = JournalOf & { version: 1; run: string; startedTime: string };
/** `sent`: the request may have reached the service. `created` and `refused` are ends. */
type Entry = { row: number; state: 'sent' | 'created' | 'refused'; time: string };

/** What happened to the rows of a file. It has no values of fields. */
export type Journal = {
  /** Idempotency keys are made of it, so that the same row of the same run creates one record. */
  run: string;
  isNew: boolean;
  /** Whether a row has ended in an earlier run of this program. */
  hasEnded(row: number): boolean;
  /** The number of rows that were created and refused, earlier runs included. */
  counts(): { created: number; refused: number };
  /** Written before the request is sent. */
  write(row: number, state: Entry['state']): void;
  close(): void;
};

/** The name of the journal of a file. */
export const journalOf = (file: string): string => `${file}.chairside-journal`;

const differences: readonly [keyof JournalOf, string][] = [
  ['hash', 'the file has changed since then'],
  ['noun', 'it is about other records'],
  ['url', 'it is about another address'],
  ['principal', 'it belongs to other credentials'],
];

const readHead = (path: string, line: string | undefined): Head => {
  try {
    const head = JSON.parse(line ?? '') as Head;
    if (head.version === 1 && typeof head.run === 'string') return head;
  } catch {
    // Reported below.
  }
  throw new CliError(`${path}: is no journal of this version. Move it away, then run the command again.`);
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
 * Opens the journal beside a file, or begins one. The file of the journal can be read by its owner only.
 *
 * @throws {CliError} if the journal is about something else, or if rows are uncertain: they were sent too long ago for the
 * API to recognize them, and nothing says how that ended
 */
export const openJournal = (file: string, of: JournalOf, now = Date.now()): Journal => {
  const path = journalOf(file);
  const isNew = !existsSync(path);
  const [first, ...lines] = isNew ? [] : readFileSync(path, 'utf8').split('\n');
  const head: Head = isNew
    ? { version: 1, run: randomUUID(), startedTime: new Date(now).toISOString(), ...of }
    : readHead(path, first);
  for (const [name, problem] of differences) {
    if (head[name] === of[name]) continue;
    throw new CliError(
      `${path}: an earlier run did not finish, and ${problem}. Finish that run with the same file and credentials, or move the journal away to begin anew; rows that it has created would then be created again.`,
    );
  }

  const states = new Map<number, Entry>();
  for (const entry of readEntries(lines)) states.set(entry.row, entry);
  const uncertain = [...states.values()].filter(
    ({ state, time }) => state === 'sent' && now - Date.parse(time) > KEY_LIFE,
  );
  if (uncertain.length > 0) {
    const rows = uncertain.map(({ row }) => row).sort((a, b) => a - b);
    throw new CliError(
      `${path}: rows ${rows.join(', ')} were sent more than 23 hours ago, and it is unknown whether they were created. Look for these records, put the rows that are missing into a new file, and move this file and its journal away.`,
    );
  }

  const fd = openSync(path, 'a', 0o600);
  // Unlike writeSync, it fails if the disk is full after a part of the line.
  const append = (value: object): void => writeFileSync(fd, `${JSON.stringify(value)}\n`);
  // A line that a crash cut off must not run into the next one.
  if (isNew) append(head);
  else writeFileSync(fd, '\n');

  const count = (wanted: Entry['state']) =>
    [...states.values()].filter(({ state }) => state === wanted).length;
  return {
    run: head.run,
    isNew,
    hasEnded: (row) => states.has(row) && states.get(row)?.state !== 'sent',
    counts: () => ({ created: count('created'), refused: count('refused') }),
    write(row, state) {
      const before = states.get(row);
      // The time of the first request counts, because the API keeps the key from then on.
      const entry = { row, state, time: (before ?? { time: new Date().toISOString() }).time };
      append(entry);
      states.set(row, entry);
    },
    close: () => closeSync(fd),
  };
};
