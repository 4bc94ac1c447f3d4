import type { NewEvent, ResourceLimit } from '@chairside/domain';
import type { Filter, UpdateFilter } from 'mongodb';
import type { Cipher } from '../encryption/ciphers.ts';
import { withStoredBody } from '../events/event-document.ts';
import { hasOutboxRoom } from './outbox.ts';
import {
  listRecords,
  pageOfRecords,
  type RecordReader,
  type RecordSet,
  readingCipher,
  type Stored,
} from './record-lists.ts';
import { type RecordFilter, visible } from './record-query.ts';
import { projectionOf, type RecordDocument, storedFields, toFields, toRecord } from './record-shapes.ts';

/** Maximum number of unpublished events of one record. A write beyond the limit is refused. */
const MAX_UNPUBLISHED_EVENTS = 100;
const MAX_WRITE_TRIES = 30;
const MAX_JITTER = 20;

/** The next version of a record with its event. `deleted` means that the record is deleted. */
export type Change<R> = { record: R; event: NewEvent; deleted?: boolean };

export type WriteResult<R> =
  | { outcome: 'written'; record: R; revision: number; event: NewEvent }
  /** There is no such record in this organization. */
  | { outcome: 'missing' }
  /** The record does not have the revision that the caller expects. */
  | { outcome: 'stale' }
  /**
   * Too many callers write the record at once, or the record has too many or too large unpublished events. A later
   * retry may succeed.
   */
  | { outcome: 'busy' };

/** The records of one kind in one organization. */
export type Records<R> = RecordReader<R, RecordFilter> & {
  /** Whether the record exists. */
  exists(id: string): Promise<boolean>;
  /**
   * Stores a record and its event in one write.
   *
   * @returns 'exists' when a record with this `_id` exists: the same write was made before
   */
  create(record: R, event?: NewEvent): Promise<'created' | 'exists'>;
  /**
   * Replaces a record by its next version and stores the event, in one write. If another caller has written in between,
   * it reads the record and tries again.
   *
   * @param change computes the next version; called again for each try; its errors are passed on
   * @param revisions the revisions that the caller accepts; any revision if absent
   */
  edit(
    id: string,
    change: (current: Stored<R>) => Change<R> | Promise<Change<R>>,
    revisions?: readonly number[],
  ): Promise<WriteResult<R>>;
};

const one = ({ organizationId }: RecordSet, id: string): Filter<RecordDocument> => ({
  organizationId,
  _id: id,
  ...visible,
});

/** Reads a record and its revision. */
const findRecord = async <R extends { _id: string }>(
  set: RecordSet,
  id: string,
): Promise<Stored<R> | undefined> => {
  const { collection, shape } = set;
  const projection = projectionOf(shape, [...Object.keys(shape.fields), 'revision']);
  const document = await collection.findOne(one(set, id), { projection });
  if (document === null) return undefined;
  const cipher = await readingCipher(set);
  const record = await cipher.opening(() => toRecord<R>(shape, document, cipher));
  return { record, revision: document.revision };
};

/** Reads a record that is to be changed. @param revisions the revisions that the caller accepts; any if absent */
export const findToEdit = async <R extends { _id: string }>(
  set: RecordSet,
  id: string,
  revisions: readonly number[] | undefined,
): Promise<{ outcome: 'found'; current: Stored<R> } | { outcome: 'missing' | 'stale' }> => {
  const current = await findRecord<R>(set, id);
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
export const versionUpdate = <R extends { _id: string }>(
  { shape }: Pick<RecordSet, 'shape'>,
  { record, event, deleted }: Change<R>,
  cipher: Cipher,
  dropped: readonly string[] = [],
): UpdateFilter<RecordDocument> => {
  const fields = toFields(shape, record, cipher);
  delete fields._id;
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

/**
 * Writes the next version of a record with its event, if the record still has the revision that was read and its
 * outbox has room.
 *
 * @returns whether it was written
 */
export const writeVersion = async <R extends { _id: string }>(
  set: RecordSet,
  current: Stored<R>,
  change: Change<R>,
): Promise<boolean> => {
  const { matchedCount } = await set.collection.updateOne(
    { ...one(set, current.record._id), revision: current.revision, ...hasRoomForEvent },
    versionUpdate(set, change, await set.cipher()),
  );
  return matchedCount === 1;
};

/** Waits for a short random time before another try, so that callers who write the same document do not meet again. */
export const jitter = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_JITTER));

const edit = async <R extends { _id: string }>(
  set: RecordSet,
  ...[id, change, revisions]: Parameters<Records<R>['edit']>
): Promise<WriteResult<R>> => {
  let missed: number | undefined;
  for (let tries = 0; tries < MAX_WRITE_TRIES; tries++) {
    const found = await findToEdit<R>(set, id, revisions);
    if (found.outcome !== 'found') return found;
    const { current } = found;
    // The write matched nothing although the revision has not changed: the outbox has no room.
    if (missed === current.revision) return { outcome: 'busy' };
    const next = await change(current);
    if (await writeVersion(set, current, next)) {
      return { outcome: 'written', record: next.record, revision: current.revision + 1, event: next.event };
    }
    missed = current.revision;
    await jitter();
  }
  return { outcome: 'busy' };
};

const create = async <R extends { _id: string }>(
  set: RecordSet,
  record: R,
  event: NewEvent | undefined,
): Promise<'created' | 'exists'> => {
  const { insert, shape, organizationId } = set;
  const cipher = event === undefined ? await readingCipher(set) : await set.cipher();
  return insert({
    ...toFields(shape, record, cipher),
    _id: record._id,
    organizationId,
    revision: 1,
    ...(event !== undefined && { outbox: [withStoredBody(event, cipher)], outboxAt: event.time }),
  } as RecordDocument);
};

export const recordsOf = <R extends { _id: string }>(set: RecordSet): Records<R> => {
  const { collection } = set;
  return {
    find: (id) => findRecord(set, id),

    exists: async (id) => (await collection.findOne(one(set, id), { projection: { _id: 1 } })) !== null,

    list: (filter, fields, signal) => listRecords<R>(set, filter, fields, signal),
    page: (filter, page, fields) => pageOfRecords<R>(set, filter, page, fields),

    create: (record, event) => create(set, record, event),
    edit: (id, change, revisions) => edit<R>(set, id, change, revisions),
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
