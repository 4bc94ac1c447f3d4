import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { clock, ServiceError } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { insertNew } from '../driver/statements.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { MAX_KEY_NUMBER } from './sealed-value.ts';

const KEY_BYTES = 32;
/** The key from which the keys of search tokens are derived. It is never replaced, because stored tokens depend on it. */
const TOKEN_KEY = 0;
const FIRST_DATA_KEY = 1;
/** The number of organizations whose keys are examined together. */
const PAGE = 500;

/**
 * A key of an organization. The number 0 is the key for search tokens, and the others are data keys, of which the one with
 * the highest number seals. Data keys stay, because stored values may need them.
 */
export type DataKeyDocument = {
  /** `<organization>:<number>` */
  _id: string;
  organizationId: string;
  number: number;
  /** The key, encrypted by a `KeyWrapper`. Absent if the key was destroyed with its organization. */
  wrapped?: string;
  /** How many values this key has sealed. The count may be too low by some 10,000 for each process. */
  uses: number;
  createdTime: Date;
  /** When the organization was deleted. No further key is created for it. */
  destroyedTime?: Date;
};

/** The part of an organization that tells whether it had keys. */
export type KeyedOrganization = {
  _id: string;
  /** When its data keys were created. If they are missing since, no others are created. */
  dataKeysSince?: Date;
  /** The number of the last data key that was added. A restored vault may lack it. */
  lastDataKey?: number;
  /** When the deletion of the organization began, which destroys its keys. */
  deletingSince?: Date;
};

/** The keys of one organization. */
export type OrganizationKeys = {
  /** The data keys by number. */
  data: ReadonlyMap<number, KeyObject>;
  /** The number of the data key that seals. */
  current: number;
  /** The key of the search tokens of a field. */
  tokenKeyOf(field: string): KeyObject;
};

/** The keys of the organization were destroyed when it was deleted. */
export class KeysDestroyedError extends ServiceError {}

/** The keys of an organization are missing or cannot be decrypted, so nothing of its patients can be read or written. */
export class UnusableKeysError extends ServiceError {
  readonly organizationId: string;

  constructor(
    organizationId: string,
    problem: 'are missing' | 'cannot be decrypted with ENCRYPTION_KEYS',
    cause?: unknown,
  ) {
    super(
      `The data keys of the organization ${organizationId} ${problem}. See docs/operation/repair.md, "Lost data keys".`,
      { cause },
    );
    this.organizationId = organizationId;
  }
}

/** Matches the keys of an organization, by the index on `_id`. */
const ofOrganization = (organizationId: string) => ({
  _id: { $gte: `${organizationId}:`, $lt: `${organizationId};` },
});

export const dataKeyId = (organizationId: string, number: number): string => `${organizationId}:${number}`;

const checkKept = (documents: readonly DataKeyDocument[], organizationId: string): void => {
  if (documents.every(({ destroyedTime }) => destroyedTime === undefined)) return;
  throw new KeysDestroyedError(`The organization ${organizationId} was deleted with its keys.`);
};

/** The ids of the keys that an organization must have. The data keys between the first and the last are not looked for. */
const wantedKeys = ({ _id, lastDataKey = FIRST_DATA_KEY }: KeyedOrganization): string[] =>
  [...new Set([TOKEN_KEY, FIRST_DATA_KEY, lastDataKey])].map((number) => dataKeyId(_id, number));

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

const isIncomplete = (documents: readonly DataKeyDocument[]): boolean =>
  [TOKEN_KEY, FIRST_DATA_KEY].some((wanted) => documents.every(({ number }) => number !== wanted));

/** The field that a wrapped key is bound to. */
const placeOf = (_id: string) => ({ collection: 'dataKeys', _id, field: 'wrapped' });

/** The keys of all organizations, as they are stored in the vault. */
export type DataKeys = {
  /**
   * Reads the keys of an organization, and creates them if it has none.
   *
   * @throws {KeysDestroyedError} if the organization was deleted
   * @throws {UnusableKeysError} if the organization had keys that are missing now, or a key cannot be unwrapped
   */
  read(organizationId: string): Promise<OrganizationKeys>;
  /** The ids of the organizations whose keys are missing or cannot be unwrapped. Changes nothing. */
  unusable(): Promise<string[]>;
  /** Creates the data key after this one. The call may be repeated, also by several processes. */
  addAfter(organizationId: string, number: number): Promise<void>;
  /** Adds to the count of the values that a data key has sealed. @returns the new count */
  addUses(organizationId: string, number: number, uses: number): Promise<number>;
  /** Destroys the keys of an organization for ever. The call may be repeated. */
  destroy(organizationId: string): Promise<void>;
};

/**
 * @param collection the keys, in the vault
 * @param organizations the organizations of the database, which remember whether they had keys
 */
