import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { inOrderOf } from '../driver/ferretdb.ts';
import { atOnce, failedForOthers } from '../driver/statements.ts';

/** Maximum number of tries for a group if other callers write the same documents at the same time. */
const MAX_TRIES = 10;

type ImportedFields = { _id: string; organizationId: string };

/** The document that a line of an import describes. `number` is the number of the line, counted from 1. */
export type WantedDocument = { number: number; externalId: string };
/** How the documents of a kind are found by their external ids. */
export type ByExternalId<D> = {
  /** Matches the documents with these external ids. */
  conditions(externalIds: readonly string[]): Filter<D>;
  /** The external id of a document that was found. */
  externalIdOf(document: D): string | Promise<string>;
};
/** The write that a line needs. */
export type PlannedWrite<D extends ImportedFields, W extends WantedDocument> = {
  wanted: W;
  /** The `_id` of the document. */
  _id: string;
  isNew: boolean;
  write: AnyBulkWriteOperation<D>;
};
export type ImportCounts = { created: number; updated: number; unchanged: number };

/**
 * @returns false if some documents were not written, because another caller has changed them or their outbox is full
 */
const writeAll = async <D extends ImportedFields>(
  collection: Collection<D>,
  writes: readonly AnyBulkWriteOperation<D>[],
): Promise<boolean> => {
  try {
    const { insertedCount, matchedCount } = await collection.bulkWrite(writes, { ordered: false });
    return insertedCount + matchedCount === writes.length;
  } catch (error) {
    // DocumentDB ends one of two statements that wait for each other's external ids. It is planned again.
    if (!failedForOthers(error)) throw error;
    return false;
  }
};

/** The stored documents of these lines, by their external ids. */
export const readStored = async <D extends ImportedFields>(
  collection: Collection<D>,
  organizationId: string,
  { conditions, externalIdOf }: ByExternalId<D>,
  lines: readonly { externalId: string }[],
): Promise<Map<string, D>> => {
  const filter = { organizationId, ...conditions(lines.map(({ externalId }) => externalId)) } as Filter<D>;
  const documents = await collection
    .find<D>(filter, { projection: { outbox: 0 }, ...atOnce(lines.length) })
    .toArray();
  return new Map(
    await Promise.all(documents.map(async (document) => [await externalIdOf(document), document] as const)),
  );
};

/**
 * Writes the documents of a group of lines. If another caller changes one of them between the read and the write, the
 * documents that are not written yet are read and planned again.
 *
 * @param planFor returns undefined if the stored document needs no write. It must also return undefined for a document
 *   that its own write has stored
 * @param beforeWrite called before each statement, with the writes in that statement
 * @returns the counts, and the numbers of the lines that could not be written
 */
export const writeLines = async <
  D extends ImportedFields,
  W extends WantedDocument,
  P extends PlannedWrite<D, W>,
>(
  collection: Collection<D>,
  organizationId: string,
  byExternalId: ByExternalId<D>,
  wanted: readonly W[],
  planFor: (wanted: W, stored: D | undefined) => P | undefined | Promise<P | undefined>,
  beforeWrite: (plan: readonly P[]) => Promise<void> = async () => {},
): Promise<ImportCounts & { missed: number[] }> => {
  let waiting = wanted;
  let first: readonly P[] | undefined;
  for (let tries = 0; tries < MAX_TRIES && waiting.length > 0; tries++) {
    const stored = await readStored(collection, organizationId, byExternalId, waiting);
    const planned = await Promise.all(waiting.map((each) => planFor(each, stored.get(each.externalId))));
    const plan = planned.filter((each) => each !== undefined);
    first ??= plan;
    waiting = plan.map((planned) => planned.wanted);
    if (plan.length === 0) break;
    await beforeWrite(plan);
    const writes = inOrderOf(plan, ({ wanted }) => wanted.externalId).map(({ write }) => write);
    if (await writeAll(collection, writes)) waiting = [];
  }
  const missed = waiting.map(({ number }) => number);
  const done = (first ?? []).filter((planned) => !missed.includes(planned.wanted.number));
  const created = done.filter(({ isNew }) => isNew).length;
  return {
    created,
    updated: done.length - created,
    unchanged: wanted.length - done.length - missed.length,
    missed,
  };
};
