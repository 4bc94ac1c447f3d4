import { type Patient, patientSearch, ServiceError } from '@chairside/domain';
import type { Filter, FindOptions } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { MAX_EXAMINED, rowExamined } from '../driver/time-order.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import type { SearchState } from '../encryption/search-state.ts';
import { type ExaminationEnd, MAX_EXAMINING_MS, startExamination } from './examination.ts';
import { inIdOrder, type RangeReader } from './id-order.ts';
import type { InsertRecord } from './record-inserts.ts';
import {
  after,
  conditionsOf,
  examinedConditionsOf,
  isSearch,
  orderOf,
  type Position,
  positionOf,
  type Reach,
  type RecordFilter,
  sortBy,
  until,
  withTokens,
} from './record-query.ts';
import { projectionOf, type RecordDocument, type RecordShape, recordReader } from './record-shapes.ts';

/**
 * The number of records in one read, for kinds without a batch size of their own. Each read is a round trip, and a batch
 * stays in memory while the reader is slow.
 */
const BATCH = 200;

/** Maximum number of candidates of a search that are read at once. */
const MAX_CANDIDATES_READ = 200;
/** The fields that a search compares. */
const SEARCHED_FIELDS = ['name', 'phone'] as const satisfies (keyof Patient)[];

/** The search for patients by name and telephone number was switched off for the organization. */
export class SearchOffError extends ServiceError {}

/** A record of a page, and its position, after which the next page begins. */
export type PageRow<R> = { record: R; position: Position };

/** Which page of a list is read: at most `limit` records after a position. */
export type PageRequest = {
  limit: number;
  after?: Position | undefined;
  /** Ends a page of records when it is aborted. */
  signal?: AbortSignal | undefined;
  /** How long a search examines candidates, in milliseconds. Default: `MAX_EXAMINING_MS`. */
  examiningMs?: number | undefined;
};

export type RecordPage<R> = {
  rows: AsyncIterable<PageRow<R>>;
  /**
   * Where the page stopped because it had examined `MAX_EXAMINED` records, or for long enough, after its last row was read:
   * the `after` of the next page. Undefined if the list has no further records.
   */
  stoppedAt(): Position | undefined;
};

export type Stored<R> = { record: R; revision: number };

/** Reads the records or settings of one kind in one organization. */
export type RecordReader<R, F> = {
  find(id: string): Promise<Stored<R> | undefined>;
  /**
   * Streams the records in a stable order: that of the kind, or by `lastEditTime` if the filter has `updatedSince`.
   * Abandoning the iteration closes the database's cursor.
   *
   * @param fields names of the fields to read; `_id` is always read; all when absent
   * @param signal ends a list of records when it is aborted
   */
  list(filter: F, fields?: readonly string[], signal?: AbortSignal): AsyncIterable<R>;
  /** Streams at most `limit` records of the same list, after a position. */
  page(filter: F, page: PageRequest, fields?: readonly string[]): RecordPage<R>;
};

/** The records of one kind that a caller reaches, and the collections that store them. */
export type RecordSet = Reach & {
  collection: Collection<RecordDocument>;
  /** The same collection over connections without a time limit, because the first rows of a long list may take long. */
  streamed: Collection<RecordDocument>;
  /** Stores new records of this kind. */
  insert: InsertRecord;
  shape: RecordShape;
  /** The cipher of the organization. */
  cipher(): Promise<Cipher>;
  /** Whether its patients can be searched for. */
  searchState(): Promise<SearchState>;
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
  const { shape } = set;
  const cipher = await set.cipher();
  const search = patientSearch(filter);
  const state = search === undefined ? 'on' : await set.searchState();
  if (state === 'off') throw new SearchOffError('The search for patients is off.');
  const conditions = conditionsOf(set, shape, filter, cipher);
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
  return {
    // While the search is being switched on, not every patient has tokens, so every patient is examined.
    conditions: { ...conditions, ...(state === 'on' && withTokens(search, cipher)) },
    projection: projectionOf(shape, all),
    read: (document) => cipher.opening(() => found(document)),
  };
};

/**
 * Streams the records that are found in documents.
 *
 * @param open called when the iteration begins
 * @param onEnd called with the last document that was examined, if the examination ended before the documents did
 */
async function* recordsFound<R, Row>(
  open: () => Promise<{ documents: AsyncIterable<RecordDocument>; reading: Reading<R> }>,
  toRow: (record: R, document: RecordDocument) => Row,
  end: ExaminationEnd,
  onEnd?: (document: RecordDocument) => void,
): AsyncGenerator<Row, void> {
  const {
    documents,
    reading: { read },
  } = await open();
  const examination = startExamination(end);
  for await (const document of documents) {
    const found = examination.examine(() => read(document));
    const record = found instanceof Promise ? await found : found;
    if (record !== undefined) yield toRow(record, document);
    if (examination.slice.isOver()) await examination.slice.pause();
    if (!examination.hasEnded()) continue;
    onEnd?.(document);
    return;
  }
}

