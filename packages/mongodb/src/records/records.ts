import { type NewEvent, type Patient, patientSearch, type ResourceLimit } from '@chairside/domain';
import { ServiceError } from '@chairside/runtime';
import type { Collection, Filter, FindCursor, UpdateFilter } from 'mongodb';
import { MAX_EXAMINED, rowExamined } from '../driver/time-order.ts';
import { type Cipher, noCipher } from '../encryption/ciphers.ts';
import type { SearchState } from '../encryption/search-state.ts';
import { withStoredBody } from '../events/event-document.ts';
import {
  projectionOf,
  type RecordDocument,
  type RecordShape,
  recordReader,
  storedFields,
  toFields,
  toRecord,
} from './documents.ts';
import { inIdOrder } from './id-order.ts';
import { hasOutboxRoom } from './outbox.ts';
import type { InsertRecord } from './record-inserts.ts';
import {
  after,
  conditionsOf,
  examinedConditionsOf,
  isSearch,
  orderOf,
  type Position,
  positionOf,
  type RecordFilter,
  sortBy,
  until,
  visible,
  withTokens,
} from './record-query.ts';

/** Maximum number of unpublished events of one record. A write beyond the limit is refused. */
const MAX_UNPUBLISHED_EVENTS = 100;
const MAX_WRITE_TRIES = 30;
const MAX_JITTER = 20;
/**
 * The number of records in one read, for kinds without a batch size of their own. Each read is a round trip, and a batch
 * stays in memory while the reader is slow.
 */
const BATCH = 200;

/** Maximum number of candidates of a search that the database sorts at once. */
const MAX_CANDIDATES_SORTED = 200;
/** The fields that a search compares. */
const SEARCHED_FIELDS = ['name', 'phone'] as const satisfies (keyof Patient)[];

/** The search for patients by name and telephone number was switched off for the organization. */
export class SearchOffError extends ServiceError {}

/** A record of a page, and its position, after which the next page begins. */
export type PageRow<R> = { record: R; position: Position };

export type RecordPage<R> = {
  rows: AsyncIterable<PageRow<R>>;
  /**
   * Where the page stopped because it had examined `MAX_EXAMINED` records, after its last row was read: the `after` of the
   * next page. Undefined if the list has no further records.
   */
  stoppedAt(): Position | undefined;
};

export type Stored<R> = { record: R; revision: number };

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

/** Reads the records or settings of one kind in one organization. */
export type RecordReader<R, F> = {
  find(id: string): Promise<Stored<R> | undefined>;
  /**
   * Streams the records in a stable order: that of the kind, or by `lastEditTime` if the filter has `updatedSince`.
   * Abandoning the iteration closes the database's cursor.
   *
   * @param fields names of the fields to read; `_id` is always read; all when absent
   */
  list(filter: F, fields?: readonly string[]): AsyncIterable<R>;
  /** Streams at most `limit` records of the same list, after a position. */
  page(
    filter: F,
    page: { limit: number; after?: Position | undefined },
    fields?: readonly string[],
  ): RecordPage<R>;
};

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

/** The records of one kind in one organization, and the collections that store them. */
export type RecordSet = {
  collection: Collection<RecordDocument>;
  /** The same collection over connections without a time limit, because the first rows of a long list may take long. */
  streamed: Collection<RecordDocument>;
  /** Stores new records of this kind. */
  insert: InsertRecord;
  shape: RecordShape;
  /** Part of every query. */
  organizationId: string;
  /** The cipher of the organization. */
  cipher(): Promise<Cipher>;
  /** Whether its patients can be searched for. */
  searchState(): Promise<SearchState>;
};

/** The cipher with which records of this kind are read. */
const readingCipher = ({ shape, cipher }: Pick<RecordSet, 'shape' | 'cipher'>): Promise<Cipher> | Cipher =>
  shape.confidential === undefined ? noCipher : cipher();

const one = ({ organizationId }: RecordSet, id: string): Filter<RecordDocument> => ({
  organizationId,
  _id: id,
  ...visible,
});

