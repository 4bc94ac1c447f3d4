import { step } from '@chairside/concurrency';
import { type NewEvent, type ResourceLimit, ServiceError } from '@chairside/domain';
import type { Filter, UpdateFilter } from 'mongodb';
import { findUnique, untilNoDeadlock } from '../driver/ferretdb.ts';
import { atOnce, isDuplicateKey } from '../driver/statements.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import { withStoredBody } from '../events/event-document.ts';
import { hasOutboxRoom } from './outbox.ts';
import {
  listRecords,
  pageOfRecords,
  type RecordReader,
  type RecordSet,
  type Stored,
} from './record-lists.ts';
import { type RecordFilter, visible, withExternalId, withExternalIds, within } from './record-query.ts';
import {
  EXTERNAL_ID_TOKEN,
  projectionOf,
  type RecordDocument,
  storedFields,
  toFields,
  toRecord,
} from './record-shapes.ts';

/** Maximum number of unpublished events of one record. A write beyond the limit is refused. */
const MAX_UNPUBLISHED_EVENTS = 100;
const MAX_WRITE_TRIES = 30;
const MAX_JITTER = 20;

/** The next version of a record with its event. `deleted` means that the record is deleted. */
export type Change<R> = { record: R; event: NewEvent; deleted?: boolean };

/** How a caller names a record: by its `_id`, or by its external id. */
export type RecordName = string | { externalId: string };

/** Another record of this kind has the external id. Nothing was written. */
export class ExternalIdTakenError extends ServiceError {
  readonly collection: string;
  /** The record that has it; undefined if it is beyond the reach of the caller, or has been deleted meanwhile. */
  readonly recordId: string | undefined;
  /** Whether the record exists beyond the reach of the caller. */
  readonly isBeyondReach: boolean;
  constructor(collection: string, recordId: string | undefined, isBeyondReach: boolean) {
    super('Another record has this external id.');
    this.collection = collection;
    this.recordId = recordId;
    this.isBeyondReach = isBeyondReach;
  }
}

export type WriteResult<R> =
  | { outcome: 'written'; record: R; revision: number; event: NewEvent }
  /** The next version equals the stored one, so nothing was written. */
  | { outcome: 'unchanged'; record: R; revision: number }
  /** There is no such record in this organization. */
  | { outcome: 'missing' }
  /** The record does not have the revision that the caller expects. */
  | { outcome: 'stale' }
  /**
   * Too many callers write the record at once, or the record has too many or too large unpublished events. A later
   * retry may succeed.
   */
  | { outcome: 'busy' };

/** What every record has, or may have, that identifies it. */
export type IdentifiedRecord = { _id: string; externalId?: string | undefined };

/** The records of one kind in one organization. */
export type Records<R> = RecordReader<R, RecordFilter> & {
  /** Whether the record exists. */
  exists(id: string): Promise<boolean>;
  /** The record with this external id; undefined if there is none. */
  findByExternalId(externalId: string): Promise<Stored<R> | undefined>;
  /** The `_id` of the record with this external id; undefined if there is none. */
  idOf(externalId: string): Promise<string | undefined>;
  /** The `_id`s of the records with these external ids, without those that do not exist. */
  idsOf(externalIds: readonly string[]): Promise<Map<string, string>>;
  /**
   * Stores a record and its event in one write.
   *
   * @returns 'exists' when a record with this `_id` exists: the same write was made before
   * @throws {ExternalIdTakenError}
   */
  create(record: R, event?: NewEvent): Promise<'created' | 'exists'>;
  /**
   * Replaces a record by its next version and stores the event, in one write. If another caller has written in between,
   * it reads the record and tries again.
   *
   * @param name a record that gets or loses this external id between two tries is another one then
   * @param change computes the next version; undefined if it equals the current one. It is called again for each try, and
   *   its errors are passed on
   * @param revisions the revisions that the caller accepts; any revision if absent
   * @throws {ExternalIdTakenError}
   */
  edit(
    name: RecordName,
    change: (current: Stored<R>) => Change<R> | undefined | Promise<Change<R> | undefined>,
    revisions?: readonly number[],
  ): Promise<WriteResult<R>>;
};

const one = (set: RecordSet, id: string): Filter<RecordDocument> => ({
  ...within(set.shape, set, { ids: [id] }),
  ...visible,
});

