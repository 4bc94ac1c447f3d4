import type { Filter, OptionalUnlessRequiredId } from 'mongodb';
import type { Collection } from './database.ts';
import { findUnique, isDeadlock } from './ferretdb.ts';
import { atOnce, isDuplicateKey } from './statements.ts';

/** A document that occupies one of the slots of its scope. */
export type Slotted = {
  _id: string;
  /**
   * A number that is unique in the scope and less than the maximum of the scope. Its unique index limits the number of
   * documents, even if several processes insert documents at the same time. An operator whose deletion was reverted has
   * no slot. The field is for the store only: no response, export or audit entry contains it.
   */
  slot?: number;
};

/** A set of documents whose number is limited. */
export type SlotScope<D extends Slotted> = {
  /** Matches the documents of the scope. Its fields and `slot` are the key of a unique index. */
  scope: Filter<D>;
  /** The maximum number of documents in the scope. */
  maximum: number;
  /** Matches a document with the same value in another unique index, such as an e-mail address. */
  otherKey?: Filter<D>;
};

/** The number of random slots that are looked up together. Unless a scope is almost full, one of them is free. */
const DRAWN = 32;

/** The slots of the documents that a filter matches. */
const slotsOf = async <D extends Slotted>(
  collection: Collection<D>,
  filter: Filter<D>,
  most: number,
): Promise<(number | undefined)[]> =>
  (await collection.find(filter, { projection: { slot: 1 }, ...atOnce(most) }).toArray()).map(
    ({ slot }) => slot,
  );

/**
 * Returns a random free slot of a scope; undefined if it is full. Indexes count the documents, so a refused insert reads none of
 * them, however many there are.
 */
const findFreeSlot = async <D extends Slotted>(
  collection: Collection<D>,
  { scope, maximum }: SlotScope<D>,
): Promise<number | undefined> => {
  const total = await collection.countDocuments(scope, { limit: maximum });
  if (total >= maximum) return undefined;
  const slotted = await collection.countDocuments({
    ...scope,
    slot: { $exists: true, $gte: 0, $lt: maximum },
  } as Filter<D>);
  if (slotted === total) {
    const drawn = Array.from({ length: DRAWN }, () => Math.floor(Math.random() * maximum));
    const used = await slotsOf(
      collection,
      { ...scope, slot: { $exists: true, $in: drawn } } as Filter<D>,
      DRAWN,
    );
    const free = drawn.find((slot) => !used.includes(slot));
    if (free !== undefined) return free;
  }
  // A document without a slot below the maximum, such as that of a caller with a higher maximum, takes the place of one. So of
  // the free slots, only the lowest may be used, as many as there are places.
  const every = await slotsOf(collection, scope, maximum);
  const used = new Set(every);
  const free = Array.from({ length: maximum }, (_, slot) => slot).filter((slot) => !used.has(slot));
  const places = Math.max(0, maximum - every.length);
  return free.slice(0, places)[Math.floor(Math.random() * places)];
};

/**
 * Finds the document that has the same `_id` or the same other key as a refused insert. If there is none, another
 * caller has taken the slot.
 */
const findEqual = async <D extends Slotted>(
  collection: Collection<D>,
  _id: string,
  otherKey: Filter<D> | undefined,
): Promise<{ _id: unknown } | undefined> =>
  (await findUnique(collection, { _id } as Filter<D>, { _id: 1 })) ??
  (otherKey && (await findUnique(collection, otherKey, { _id: 1 })));

/** The last repeated insert of each scope in this process. */
const repeated = new Map<string, Promise<unknown>>();

/**
 * Repeats inserts of a scope one after the other. PostgreSQL ends one insert of a deadlock a second. If it were repeated at
 * once, it would join the same deadlock, and as many as before would wait for each other.
 */
const inLine = async <T>(scope: object, insert: () => Promise<T>): Promise<T> => {
  const key = JSON.stringify(scope);
  const result = (repeated.get(key) ?? Promise.resolve()).then(insert);
  const ended = result.catch(() => {});
  repeated.set(key, ended);
  try {
    return await result;
  } finally {
    if (repeated.get(key) === ended) repeated.delete(key);
  }
};

/**
 * Inserts a document into a free slot of its scope. Callers of any number of processes together never exceed the
 * maximum of the scope.
 *
 * @returns false if no slot is free; nothing is inserted then
 * @throws {MongoServerError} with the code of a duplicate key if a document with the same `otherKey` exists
 */
export const insertIntoFreeSlot = async <D extends Slotted>(
  collection: Collection<D>,
  document: Omit<D, 'slot'> & Slotted,
  scope: SlotScope<D>,
): Promise<boolean> => {
  // A random free slot is chosen, and a new one after a collision or a deadlock. If all callers took the first free
  // slot, or the same one again, they would collide again and again.
  const insert = async (): Promise<boolean> => {
    const slot = await findFreeSlot(collection, scope);
    if (slot === undefined) return false;
    await collection.insertOne({ ...document, slot } as unknown as OptionalUnlessRequiredId<D>);
    return true;
  };
  for (let deadlocks = 0; ; ) {
    try {
      return await (deadlocks === 0 ? insert() : inLine(scope.scope, insert));
    } catch (error) {
      if (isDeadlock(error) && ++deadlocks < scope.maximum) continue;
      if (!isDuplicateKey(error)) throw error;
      const equal = await findEqual(collection, document._id, scope.otherKey);
      // With the same `_id` it is this document: the driver has repeated an insert whose response was lost.
      if (equal?._id === document._id) return true;
      if (equal !== undefined) throw error;
    }
  }
};
