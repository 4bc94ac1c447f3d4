import type { AuditEntry } from '@chairside/client';

type Entry = Pick<AuditEntry, '_id' | 'time' | 'action' | 'principal' | 'by' | 'ids' | 'count'>;

/** One opening of a record, or one list that has shown it: the entries that it has left, the newest first. */
export type Look<E extends Entry = AuditEntry> = { entries: [E, ...E[]] };

/** How somebody has looked at a record: the looks, the newest first. */
export type Viewer<E extends Entry = AuditEntry> = {
  key: string;
  looks: [Look<E>, ...Look<E>[]];
  times: number;
};

/** Who has looked at a record. */
export type Seen<E extends Entry = AuditEntry> = {
  /** Those who have opened or exported it, or read its events. */
  opened: Viewer<E>[];
  /** Those to whom lists have shown it, among others. */
  listed: Viewer<E>[];
  /** Those who have changed it, or tried to do something. */
  others: Viewer<E>[];
};

/** Entries of one principal with no longer pause are one opening: a page needs several requests. In milliseconds. */
const PAUSE_MS = 60_000;

const OPENINGS: readonly AuditEntry['action'][] = ['read', 'events_read', 'exported'];

const partOf = ({ action }: Entry): keyof Seen => {
  if (action === 'listed') return 'listed';
  return OPENINGS.includes(action) ? 'opened' : 'others';
};

const whoOf = ({ principal: { kind, id }, by = '' }: Entry): string => [kind, id, by].join(' ');

const groupsOf = <T>(values: readonly T[], keyOf: (value: T) => string): [string, T[]][] => [
  ...Map.groupBy(values, keyOf),
];

/** Entries of one principal as looks. @param isFolded whether entries with short pauses are one look */
const looksOf = <E extends Entry>(entries: readonly E[], isFolded: boolean): Look<E>[] => {
  const looks: Look<E>[] = [];
  for (const entry of entries) {
    const last = looks.at(-1)?.entries;
    const before = last?.at(-1);
    const isSame =
      isFolded && before !== undefined && Date.parse(before.time) - Date.parse(entry.time) <= PAUSE_MS;
    if (isSame) last?.push(entry);
    else looks.push({ entries: [entry] });
  }
  return looks;
};

/** How often a look has happened: an entry may stand for several reads. */
const timesOf = <E extends Entry>({ entries }: Look<E>): number =>
  Math.max(...entries.map(({ count = 1 }) => count));

/**
 * Folds the audit entries of a record: by who it was, and the requests of one opening.
 *
 * @param entries the newest first
 * @returns in each part the viewers in the order of their last look, the newest first
 */
export const seenOf = <E extends Entry>(entries: readonly E[]): Seen<E> => {
  const partWith = (part: keyof Seen): Viewer<E>[] =>
    groupsOf(
      entries.filter((entry) => partOf(entry) === part),
      whoOf,
    ).flatMap(([key, own]) => {
      const [first, ...looks] = looksOf(own, part === 'opened');
      if (first === undefined) return [];
      const times = [first, ...looks].reduce((sum, look) => sum + timesOf(look), 0);
      return [{ key, looks: [first, ...looks], times }];
    });
  return { opened: partWith('opened'), listed: partWith('listed'), others: partWith('others') };
};
