import { batched } from '@chairside/concurrency';
import type { Collection } from '../driver/database.ts';
import { inOrderOf, untilNoDeadlock } from '../driver/ferretdb.ts';
import { DUPLICATE_KEY, deadlocksIn, failuresIn, isDuplicateKey } from '../driver/statements.ts';
import { isDatabaseUnavailable } from '../driver/unavailable.ts';
import { lengthOfBody } from '../events/event-document.ts';
import { EXTERNAL_ID_TOKEN, type RecordDocument } from './record-shapes.ts';

/** Maximum size of several records that are stored together, in bytes. */
const MAX_GROUP_BYTES = 1024 * 1024;
/**
 * The size that is counted for a record in addition to the bodies of its events, in bytes. It also limits the number of
 * records in a group.
 */
const RECORD_BYTES = 4096;
/** How many groups of one kind are stored concurrently. */
const GROUPS_AT_ONCE = 2;

/**
 * Stores a new record.
 *
 * @returns 'exists' when a record with this `_id` or this external id exists
 */
export type InsertRecord = (document: RecordDocument) => Promise<'created' | 'exists'>;

/**
 * Estimates the size of a record. An event contains the fields of its record, so a record is about as large as its
 * event.
 */
const bytesOf = ({ outbox = [] }: RecordDocument): number =>
  outbox.reduce((sum, { body }) => sum + 2 * lengthOfBody(body), RECORD_BYTES);

/** The order of what other processes may insert at the same time: the external id, or else the `_id`. */
const insertKey = (document: RecordDocument): string => {
  const token = (document as { [EXTERNAL_ID_TOKEN]?: Uint8Array })[EXTERNAL_ID_TOKEN];
  return `${token === undefined ? '' : Buffer.from(token).toString('hex')} ${document._id}`;
};

/**
 * Returns a function that stores new records of one kind, for all organizations. Records of concurrent callers are
 * stored with one statement, so that they share the round trip and the journal write of the database. Each record is
 * still stored with its event or not at all, and can be refused individually.
 */
export const insertsInto = (collection: Collection<RecordDocument>): InsertRecord => {
  type Result = Awaited<ReturnType<InsertRecord>>;
  const insertAlone = async (document: RecordDocument): Promise<Result> => {
    try {
      await untilNoDeadlock(() => collection.insertOne(document));
      return 'created';
    } catch (error) {
      if (isDuplicateKey(error)) return 'exists';
      throw error;
    }
  };
  const insert = async (documents: readonly RecordDocument[]): Promise<(Result | Promise<Result>)[]> => {
    const sorted = inOrderOf(documents, insertKey);
    let failures: ReadonlyMap<number, unknown> = new Map();
    let deadlocks: ReadonlySet<number> = new Set();
    let problem: unknown;
    try {
      await collection.insertMany(sorted, { ordered: false });
    } catch (error) {
      const found = failuresIn(error);
      if (found === undefined) throw error;
      [failures, deadlocks, problem] = [found, deadlocksIn(error), error];
    }
    const places = new Map(sorted.map((document, index) => [document, index]));
    return documents.map((document) => {
      const place = places.get(document) ?? -1;
      const code = failures.get(place);
      if (code === undefined) return 'created';
      if (deadlocks.has(place)) return insertAlone(document);
      return code === DUPLICATE_KEY ? 'exists' : Promise.reject(problem);
    });
  };

  return batched<RecordDocument, Result>(
    async (documents) => {
      try {
        return await insert(documents);
      } catch (error) {
        if (isDatabaseUnavailable(error) || documents.length === 1) throw error;
        // The statement was refused as a whole, perhaps because of one of the records. So each record is inserted on
        // its own.
        return documents.map(async (document) => (await insert([document]))[0] as Result);
      }
    },
    MAX_GROUP_BYTES,
    { atOnce: GROUPS_AT_ONCE, sizeOf: bytesOf },
  );
};
