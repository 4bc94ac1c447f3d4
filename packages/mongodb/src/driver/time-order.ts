import type { ResourceLimit } from '@chairside/domain';
import type { Filter } from 'mongodb';
import type { Collection } from './database.ts';

/** The last row of a page, in a list that is sorted by time and then by `_id`. */
export type TimePosition = { time: Date; _id: string };

/** Whether a position is before another one, in a list that begins with the oldest row. */
export const isBefore = (one: TimePosition, other: TimePosition): boolean =>
  one.time < other.time || (one.time.getTime() === other.time.getTime() && one._id < other._id);

/**
 * Maximum number of rows that one page examines. A page whose filter selects few of them ends early, so that a rare
 * filter costs many short pages instead of one that does not end.
 */
export const MAX_EXAMINED = 10_000;

export const examinedLimits: readonly ResourceLimit[] = [
  {
    id: 'page_examined',
    part: 'Reading',
    resource:
      'Rows that a page of a list examines, if no index finds the rows that match its filter; and candidates of a search for patients',
    value: MAX_EXAMINED,
    unit: 'rows',
    beyond: 'the page ends, perhaps without a row, and its cursor leads on',
  },
];

/**
 * Matches rows after a position: later ones (`$gt`) or, in a list that begins with the newest, earlier ones (`$lt`).
 * The caller adds a range of the field (`$gte` or `$lte`), because MongoDB derives no index bounds from `$or`.
 */
export const beyond = (field: string, comparison: '$gt' | '$lt', { time, _id }: TimePosition) => ({
  $or: [{ [field]: { [comparison]: time } }, { [field]: time, _id: { [comparison]: _id } }],
});

/** Matches rows up to a position. The caller adds a range of the field, as for {@link beyond}. */
export const upTo = (field: string, comparison: '$gt' | '$lt', position: TimePosition) => ({
  $nor: beyond(field, comparison, position).$or,
});

/**
 * Returns the row at which a page must stop so that it examines at most `MAX_EXAMINED`; undefined if fewer rows are left.
 *
 * @param conditions those on fields of the index that the page reads; so this query reads index entries only
 * @param fields the sort order of the list, with 1 or -1 for each field
 */
export const rowExamined = async <D extends { _id: string }>(
  collection: Collection<D>,
  conditions: Filter<D>,
  fields: Readonly<Record<string, 1 | -1>>,
): Promise<D | undefined> => {
  const [last] = await collection
    .find(conditions, {
      projection: Object.fromEntries(Object.keys(fields).map((field) => [field, 1])),
      sort: fields,
      skip: MAX_EXAMINED - 1,
      limit: 1,
    })
    .toArray();
  return last as D | undefined;
};
