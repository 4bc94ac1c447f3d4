import {
  API_KEY_PREFIX,
  type ApiKey,
  MAX_API_KEYS,
  newId,
  nextEditTime,
  type Principal,
  type Scope,
} from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot, type Slotted } from '../driver/slots.ts';
import { hashOf, newSecret, type Secrets } from '../encryption/secrets.ts';

/** The resolution of the last-use time of a key, so that not every request causes a write. */
const USE_RESOLUTION_MS = 60_000;

export type ApiKeyDocument = Slotted & {
  organizationId: string;
  name: string;
  scopes: Scope[];
  rateLimit: number;
  secretHash: string;
  secret: string;
  createdTime: Date;
  lastEditTime: Date;
  lastUsedTime?: Date;
};

export type ApiKeyPrincipal = Extract<Principal, { kind: 'apiKey' }>;
type PublicDocument = Omit<ApiKeyDocument, 'secret' | 'secretHash' | 'slot'>;

export type ApiKeyChanges = {
  name?: string | undefined;
  scopes?: Scope[] | undefined;
  rateLimit?: number | undefined;
};

/** The keys of one organization. */
export type ApiKeys = {
  list(): Promise<ApiKey[]>;
  find(id: string): Promise<ApiKey | undefined>;
  /**
   * @returns the key with its secret, of which only the ciphertext and the hash are stored; undefined if the
   *   organization already has the maximum number of keys
   */
  create(
    key: Pick<ApiKey, 'name' | 'scopes' | 'rateLimit'>,
    now: Date,
  ): Promise<(ApiKey & { secret: string }) | undefined>;
  /**
   * @param check throws if the key may not be changed; called again if another caller has changed the key since it was
   *   read
   */
  update(
    id: string,
    changes: ApiKeyChanges,
    now: Date,
    check?: (current: ApiKey) => void,
  ): Promise<ApiKey | undefined>;
  /** @param check throws if the key may not be deleted */
  delete(id: string, check?: (current: ApiKey) => void): Promise<ApiKey | undefined>;
  /** The key with its decrypted secret. */
  reveal(id: string): Promise<(ApiKey & { secret: string }) | undefined>;
};

const withoutSecret = { secret: 0, secretHash: 0, slot: 0 } as const;
const placeOf = (_id: string) => ({ collection: 'apiKeys', _id, field: 'secret' });

const toApiKey = (document: PublicDocument): ApiKey => ({
  _id: document._id,
  name: document.name,
  scopes: document.scopes,
  rateLimit: document.rateLimit,
  createdTime: document.createdTime.toISOString(),
  lastEditTime: document.lastEditTime.toISOString(),
  ...(document.lastUsedTime && { lastUsedTime: document.lastUsedTime.toISOString() }),
});

/** @param organizationId every query of the returned repository contains this id */
export const apiKeysOf = (
  collection: Collection<ApiKeyDocument>,
  secrets: Secrets,
  organizationId: string,
): ApiKeys => ({
  async list() {
    const documents = await collection
      .find({ organizationId }, { projection: withoutSecret, sort: { _id: 1 } })
      .toArray();
    return documents.map(toApiKey);
  },

  async find(id) {
    const found = await findUnique(collection, { _id: id, organizationId }, withoutSecret);
    return found && toApiKey(found);
  },

  async create({ name, scopes, rateLimit }, now) {
    const _id = newId(now);
    const secret = newSecret(API_KEY_PREFIX);
    const document: ApiKeyDocument = {
      _id,
      organizationId,
      name,
      scopes,
      rateLimit,
      secretHash: hashOf(secret),
      secret: secrets.encrypt(secret, placeOf(_id)),
      createdTime: now,
      lastEditTime: now,
    };
    const scope = { scope: { organizationId }, maximum: MAX_API_KEYS };
    const isInserted = await insertIntoFreeSlot(collection, document, scope);
    return isInserted ? { ...toApiKey(document), secret } : undefined;
  },

  async update(id, changes, now, check = () => {}) {
    for (;;) {
      const current = await findUnique(collection, { _id: id, organizationId }, withoutSecret);
      if (current === undefined) return undefined;
      check(toApiKey(current));
      const lastEditTime = new Date(nextEditTime(now, current.lastEditTime.toISOString()));
      const updated = await collection.findOneAndUpdate(
        { _id: id, organizationId, lastEditTime: current.lastEditTime },
        { $set: { ...changes, lastEditTime } as Partial<ApiKeyDocument> },
        { returnDocument: 'after', projection: withoutSecret },
      );
      if (updated !== null) return toApiKey(updated);
    }
  },

  async delete(id, check = () => {}) {
    for (;;) {
      const one = { _id: id, organizationId };
      const current = await findUnique(collection, one, withoutSecret);
      if (current === undefined) return undefined;
      check(toApiKey(current));
      if (await deleteUnique(collection, { ...one, lastEditTime: current.lastEditTime }))
        return toApiKey(current);
    }
  },

  async reveal(id) {
    const key = await collection.findOne({ _id: id, organizationId });
    return key === null ? undefined : { ...toApiKey(key), secret: secrets.decrypt(key.secret, placeOf(id)) };
  },
});

/** Finds the key with this secret in any organization; undefined if there is none. */
export const findApiKey = async (
  collection: Collection<ApiKeyDocument>,
  secret: string,
  now: Date,
): Promise<ApiKeyPrincipal | undefined> => {
  const key = await findUnique(
    collection,
    { secretHash: hashOf(secret) },
    { organizationId: 1, scopes: 1, rateLimit: 1, lastUsedTime: 1 },
  );
  if (key === undefined) return undefined;
  const minute = new Date(Math.floor(now.getTime() / USE_RESOLUTION_MS) * USE_RESOLUTION_MS);
  if (key.lastUsedTime === undefined || key.lastUsedTime < minute) {
    await collection.updateOne({ _id: key._id }, { $max: { lastUsedTime: minute } });
  }
  const { _id: id, organizationId, scopes, rateLimit } = key;
  return { kind: 'apiKey', id, organizationId, scopes, rateLimit };
};