export const openDataKeys = (
  collection: Collection<DataKeyDocument>,
  wrapper: KeyWrapper,
  organizations: Collection<KeyedOrganization>,
): DataKeys => {
  const hadKeys = async (_id: string): Promise<boolean> => {
    const had = { _id, dataKeysSince: { $exists: true } };
    return (await organizations.findOne(had, { projection: { _id: 1 } })) !== null;
  };
  /**
   * The number after which a data key can be added. A key that the vault has lost keeps its number, because stored values
   * name it, and open again when it is restored.
   */
  const lastUsed = async (organizationId: string, number: number): Promise<number> => {
    const projection = { lastDataKey: 1 };
    const stored = await organizations.findOne({ _id: organizationId }, { projection });
    const added = stored?.lastDataKey ?? 0;
    if (added <= number) return number;
    const isKept = (await collection.findOne({ _id: dataKeyId(organizationId, added) })) !== null;
    return isKept ? number : added;
  };
  /** Creates the first keys of an organization. Keys that another process has stored meanwhile are kept. */
  const create = async (organizationId: string): Promise<void> => {
    await insertNew(
      collection,
      await Promise.all([TOKEN_KEY, FIRST_DATA_KEY].map((number) => newKey(organizationId, number))),
    );
    const dataKeysSince = clock.now();
    await organizations.updateOne({ _id: organizationId }, { $set: { dataKeysSince } });
  };
  const newKey = async (organizationId: string, number: number): Promise<DataKeyDocument> => {
    const _id = dataKeyId(organizationId, number);
    const wrapped = await wrapper.wrap(randomBytes(KEY_BYTES), placeOf(_id));
    return { _id, organizationId, number, wrapped, uses: 0, createdTime: clock.now() };
  };
  // A key must not be lost after it has sealed a value.
  const stored = (organizationId: string): Promise<DataKeyDocument[]> =>
    collection.find(ofOrganization(organizationId), { readConcern: 'majority' }).toArray();

  const unwrap = ({ _id, organizationId, wrapped = '' }: DataKeyDocument): Promise<Buffer> =>
    wrapper.unwrap(wrapped, placeOf(_id)).catch((cause: unknown) => {
      throw new UnusableKeysError(organizationId, 'cannot be decrypted with ENCRYPTION_KEYS', cause);
    });

  const open = async (documents: readonly DataKeyDocument[]): Promise<OrganizationKeys> => {
    const keys = await Promise.all(
      documents.map(async (key) => [key.number, createSecretKey(await unwrap(key))] as const),
    );
    const data = new Map(keys);
    const tokenKey = data.get(TOKEN_KEY);
    data.delete(TOKEN_KEY);
    const tokenKeys = new Map<string, KeyObject>();
    return {
      data,
      current: Math.max(...data.keys()),
      tokenKeyOf(field) {
        if (tokenKey === undefined) throw new ServiceError('The organization has no key for search tokens.');
        const known = tokenKeys.get(field);
        if (known !== undefined) return known;
        const derived = hkdfSync('sha256', tokenKey, '', `chairside search tokens ${field}`, KEY_BYTES);
        const key = createSecretKey(Buffer.from(derived));
        tokenKeys.set(field, key);
        return key;
      },
    };
  };

  return {
    async read(organizationId) {
      let documents = await stored(organizationId);
      checkKept(documents, organizationId);
      if (isIncomplete(documents)) {
        const isLost = await hadKeys(organizationId);
        if (!isLost) await create(organizationId);
        // If another process has created the keys since they were read, they are here now.
        documents = await stored(organizationId);
        checkKept(documents, organizationId);
        // With other keys, the stored data would stay unreadable also after the lost keys are restored.
        if (isLost && isIncomplete(documents)) throw new UnusableKeysError(organizationId, 'are missing');
      }
      return open(documents);
    },

    async unusable() {
      const found: string[] = [];
      let last = '';
      for (;;) {
        const page = await organizations
          .find(
            { _id: { $gt: last }, dataKeysSince: { $exists: true }, deletingSince: { $exists: false } },
            { projection: { lastDataKey: 1 }, sort: { _id: 1 }, limit: PAGE },
          )
          .toArray();
        const end = page.at(-1);
        if (end === undefined) return found;
        last = end._id;
        const wanted = new Map(page.map((each) => [each._id, wantedKeys(each)]));
        const keys = await collection.find({ _id: { $in: [...wanted.values()].flat() } }).toArray();
        const usable = new Set<string>();
        for (const key of keys) {
          // The keys of an organization that was deleted meanwhile are destroyed, not lost.
          const isUsable = key.destroyedTime !== undefined || (await unwrap(key).then(isTrue, isFalse));
          if (isUsable) usable.add(key._id);
        }
        for (const [organizationId, ids] of wanted)
          if (!ids.every((id) => usable.has(id))) found.push(organizationId);
      }
    },

    async addAfter(organizationId, number) {
      const next = (await lastUsed(organizationId, number)) + 1;
      if (next > MAX_KEY_NUMBER)
        throw new ServiceError(
          `The organization ${organizationId} has ${next - 1} data keys. None can be added.`,
        );
      await insertNew(collection, [await newKey(organizationId, next)]);
      await organizations.updateOne({ _id: organizationId }, { $max: { lastDataKey: next } });
    },

    async addUses(organizationId, number, uses) {
      const changed = await collection.findOneAndUpdate(
        { _id: dataKeyId(organizationId, number) },
        { $inc: { uses } },
        { returnDocument: 'after', projection: { uses: 1 } },
      );
      return changed?.uses ?? 0;
    },

    async destroy(organizationId) {
      const destroyedTime = clock.now();
      // The document of the first key stays, so that no process can create it again.
      await insertNew(collection, [
        {
          _id: dataKeyId(organizationId, FIRST_DATA_KEY),
          organizationId,
          number: FIRST_DATA_KEY,
          uses: 0,
          createdTime: destroyedTime,
          destroyedTime,
        },
      ]);
      await collection.updateMany(
        { ...ofOrganization(organizationId), wrapped: { $exists: true } },
        { $unset: { wrapped: '' }, $set: { destroyedTime } },
      );
    },
  };
};
