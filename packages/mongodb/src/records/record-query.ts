import { MAX_APPOINTMENT_DAYS, type PatientSearch } from '@chairside/domain';
import type { Filter } from 'mongodb';
import { beyond } from '../driver/time-order.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import {
  EXTERNAL_ID_TOKEN,
  externalIdToken,
  lookupText,
  type RecordDocument,
  type RecordShape,
} from './record-shapes.ts';
import { SEARCH_TOKENS, searchTokens } from './search-tokens.ts';

const DAY = 86_400_000;

/** The conditions of a list; a record must meet all of them. Times are ISO 8601. */
export type RecordFilter = {
  clinicId?: string | undefined;
  patientId?: string | undefined;
  providerId?: string | undefined;
  email?: string | undefined;
  externalId?: string | undefined;
  /** Selects patients whose name has, for each of these words, a word that begins with it. See `patientSearch`. */
  name?: string | undefined;
  /** Selects patients who have this telephone number, which may have only its last digits. */
  phone?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Selects records with any of these statuses. No index contains the status. */
  status?: readonly string[] | undefined;
  /**
   * Selects appointments that overlap this period: those that end after `from` and start before `to`. An appointment
   * without an end is selected by its start alone.
   */
  from?: string | undefined;
  to?: string | undefined;
  /** Selects records that were edited at this time or later. The list is then sorted by `lastEditTime`. */
  updatedSince?: string | undefined;
};

/**
 * The last record of a page: the value of the field that the list is sorted by (null if the record has none), and its
 * id.
 */
export type Position = { key: string | null; id: string };

/** What the queries of a caller reach: an organization, or only what belongs to some of its clinics. */
export type Reach = { organizationId: string; clinicIds?: readonly string[] | undefined };

type AnyOf = string | { $in: string[] };
const anyOf = (values: readonly string[]): AnyOf => {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : { $in: [...values] };
};

const inBoth = (
  asked: readonly string[] | undefined,
  reached: readonly string[] | undefined,
): readonly string[] | undefined =>
  reached === undefined ? asked : (asked?.filter((each) => reached.includes(each)) ?? reached);

/**
 * The conditions that every query of records contains: the organization, and the clinics that are reached. Clinics are
 * reached by their own ids. An id beyond the reach finds nothing, like one that does not exist.
 *
 * @param asked the ids, and the clinic, that the caller asks for
 */
export const within = (
  { fields }: Pick<RecordShape, 'fields'>,
  { organizationId, clinicIds }: Reach,
  { ids, clinicId }: { ids?: readonly string[] | undefined; clinicId?: string | undefined } = {},
): { organizationId: string; _id?: AnyOf; clinicId?: AnyOf } => {
  const hasClinic = 'clinicId' in fields;
  const own = inBoth(ids, hasClinic ? undefined : clinicIds);
  const clinics = hasClinic ? inBoth(clinicId === undefined ? undefined : [clinicId], clinicIds) : undefined;
  return {
    organizationId,
    ...(own && { _id: anyOf(own) }),
    ...(clinics && { clinicId: anyOf(clinics) }),
  };
};

/** Excludes deleted records, whose documents exist until their last events are published. */
export const visible = { deletedAt: { $exists: false } };

const overlap = (from: string | undefined, to: string | undefined): Filter<RecordDocument> => {
  const before = to === undefined ? {} : { $lt: new Date(to) };
  if (from === undefined) return { startTime: { $exists: true, ...before } };
  const start = new Date(from);
  return {
    // No appointment is longer than the maximum, so the range on `startTime` alone limits how many index entries are
    // scanned.
    startTime: { $gt: new Date(start.getTime() - MAX_APPOINTMENT_DAYS * DAY - 1), ...before },
    $or: [{ endTime: { $gt: start } }, { endTime: { $exists: false }, startTime: { $gte: start } }],
  };
};

/** Matches the patients with this e-mail address, ignoring case. */
const withEmail = (email: string, cipher: Cipher): Filter<RecordDocument> => ({
  emailToken: cipher.token('email', lookupText(email)),
});

/** Matches the records with these external ids. The second condition is that of the index. */
export const withExternalIds = (
  shape: RecordShape,
  externalIds: readonly string[],
  cipher: Cipher,
): Filter<RecordDocument> => ({
  [EXTERNAL_ID_TOKEN]: {
    $in: externalIds.map((each) => externalIdToken(shape, each, cipher)),
    $exists: true,
  },
});