/** The position at which a page that reads an index must stop, so that it examines at most `MAX_EXAMINED` records. */
const examinedTo = async (
  set: RecordSet,
  filter: RecordFilter,
  position: Position | undefined,
): Promise<Position | undefined> => {
  const { collection, shape } = set;
  const conditions = examinedConditionsOf(set, shape, filter, await set.cipher());
  if (conditions === undefined) return undefined;
  const order = orderOf(shape, filter);
  const left = {
    $and: [conditions, ...(position === undefined ? [] : [after(order, position)])],
  };
  const last = await rowExamined(collection, left, sortBy(order));
  return last && positionOf(order, last);
};

/** The page of a list whose records the database finds. */
const foundPage = <R>(
  set: RecordSet,
  filter: RecordFilter,
  { limit, after: position, signal, examiningMs = MAX_EXAMINING_MS }: PageRequest,
  fields: readonly string[] | undefined,
): RecordPage<R> => {
  const { collection, shape } = set;
  const order = orderOf(shape, filter);
  let stop: Position | undefined;
  const open = async () => {
    stop = await examinedTo(set, filter, position);
    const reading = await openReading<R>(set, filter, fields);
    const { conditions, projection } = reading;
    const documents = collection.find(
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
    return { documents, reading };
  };
  const toRow = (record: R, document: RecordDocument) => ({ record, position: positionOf(order, document) });
  const end = { signal, ...(isSearch(filter) && { maxMs: examiningMs }) };
  const onEnd = (document: RecordDocument) => {
    stop = positionOf(order, document);
  };
  return { rows: recordsFound(open, toRow, end, onEnd), stoppedAt: () => stop };
};

/** The page of a search, in the order of `_id`. */
const searchedPage = <R>(
  set: RecordSet,
  filter: RecordFilter,
  { limit, after: position, signal, examiningMs = MAX_EXAMINING_MS }: PageRequest,
  fields: readonly string[] | undefined,
): RecordPage<R> => {
  let stop: Position | undefined;
  const onEnd = (document: RecordDocument) => {
    stop = positionOf(undefined, document);
  };
  const open = async () => {
    const reading = await openReading<R>(set, filter, fields);
    const { conditions, projection } = reading;
    const find = (range: Filter<RecordDocument>, options: FindOptions & { limit: number }) =>
      set.collection
        .find({ $and: [conditions, range] }, { ...options, batchSize: options.limit + 1 })
        .toArray();
    const reader: RangeReader<RecordDocument> = {
      ids: async (range, count) =>
        (await find(range, { projection: { _id: 1 }, limit: count })).map(({ _id }) => _id),
      documents: (range, count) => find(range, { projection, sort: { _id: 1 }, limit: count }),
    };
    const candidates = inIdOrder(reader, position?.id, Math.min(limit, MAX_CANDIDATES_READ));
    let examined = 0;
    const counted = async function* () {
      for await (const document of candidates) {
        yield document;
        if (++examined === MAX_EXAMINED) return onEnd(document);
      }
    };
    return { documents: counted(), reading };
  };
  const toRow = (record: R, document: RecordDocument) => ({
    record,
    position: positionOf(undefined, document),
  });
  const end = { signal, maxMs: examiningMs };
  return { rows: recordsFound(open, toRow, end, onEnd), stoppedAt: () => stop };
};

/** Streams the records of a list. See {@link RecordReader}. */
export const listRecords = <R>(
  set: RecordSet,
  filter: RecordFilter,
  fields: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<R, void> => {
  const { streamed, shape } = set;
  const open = async () => {
    const reading = await openReading<R>(set, filter, fields);
    const { conditions, projection } = reading;
    const sort = sortBy(orderOf(shape, filter));
    const documents = streamed.find(conditions, { projection, sort, batchSize: shape.batch ?? BATCH });
    return { documents, reading };
  };
  return recordsFound(open, (record) => record, { signal });
};

/** Streams a page of a list. See {@link RecordReader}. */
export const pageOfRecords = <R>(
  set: RecordSet,
  filter: RecordFilter,
  page: PageRequest,
  fields: readonly string[] | undefined,
): RecordPage<R> =>
  isSearch(filter) && orderOf(set.shape, filter) === undefined
    ? searchedPage(set, filter, page, fields)
    : foundPage(set, filter, page, fields);
