import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { CliError } from '../failure.ts';
import type { Verb } from './writes.ts';

/** The API keeps an `Idempotency-Key` for 24 hours. This is one hour less. */
const KEY_LIFE_MS = 23 * 60 * 60 * 1000;

/** A journal is valid only for a run with the same values. */
export type JournalOf = {
  /** SHA-256 of the file. */
  hash: string;
  /** The noun of the records, such as `patients`. */
  noun: string;
  verb: Verb;
  url: string;
  /** The API key or the operator, without the secret. */
  principal: string;
  /** The options that change the requests. With others, the API does not recognize a repeated request. */
  options: string;
};

type Head = JournalOf & { version: 3; run: string };

/** What became of a row. */
export type Result = 'created' | 'changed' | 'unchanged' | 'deleted' | 'refused';
/** The result of a row: the line in which it begins, and the record, unless the row was refused. */
export type Ended = { line: number; result: Result; _id?: string };

/**
 * The rows from this line on may have reached the service. `refused` has the sizes that the files of refused rows had before, by
 * their formats.
 */
export type Begun = { line: number; sentTime: string; refused: Readonly<Record<string, number>> };
type Entry = Begun | { ended: Ended[] };

/** What has become of the rows of a file, without their values. Rows end in the order of the file. */
export type Journal = {
  /** A part of each idempotency key, so that the same row of the same run is written only once. */
  run: string;
  isNew: boolean;
  /** The rows that have ended, earlier runs included. */
  ended: readonly Ended[];
  /** Where the rows begin whose results are unknown. */
  begun: Begun | undefined;
  /** Notes that the rows after those that have ended may be sent. @param begun is called if that is not known yet */
  begin(begun: () => Omit<Begun, 'sentTime'>): void;
  /** Appends the results of the next rows. */
  end(results: readonly Ended[]): void;
  close(): void;
};

/** The number of rows with a result. */
export const countOf = ({ ended }: Pick<Journal, 'ended'>, wanted: Result): number =>
  ended.filter(({ result }) => result === wanted).length;

/** The name of the journal of a file. */
export const journalOf = (file: string): string => `${file}.chairside-journal`;

const differences: readonly [keyof JournalOf, string][] = [
  ['hash', 'the file has changed since then'],
  ['noun', 'it wrote other records'],
  ['verb', 'it used another command'],
  ['url', 'it used another address'],
  ['principal', 'it used other credentials'],
  ['options', 'it used other options (--encoding, --only-if-free)'],
];

const readHead = (path: string, line: string | undefined): Head => {
  try {
    const head = JSON.parse(line ?? '') as Head;
    if (head.version === 3 && typeof head.run === 'string') return head;
  } catch {
    // The error is reported below.
  }
  throw new CliError(
    `${path}: is not a journal of this version of chairside. Move it away, then run the command again.`,
  );
};

/** The lines of a journal. A crash or a full disk may have cut off the last one, which is removed. */
const readLines = (path: string): string[] => {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  if (complete !== text) truncateSync(path, Buffer.byteLength(complete));
  return complete.split('\n').slice(0, -1);
};

/**
 * Opens the journal beside a file, or begins one. The file of the journal can be read only by its owner.
 *
 * @throws {CliError} if the journal is not readable or belongs to another run, or if it is unknown which rows were created
 *   and they were sent so long ago that the API may no longer recognize their idempotency keys
 */
export const openJournal = (file: string, of: JournalOf, now = Date.now()): Journal => {
  const path = journalOf(file);
  const [first, ...lines] = readLines(path);
  const isNew = first === undefined;
  const head: Head = isNew ? { version: 3, run: randomUUID(), ...of } : readHead(path, first);
  for (const [name, problem] of differences) {
    if (head[name] === of[name]) continue;
    throw new CliError(
      `${path}: this is the journal of an earlier run, and ${problem}. Continue that run with the same command, file, credentials and options. To write corrected rows, correct them in the file of the refused rows, and give that file to --from. Or move the journal away to begin a new run, which writes the rows of the earlier run again.`,
    );
  }

  const ended: Ended[] = [];
  let begun: Begun | undefined;
  for (const line of lines) {
    const entry = JSON.parse(line) as Entry;
    // A run that continues begins the same rows again, and the API knows their keys since the first time.
    if ('sentTime' in entry) begun ??= entry;
    else {
      ended.push(...entry.ended);
      begun = undefined;
    }
  }
  // Other writes may be made again, and create nothing twice.
  if (of.verb === 'create' && begun !== undefined && now - Date.parse(begun.sentTime) > KEY_LIFE_MS)
    throw new CliError(
      `${path}: rows from line ${begun.line} on, 500 at most, were sent more than 23 hours ago, and it is unknown whether they were created. Look for their records. Copy the rows from line ${begun.line} on that have no record into a new file, and move this file and its journal away.`,
    );

  const fd = openSync(path, 'a', 0o600);
  // Unlike writeSync, writeFileSync fails if the disk becomes full after a part of the line.
  const append = (value: Head | Entry): void => writeFileSync(fd, `${JSON.stringify(value)}\n`);
  if (isNew) append(head);

  return {
    run: head.run,
    isNew,
    ended,
    get begun() {
      return begun;
    },
    begin(read) {
      if (begun !== undefined) return;
      begun = { ...read(), sentTime: new Date().toISOString() };
      append(begun);
    },
    end(results) {
      append({ ended: [...results] });
      ended.push(...results);
      begun = undefined;
    },
    close: () => closeSync(fd),
  };
};
