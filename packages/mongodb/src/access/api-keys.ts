import {
  API_KEY_PREFIX,
  type ApiKey,
  clock,
  endingNoticeTime,
  MAX_API_KEYS,
  newId,
  nextEditTime,
  type Principal,
  type Scope,
} from '@chairside/domain';
import type { UpdateFilter } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot, type Slotted } from '../driver/slots.ts';
import { hashOf, newSecret, type Secrets } from '../encryption/secrets.ts';
import type { Noticed } from '../mails/notice-time.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';

/** The resolution of the last-use time of a key, so that not every request causes a write. */
const USE_RESOLUTION_MS = 60_000;

export type ApiKeyDocument = Slotted &
  Noticed & {
    organizationId: string;
    name: string;
    scopes: Scope[];
    rateLimit: number;
    clinicIds?: string[];
    expiryTime?: Date;
    secretHash: string;
    secret: string;
    /** The secret before the last rotation, which ends at this time. */
    former?: { secretHash: string; endTime: Date; lastUsedTime?: Date };
    createdTime: Date;
    lastEditTime: Date;
    lastUsedTime?: Date;
    lastRotationTime?: Date;
  };

export type ApiKeyPrincipal = Extract<Principal, { kind: 'apiKey' }>;
type PublicDocument = Omit<ApiKeyDocument, 'secret' | 'secretHash' | 'slot'>;

/** `null` removes the field. */
export type ApiKeyChanges = {
  name?: string | undefined;
  scopes?: Scope[] | undefined;
  rateLimit?: number | undefined;
  clinicIds?: string[] | null | undefined;
  expiryTime?: Date | null | undefined;
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
    key: Pick<ApiKey, 'name' | 'scopes' | 'rateLimit' | 'clinicIds'> & { expiryTime?: Date | undefined },
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
  /** Gives a key a new secret. The secret until now works until `formerEnd`, and one before it ends. */
  rotate(id: string, formerEnd: Date, now: Date): Promise<(ApiKey & { secret: string }) | undefined>;
  /** The key with its decrypted secret. */
  reveal(id: string): Promise<(ApiKey & { secret: string }) | undefined>;
};

export const withoutSecret = { secret: 0, secretHash: 0, slot: 0 } as const;
const placeOf = (_id: string) => ({ collection: 'apiKeys', _id, field: 'secret' });

const timesOf = (times: Record<string, Date | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(times).flatMap(([name, time]) => (time === undefined ? [] : [[name, time.toISOString()]])),
  );

/** A key without its secret. */
export const toApiKey = (document: PublicDocument): ApiKey => {
  const { _id, name, scopes, clinicIds, rateLimit, createdTime, lastEditTime, former, expiryTime } = document;
  const { lastUsedTime, lastRotationTime } = document;
  const isFormerInUse = former !== undefined && former.endTime > clock.now();
  return {
    _id,
    name,
    scopes,
    ...(clinicIds && { clinicIds }),
    rateLimit,
    createdTime: createdTime.toISOString(),
    lastEditTime: lastEditTime.toISOString(),
    ...timesOf({ lastUsedTime, lastRotationTime }),
    ...(isFormerInUse && {
      formerSecret: {
        expiryTime: former.endTime.toISOString(),
        ...timesOf({ lastUsedTime: former.lastUsedTime }),
      },
    }),
    ...timesOf({ expiryTime }),
  };
};

/** When to tell that a key ends, after a change of its end; null if it has no end any more. */
const noticeAfter = (
  { expiryTime }: ApiKeyChanges,
  current: Pick<ApiKeyDocument, 'expiryTime'>,
  now: Date,
): { noticeAt?: Date | null } => {
  if (expiryTime === undefined || expiryTime?.getTime() === current.expiryTime?.getTime()) return {};
  return { noticeAt: expiryTime && endingNoticeTime(expiryTime, now) };
};

/** Sets fields; those that are null are removed. */
const updateOf = (
  changes: ApiKeyChanges & Pick<ApiKeyDocument, 'lastEditTime'> & { noticeAt?: Date | null },
): UpdateFilter<ApiKeyDocument> => {
  const sent = Object.entries(changes).filter(([, value]) => value !== undefined);
  const [removed, set] = [
    sent.filter(([, value]) => value === null),
    sent.filter(([, value]) => value !== null),
  ];
  return {
    $set: Object.fromEntries(set),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed.map(([field]) => [field, '' as const])) }),
  };
};

