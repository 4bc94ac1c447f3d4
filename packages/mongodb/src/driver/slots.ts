import type { Collection, Filter, OptionalUnlessRequiredId } from 'mongodb';
import { findUnique, untilNoDeadlock } from './ferretdb.ts';
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

/**
 * Returns the free slots of a scope: the lowest ones, as many as documents may be added. Documents count, too, that have
 * no slot below the maximum.
 */
const freeSlots = async <D extends Slotted>(
  collection: Collection<D>,
  { scope, maximum }: SlotScope<D>,
): Promise<number[]> => {
  const documents = await collection.find(scope, { projection: { slot: 1 }, ...atOnce(maximum) }).toArray();
  const used = new Set(documents.map(({ slot }) => slot));
  const free = Array.from({ length: maximum }, (_, slot) => slot).filter((slot) => !used.has(slot));
  return free.slice(0, Math.max(0, maximum - documents.length));
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
    const free = await freeSlots(collection, scope);
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) return false;
    await collection.insertOne({ ...document, slot } as unknown as OptionalUnlessRequiredId<D>);
    return true;
  };
  for (;;) {
    try {
      return await untilNoDeadlock(insert);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const equal = await findEqual(collection, document._id, scope.otherKey);
      // With the same `_id` it is this document: the driver has repeated an insert whose response was lost.
      if (equal?._id === document._id) return true;
      if (equal !== undefined) throw error;
    }
  }
};