const oneByExternalId = async (set: RecordSet, externalId: string): Promise<Filter<RecordDocument>> => ({
  ...within(set.shape, set),
  ...withExternalId(set.shape, externalId, await set.cipher()),
  ...visible,
});

/** Reads a record and its revision. */
const findRecord = async <R extends IdentifiedRecord>(
  set: RecordSet,
  name: RecordName,
): Promise<Stored<R> | undefined> => {
  const { collection, shape } = set;
  const projection = projectionOf(shape, [...Object.keys(shape.fields), 'revision']);
  const filter = typeof name === 'string' ? one(set, name) : await oneByExternalId(set, name.externalId);
  const document = await findUnique(collection, filter, projection);
  if (document === undefined) return undefined;
  const cipher = await set.cipher();
  const record = await cipher.opening(() => toRecord<R>(shape, document, cipher));
  return { record, revision: document.revision };
};

/** Reads a record that is to be changed. @param revisions the revisions that the caller accepts; any if absent */
export const findToEdit = async <R extends IdentifiedRecord>(
  set: RecordSet,
  name: RecordName,
  revisions: readonly number[] | undefined,
): Promise<{ outcome: 'found'; current: Stored<R> } | { outcome: 'missing' | 'stale' }> => {
  const current = await findRecord<R>(set, name);
  if (current === undefined) return { outcome: 'missing' };
  if (revisions?.includes(current.revision) === false) return { outcome: 'stale' };
  return { outcome: 'found', current };
};

/** Matches a record whose outbox has room for one more event. */
export const hasRoomForEvent: Filter<RecordDocument> = {
  [`outbox.${MAX_UNPUBLISHED_EVENTS - 1}`]: { $exists: false },
  ...hasOutboxRoom,
};

/** The update that turns a record into its next version and stores the event. @param dropped further fields to remove */
export const versionUpdate = <R extends IdentifiedRecord>(
  { shape }: Pick<RecordSet, 'shape'>,
  { record, event, deleted }: Change<R>,
  cipher: Cipher,
  dropped: readonly string[] = [],
): UpdateFilter<RecordDocument> => {
  const fields = toFields(shape, record, cipher);
  delete fields._id;
  // The external id is free at once, although the document stays until its event is published.
  if (deleted) delete fields[EXTERNAL_ID_TOKEN];
  const absent = storedFields(shape).filter((field) => field !== '_id' && fields[field] === undefined);
  const cleared = [...absent, ...dropped];
  return {
    $set: { ...fields, ...(deleted && { deletedAt: event.time }) },
    ...(cleared.length > 0 && {
      $unset: Object.fromEntries(cleared.map((field) => [field, ''] as const)),
    }),
    $inc: { revision: 1 },
    $push: { outbox: withStoredBody(event, cipher) },
    $min: { outboxAt: event.time },
  };
};

/** The `_id` of the record with this external id; undefined if there is none. */
const idOf = async (set: RecordSet, externalId: string): Promise<string | undefined> =>
  (await findUnique(set.collection, await oneByExternalId(set, externalId), { _id: 1 }))?._id;

const idsOf = async (set: RecordSet, externalIds: readonly string[]): Promise<Map<string, string>> => {
  if (externalIds.length === 0) return new Map();
  const { collection, shape } = set;
  const keys = await set.cipher();
  const documents = await collection
    .find(
      { ...within(shape, set), ...withExternalIds(shape, externalIds, keys), ...visible },
      { projection: { externalId: 1 }, ...atOnce(externalIds.length) },
    )
    .toArray();
  const found = await keys.opening(() =>
    documents.map((document) =>
      toRecord<{ _id: string; externalId: string }>(shape, document, keys, ['externalId']),
    ),
  );
  return new Map(found.map(({ _id, externalId }) => [externalId, _id]));
};

const takenBy = async (set: RecordSet, externalId: string): Promise<ExternalIdTakenError> => {
  const id = await idOf(set, externalId);
  const isBeyondReach =
    id === undefined &&
    set.clinicIds !== undefined &&
    (await idOf({ ...set, clinicIds: undefined }, externalId)) !== undefined;
  return new ExternalIdTakenError(set.shape.collection, id, isBeyondReach);
};