/** @param organizationId every query of the returned repository contains this id */
export const apiKeysOf = (
  collection: Collection<ApiKeyDocument>,
  endings: Collection<EndingDocument>,
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

  async create({ name, scopes, rateLimit, clinicIds, expiryTime }, now) {
    const _id = newId(now);
    const secret = newSecret(API_KEY_PREFIX);
    const document: ApiKeyDocument = {
      _id,
      organizationId,
      name,
      scopes,
      rateLimit,
      ...(clinicIds && { clinicIds }),
      ...(expiryTime && { expiryTime, noticeAt: endingNoticeTime(expiryTime, now) }),
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
        updateOf({ ...changes, ...noticeAfter(changes, current, now), lastEditTime }),
        { returnDocument: 'after', projection: withoutSecret },
      );
      if (updated !== null) return toApiKey(updated);
    }
  },

  async rotate(id, formerEnd, now) {
    const secret = newSecret(API_KEY_PREFIX);
    for (;;) {
      const one = { _id: id, organizationId };
      const current = await findUnique(collection, one, { secret: 0, slot: 0 });
      if (current === undefined) return undefined;
      const { secretHash, lastUsedTime } = current;
      const updated = await collection.findOneAndUpdate(
        { ...one, secretHash, lastEditTime: current.lastEditTime },
        {
          $set: {
            secretHash: hashOf(secret),
            secret: secrets.encrypt(secret, placeOf(id)),
            former: { secretHash, endTime: formerEnd, ...(lastUsedTime && { lastUsedTime }) },
            lastRotationTime: now,
            lastEditTime: new Date(nextEditTime(now, current.lastEditTime.toISOString())),
          },
          $unset: { lastUsedTime: '' },
        },
        { returnDocument: 'after', projection: withoutSecret },
      );
      if (updated !== null) return { ...toApiKey(updated), secret };
    }
  },

  async delete(id, check = () => {}) {
    for (;;) {
      const one = { _id: id, organizationId };
      const current = await findUnique(collection, one, withoutSecret);
      if (current === undefined) return undefined;
      check(toApiKey(current));
      await enterEnding(endings, { kind: 'apiKey', id, organizationId });
      if (await deleteUnique(collection, { ...one, lastEditTime: current.lastEditTime }))
        return toApiKey(current);
    }
  },

  async reveal(id) {
    const key = await collection.findOne({ _id: id, organizationId });
    return key === null ? undefined : { ...toApiKey(key), secret: secrets.decrypt(key.secret, placeOf(id)) };
  },
});

/** The principal of a secret; `ended` if the key, or the secret since a rotation, has ended. */
export type FoundApiKey = ApiKeyPrincipal | 'ended';

const earliest = (...times: (Date | undefined)[]): Date | undefined =>
  times.reduce((one, other) => (one === undefined || (other !== undefined && other < one) ? other : one));

/** Finds the key with this secret in any organization; undefined if there is none. */
export const findApiKey = async (
  collection: Collection<ApiKeyDocument>,
  secret: string,
  now: Date,
): Promise<FoundApiKey | undefined> => {
  const secretHash = hashOf(secret);
  const key = await findUnique(
    collection,
    { $or: [{ secretHash }, { 'former.secretHash': secretHash }] },
    { name: 0, secret: 0, slot: 0 },
  );
  if (key === undefined) return undefined;
  const { _id: id, organizationId, scopes, clinicIds, rateLimit, expiryTime } = key;
  const former = key.secretHash === secretHash ? undefined : key.former;
  const endTime = earliest(expiryTime, former?.endTime);
  if (endTime !== undefined && endTime <= now) return 'ended';
  const { lastUsedTime } = former ?? key;
  const minute = new Date(Math.floor(now.getTime() / USE_RESOLUTION_MS) * USE_RESOLUTION_MS);
  if (lastUsedTime === undefined || lastUsedTime < minute) {
    // A rotation may have moved the secret since it was found.
    const place = former === undefined ? '' : 'former.';
    await collection.updateOne(
      { _id: id, [`${place}secretHash`]: secretHash },
      { $max: { [`${place}lastUsedTime`]: minute } },
    );
  }
  return { kind: 'apiKey', id, organizationId, scopes, clinicIds, endTime, rateLimit };
};
