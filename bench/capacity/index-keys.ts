import type { Collection, Document } from 'mongodb';
import { BSON } from 'mongodb';

/** The mean size of the documents of a collection and of their index keys, before compression. */
export type Sizes = { documents: number; bytes: number; keys: number; keyBytes: number };

/** The bytes by which an index key refers to its document. */
const RECORD_ID_BYTES = 4;

const valueAt = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Document | undefined)?.[name], document);

/** The size of a value in an index key of MongoDB: a type and the value, whose text ends with a zero. */
const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (value instanceof Date) return 9;
  if (typeof value === 'number') return 3;
  if (value instanceof BSON.Binary) return value.length() + 3;
  return 1;
};

const product = (lists: readonly (readonly number[])[]): number[] =>
  lists.reduce<number[]>((sums, list) => sums.flatMap((sum) => list.map((each) => sum + each)), [0]);

/** The sizes of the keys of one document in one index. */
const keysOf = (document: Document, fields: readonly string[]): number[] =>
  product(
    fields.map((field) => {
      const value = valueAt(document, field);
      return Array.isArray(value) && value.length > 0 ? value.map(bytesOf) : [bytesOf(value)];
    }),
  ).map((bytes) => bytes + RECORD_ID_BYTES);

/** Measures the documents that match a filter. The indexes are those of the collection, so a new one counts by itself. */
export const sizesOf = async (collection: Collection, filter: Document = {}): Promise<Sizes> => {
  const all = await collection.find(filter).toArray();
  const sizes: Sizes = { documents: all.length, bytes: 0, keys: 0, keyBytes: 0 };
  for (const document of all) sizes.bytes += BSON.calculateObjectSize(document) / all.length;
  for (const { key, partialFilterExpression } of await collection.indexes()) {
    const indexed =
      partialFilterExpression === undefined
        ? all
        : await collection.find({ $and: [filter, partialFilterExpression] }).toArray();
    for (const document of indexed)
      for (const bytes of keysOf(document, Object.keys(key))) {
        sizes.keys += 1 / all.length;
        sizes.keyBytes += bytes / all.length;
      }
  }
  return sizes;
};
