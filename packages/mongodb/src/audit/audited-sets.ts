import { createHash } from 'node:crypto';
import { packId, type ResourceLimit, unpackId } from '@chairside/domain';
import { LRUCache } from 'lru-cache';
import { Binary } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { rowsOf } from '../driver/rows.ts';
import { atMost, byId, upsertAll } from '../driver/statements.ts';

/*
 * An audit entry of a long list refers to sets of ids instead of containing the ids. Many lists contain the same records,
 * for example the nightly reads of a partner, so their entries share most sets. A set is stored and indexed only once.
 */

export type AuditedSetDocument = {
  /** The organization and the digest of the ids. */
  _id: string;
  organizationId: string;
  /** The ids, packed (`packId`). */
  ids: Binary[];
  /** Not before the end of any entry that refers to the set. */
  expireAt: Date;
};

/** Shorter lists stay in their entries. */
const MIN_IDS = 50;
/** Maximum number of ids in one set. On average a set has 64. */
const MAX_SET = 256;
/** A set is kept this much longer than its entries, so that not each new entry must prolong it. */
const SLACK_MS = 30 * 24 * 60 * 60 * 1000;
/** Maximum number of sets of one record with which its entries are searched for. */
export const MAX_SETS_OF_RECORD = 1000;
/** The number of sets in a batch of rows, which the driver parses without a pause. */
const SETS_IN_BATCH = 50;
/** How long it is remembered that a set is stored. Sets end only by expiry, and with their organization. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 2000;

/** Stores the sets of ids of all organizations. */
export type AuditedSetWriter = {
  /**
   * Stores the ids of an entry as sets.
   *
   * @param until when the entry expires
   * @returns the names of the sets in the organization; undefined if the ids must stay in the entry
   */
  add(organizationId: string, ids: readonly string[], until: Date): Promise<string[] | undefined>;
};

/** Reads the sets of ids. */
export type AuditedSetReader = {
  /** Reads sets of an organization: their ids, by name. */
  read(organizationId: string, names: readonly string[]): Promise<ReadonlyMap<string, string[]>>;
  /**
   * The names of all sets of an organization that contain this id; undefined if there are more than
   * `MAX_SETS_OF_RECORD`. Each list with another choice of records may add one.
   */
  containing(organizationId: string, id: string): Promise<string[] | undefined>;
  /** Which of these sets contain this id. */
  among(organizationId: string, names: readonly string[], id: string): Promise<ReadonlySet<string>>;
};

/**
 * Divides ids into sets. A set ends at an id whose last six bits, which are random, are zero. So lists that have most ids
 * in common have most sets in common, wherever they begin.
 */
const divide = (ids: readonly Uint8Array[]): Uint8Array[][] => {
  const sets: Uint8Array[][] = [[]];
  for (const id of ids.toSorted(Buffer.compare)) {
    const current = sets.at(-1) as Uint8Array[];
    current.push(id);
    if (((id.at(-1) ?? 0) & 63) === 0 || current.length === MAX_SET) sets.push([]);
  }
  return sets.filter(({ length }) => length > 0);
};

const nameOf = (ids: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(ids)).digest('base64url').slice(0, 22);

const documentId = (organizationId: string, name: string): string => `${organizationId}-${name}`;
const nameIn = (organizationId: string, _id: string): string => _id.slice(organizationId.length + 1);

export const auditedSetWriter = (collection: Collection<AuditedSetDocument>): AuditedSetWriter => {
  /** When the sets that are known to be stored expire at the earliest, by `_id`. */
  const ends = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  return {
    async add(organizationId, ids, until) {
      if (ids.length < MIN_IDS) return undefined;
      const packed = [...new Set(ids)].map(packId);
      if (!packed.every((each) => each !== undefined)) return undefined;
      const sets = new Map(divide(packed).map((set) => [nameOf(set), set]));
      const names = [...sets.keys()];
      const isKept = (name: string) => (ends.get(documentId(organizationId, name)) ?? 0) >= until.getTime();
      const unknown = names.filter((name) => !isKept(name));
      if (unknown.length === 0) return names;
      const present = await collection
        .find(
          {
            _id: { $in: unknown.map((name) => documentId(organizationId, name)) },
            organizationId,
            expireAt: { $gte: until },
          },
          { projection: { expireAt: 1 }, ...byId },
        )
        .toArray();
      for (const { _id, expireAt } of present) ends.set(_id, expireAt.getTime());
      const missing = unknown.filter((name) => !isKept(name));
      const expireAt = new Date(until.getTime() + SLACK_MS);
      await upsertAll(
        collection,
        missing.map((name) => ({
          filter: { _id: documentId(organizationId, name), organizationId },
          update: {
            $setOnInsert: { ids: (sets.get(name) ?? []).map((id) => new Binary(id)) },
            $max: { expireAt },
          },
        })),
      );
      for (const name of missing) ends.set(documentId(organizationId, name), expireAt.getTime());
      return names;
    },
  };
};

export const auditedSetReader = (collection: Collection<AuditedSetDocument>): AuditedSetReader => ({
  async read(organizationId, names) {
    const _ids = [...new Set(names)].map((name) => documentId(organizationId, name));
    if (_ids.length === 0) return new Map();
    const found = collection.find(
      { _id: { $in: _ids }, organizationId },
      { projection: { ids: 1 }, batchSize: SETS_IN_BATCH, ...byId },
    );
    const rows = rowsOf(found, ({ _id, ids }) => ({
      name: nameIn(organizationId, _id),
      ids: ids.map((id) => unpackId(id.value() as Uint8Array)),
    }));
    const idsOf = new Map<string, string[]>();
    for await (const { name, ids } of rows) idsOf.set(name, ids);
    return idsOf;
  },

  async containing(organizationId, id) {
    const packed = packId(id);
    if (packed === undefined) return [];
    const found = await collection
      .find(
        { organizationId, ids: new Binary(packed) },
        { projection: { _id: 1 }, ...atMost(MAX_SETS_OF_RECORD + 1, 'id') },
      )
      .toArray();
    if (found.length > MAX_SETS_OF_RECORD) return undefined;
    return found.map(({ _id }) => nameIn(organizationId, _id));
  },

  async among(organizationId, names, id) {
    const packed = packId(id);
    const _ids = [...new Set(names)].map((name) => documentId(organizationId, name));
    if (packed === undefined || _ids.length === 0) return new Set();
    const found = await collection
      .find(
        { _id: { $in: _ids }, organizationId, ids: new Binary(packed) },
        { projection: { _id: 1 }, ...byId },
      )
      .toArray();
    return new Set(found.map(({ _id }) => nameIn(organizationId, _id)));
  },
});

export const auditedSetLimits: readonly ResourceLimit[] = [
  {
    id: 'audited_sets_of_record',
    part: 'Reading',
    resource: 'Different parts of long lists through which the audit entries of one record are found',
    value: MAX_SETS_OF_RECORD,
    unit: 'parts',
    beyond: 'a page of these entries examines all entries, like a page whose filter no index covers',
  },
];