/**
 * Makes a statement that writes a record whose `_id` is not new.
 *
 * @throws {ExternalIdTakenError}
 */
export const keepingIdsUnique = async <T>(
  set: RecordSet,
  { externalId }: { externalId?: string | undefined },
  write: () => Promise<T>,
): Promise<T> => {
  try {
    return await untilNoDeadlock(write);
  } catch (error) {
    if (!isDuplicateKey(error) || externalId === undefined) throw error;
    throw await takenBy(set, externalId);
  }
};

/**
 * Writes the next version of a record with its event, if the record still has the revision that was read and its
 * outbox has room.
 *
 * @returns whether it was written
 */
export const writeVersion = async <R extends IdentifiedRecord>(
  set: RecordSet,
  current: Stored<R>,
  change: Change<R>,
): Promise<boolean> => {
  const filter = {
    ...one(set, current.record._id),
    revision: current.revision,
    ...hasRoomForEvent,
    // A row of a batch that two processes try writes its event once.
    'outbox._id': { $ne: change.event._id },
  };
  const cipher = await set.cipher();
  const update = await step(() => versionUpdate(set, change, cipher));
  const { matchedCount } = await keepingIdsUnique(set, change.record, () =>
    set.collection.updateOne(filter, update),
  );
  return matchedCount === 1;
};

/** Waits for a short random time before another try, so that callers who write the same document do not meet again. */
export const jitter = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_JITTER));

const edit = async <R extends IdentifiedRecord>(
  set: RecordSet,
  ...[name, change, revisions]: Parameters<Records<R>['edit']>
): Promise<WriteResult<R>> => {
  let missed: Stored<R> | undefined;
  for (let tries = 0; tries < MAX_WRITE_TRIES; tries++) {
    const found = await findToEdit<R>(set, name, revisions);
    if (found.outcome !== 'found') return found;
    const { current } = found;
    // The write matched nothing although the revision has not changed: the outbox has no room.
    if (missed?.record._id === current.record._id && missed.revision === current.revision)
      return { outcome: 'busy' };
    const next = await change(current);
    if (next === undefined) return { outcome: 'unchanged', ...current };
    if (await writeVersion(set, current, next)) {
      return { outcome: 'written', record: next.record, revision: current.revision + 1, event: next.event };
    }
    missed = current;
    await jitter();
  }
  return { outcome: 'busy' };
};

const create = async <R extends IdentifiedRecord>(
  set: RecordSet,
  record: R,
  event: NewEvent | undefined,
): Promise<'created' | 'exists'> => {
  const { collection, insert, shape, organizationId } = set;
  const { externalId } = record;
  const cipher = await set.cipher();
  const document = await step(() => ({
    ...toFields(shape, record, cipher),
    _id: record._id,
    organizationId,
    revision: 1,
    ...(event !== undefined && { outbox: [withStoredBody(event, cipher)], outboxAt: event.time }),
  }));
  const result = await insert(document as RecordDocument);
  if (result === 'created' || externalId === undefined) return result;
  const own = await collection.findOne({ _id: record._id, organizationId }, { projection: { _id: 1 } });
  if (own !== null) return 'exists';
  throw await takenBy(set, externalId);
};

export const recordsOf = <R extends IdentifiedRecord>(set: RecordSet): Records<R> => {
  const { collection } = set;
  return {
    find: (id) => findRecord(set, id),

    exists: async (id) => (await collection.findOne(one(set, id), { projection: { _id: 1 } })) !== null,
    findByExternalId: (externalId) => findRecord(set, { externalId }),
    idOf: (externalId) => idOf(set, externalId),
    idsOf: (externalIds) => idsOf(set, externalIds),

    list: (filter, fields, signal) => listRecords<R>(set, filter, fields, signal),
    page: (filter, page, fields) => pageOfRecords<R>(set, filter, page, fields),

    create: (record, event) => create(set, record, event),
    edit: (name, change, revisions) => edit<R>(set, name, change, revisions),
  };
};

export const recordLimits: readonly ResourceLimit[] = [
  {
    id: 'outbox_of_record',
    part: 'Writing',
    resource: 'Unpublished events of one record',
    value: MAX_UNPUBLISHED_EVENTS,
    unit: 'events',
    beyond: '503 ServiceUnavailable',
    metric: 'chairside_api_refusals_total',
  },
];