/** Matches the record with this external id. */
export const withExternalId = (
  shape: RecordShape,
  externalId: string,
  cipher: Cipher,
): Filter<RecordDocument> => withExternalIds(shape, [externalId], cipher);

/** Whether the filter has conditions that are checked after decryption. */
export const isSearch = ({ name, phone }: RecordFilter): boolean => name !== undefined || phone !== undefined;

/** Matches the encrypted patients that a search may find. */
export const withTokens = ({ keys }: PatientSearch, cipher: Cipher): Filter<RecordDocument> => ({
  [SEARCH_TOKENS]: { $all: searchTokens(keys, cipher) },
});

/** The conditions of a list, without those of a search. */
export const conditionsOf = (
  reach: Reach,
  shape: RecordShape,
  filter: RecordFilter,
  cipher: Cipher,
): Filter<RecordDocument> => ({
  ...within(shape, reach, filter),
  ...(filter.patientId !== undefined && { patientId: filter.patientId }),
  ...(filter.providerId !== undefined && { providerId: filter.providerId }),
  ...(filter.email !== undefined && withEmail(filter.email, cipher)),
  ...(filter.externalId !== undefined && withExternalId(shape, filter.externalId, cipher)),
  ...(filter.status !== undefined && { status: { $in: [...filter.status] } }),
  ...((filter.from !== undefined || filter.to !== undefined) && overlap(filter.from, filter.to)),
  ...(filter.updatedSince !== undefined && { lastEditTime: { $gte: new Date(filter.updatedSince) } }),
  ...visible,
});

/** The field that a list is sorted by before `_id`; undefined if it is sorted by `_id` alone. */
export const orderOf = ({ sort }: RecordShape, { updatedSince }: RecordFilter): string | undefined =>
  updatedSince === undefined ? Object.keys(sort).find((field) => field !== '_id') : 'lastEditTime';

export const sortBy = (order: string | undefined): Record<string, 1> =>
  order === undefined ? { _id: 1 } : { [order]: 1, _id: 1 };

/** Matches the records after a position in this order. Records without the field come before those that have it. */
export const after = (order: string | undefined, { key, id }: Position): Filter<RecordDocument> => {
  const behind = { _id: { $gt: id } };
  if (order === undefined) return behind;
  if (key === null)
    return { $or: [{ [order]: { $exists: false }, ...behind }, { [order]: { $exists: true } }] };
  const time = new Date(key);
  return { [order]: { $gte: time }, ...beyond(order, '$gt', { time, _id: id }) };
};

/** Matches the records up to a position in this order. */
export const until = (order: string | undefined, { key, id }: Position): Filter<RecordDocument> => {
  const same = { _id: { $lte: id } };
  if (order === undefined) return same;
  const isAbsent = { [order]: { $exists: false } };
  if (key === null) return { ...isAbsent, ...same };
  const time = new Date(key);
  return { $or: [isAbsent, { [order]: { $lt: time } }, { [order]: time, ...same }] };
};

/**
 * The conditions on fields of the index that a page reads; undefined if an index finds every record that matches the
 * filter, so that a page examines no others.
 */
export const examinedConditionsOf = (
  reach: Reach,
  shape: RecordShape,
  filter: RecordFilter,
  cipher: Cipher,
): Filter<RecordDocument> | undefined => {
  const { patientId, providerId, email, externalId, ids, status, from, to, updatedSince } = filter;
  if (ids !== undefined || externalId !== undefined) return undefined;
  const { organizationId, clinicId } = within(shape, reach, filter);
  const [first, ...others]: Filter<RecordDocument>[] = [
    ...(updatedSince === undefined ? [] : [{ lastEditTime: { $gte: new Date(updatedSince) } }]),
    ...(patientId === undefined ? [] : [{ patientId }]),
    ...(providerId === undefined ? [] : [{ providerId }]),
    ...(email === undefined ? [] : [withEmail(email, cipher)]),
    ...(clinicId === undefined ? [] : [{ clinicId }]),
  ];
  const hasPeriod = from !== undefined || to !== undefined;
  if (others.length === 0 && !hasPeriod && status === undefined && !isSearch(filter)) return undefined;
  const { startTime } = hasPeriod && updatedSince === undefined ? overlap(from, to) : {};
  return { organizationId, ...first, ...(startTime !== undefined && { startTime }) };
};

export const positionOf = (order: string | undefined, document: RecordDocument): Position => {
  const value = order === undefined ? undefined : (document as Record<string, unknown>)[order];
  return { key: value instanceof Date ? value.toISOString() : null, id: document._id };
};