/** Reads a record and its revision. */
export const findRecord = async <R extends { _id: string }>(
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
    const current = await findRecord<R>(set, id);
    if (current === undefined) return { outcome: 'missing' };
    if (revisions !== undefined && !revisions.includes(current.revision)) return { outcome: 'stale' };
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

/** How the records of a list are read. */
type Reading<R> = {
  conditions: Filter<RecordDocument>;
  projection: Record<string, 1>;
  /** Returns the record in a document; undefined if the list does not have it. */
  read(document: RecordDocument): R | undefined | Promise<R | undefined>;
};

/**
 * Prepares to read a list.
 *
 * @param fields names of the fields to read; all when absent
 * @throws {SearchOffError} if the filter is a search, and the search is off
 */
const openReading = async <R>(
  set: RecordSet,
  filter: RecordFilter,
  fields: readonly string[] = Object.keys(set.shape.fields),
): Promise<Reading<R>> => {
  const { shape, organizationId } = set;
  const cipher = await readingCipher(set);
  const search = patientSearch(filter);
  const state = search === undefined ? 'on' : await set.searchState();
  if (state === 'off') throw new SearchOffError('The search for patients is off.');
  const conditions = conditionsOf(organizationId, filter, cipher);
  if (search === undefined) {
    const read = recordReader<R>(shape, fields);
    const opened = (document: RecordDocument) => cipher.opening(() => read(document, cipher));
    return { conditions, projection: projectionOf(shape, fields), read: opened };
  }
  const all = [...new Set([...fields, ...SEARCHED_FIELDS])];
  const read = recordReader<Record<string, unknown>>(shape, all);
  const hidden = all.filter((field) => !fields.includes(field));
  const found = (document: RecordDocument): R | undefined => {
    const record = read(document, cipher);
    if (!search.finds(record)) return undefined;
    for (const field of hidden) delete record[field];
    return record as R;
  };
  // Without a token for each patient, every patient is examined.
  const hasTokens = state === 'on' && !cipher.acceptsText;
  return {
    conditions: { ...conditions, ...(hasTokens && withTokens(search, cipher)) },
    projection: projectionOf(shape, all),
    read: (document) => cipher.opening(() => found(document)),
  };
};

/** Streams the records that are found in documents. Abandoning the iteration closes the database's cursor. */
async function* rowsIn<R>(cursor: FindCursor<RecordDocument>, { read }: Reading<R>): AsyncGenerator<R, void> {
  try {
    for await (const document of cursor) {
      const record = await read(document);
      if (record !== undefined) yield record;
    }
  } finally {
    await cursor.close();
  }
}

/** The position at which a page that reads an index must stop, so that it examines at most `MAX_EXAMINED` records. */
const examinedTo = async (
  set: RecordSet,
  filter: RecordFilter,
  position: Position | undefined,
): Promise<Position | undefined> => {
  const { collection, shape, organizationId } = set;
  const conditions = examinedConditionsOf(filter, await readingCipher(set));
  if (conditions === undefined) return undefined;
  const order = orderOf(shape, filter);
  const left = {
    $and: [{ organizationId, ...conditions }, ...(position === undefined ? [] : [after(order, position)])],
  };
  const last = await rowExamined(collection, left, sortBy(order));
  return last && positionOf(order, last);
};

type PageRequest = Parameters<RecordReader<unknown, RecordFilter>['page']>[1];

/** The page of a list whose records the database finds. */
const foundPage = <R>(
  set: RecordSet,
  filter: RecordFilter,
  { limit, after: position }: PageRequest,
  fields?: readonly string[],
): RecordPage<R> => {
  const { collection, shape } = set;
  const order = orderOf(shape, filter);
  let stop: Position | undefined;
  const rows = async function* () {
    stop = await examinedTo(set, filter, position);
    const { conditions, projection, read } = await openReading<R>(set, filter, fields);
    const cursor = collection.find(
      {
        $and: [
          conditions,
          ...(position === undefined ? [] : [after(order, position)]),
          ...(stop === undefined ? [] : [until(order, stop)]),
        ],
      },
      {
        projection: { ...projection, ...(order !== undefined && { [order]: 1 }) },
        sort: sortBy(order),
        // The page of a search may have fewer records than documents.
        ...(isSearch(filter) ? {} : { limit }),
        batchSize: shape.batch ?? limit + 1,
      },
    );
    yield* rowsIn(cursor, {
      conditions,
      projection,
      async read(document) {
        const record = await read(document);
        return record && { record, position: positionOf(order, document) };
      },
    });
  };
  return { rows: rows(), stoppedAt: () => stop };
};

/** The page of a search, in the order of `_id`. */
const searchedPage = <R>(
  set: RecordSet,
  filter: RecordFilter,
  { limit, after: position }: PageRequest,
  fields?: readonly string[],
): RecordPage<R> => {
  let stop: Position | undefined;
  const rows = async function* () {
    const { conditions, projection, read } = await openReading<R>(set, filter, fields);
    const candidates = inIdOrder<RecordDocument>(
      (range, options) =>
        set.collection
          .find({ $and: [conditions, range] }, { projection, ...options, batchSize: options.limit + 1 })
          .toArray(),
      position?.id,
      Math.min(limit, MAX_CANDIDATES_SORTED),
    );
    let examined = 0;
    for await (const document of candidates) {
      const record = await read(document);
      if (record !== undefined) yield { record, position: positionOf(undefined, document) };
      if (++examined < MAX_EXAMINED) continue;
      stop = positionOf(undefined, document);
      return;
    }
  };
  return { rows: rows(), stoppedAt: () => stop };
};

export const recordsOf = <R extends { _id: string }>(set: RecordSet): Records<R> => {
  const { collection, streamed, shape } = set;
  return {
    find: (id) => findRecord(set, id),

    exists: async (id) => (await collection.findOne(one(set, id), { projection: { _id: 1 } })) !== null,

    async *list(filter, fields) {
      const reading = await openReading<R>(set, filter, fields);
      const { conditions, projection } = reading;
      const sort = sortBy(orderOf(shape, filter));
      yield* rowsIn(
        streamed.find(conditions, { projection, sort, batchSize: shape.batch ?? BATCH }),
        reading,
      );
    },

    page: (filter, page, fields) =>
      isSearch(filter) && orderOf(shape, filter) === undefined
        ? searchedPage(set, filter, page, fields)
        : foundPage(set, filter, page, fields),

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
