import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { hashOf, type Secrets } from '../encryption/secrets.ts';
import type { OAuthStateDocument } from './documents.ts';
import { unsealed } from './sealed-payload.ts';

/** The stored content of a code, a token, a grant, an interaction or the document of a client. */
export type Payload = Record<string, unknown>;

export type StoredState = { payload: Payload; consumedTime: Date | undefined };

/**
 * The codes, tokens, grants and interactions, and the documents of clients. Each is found by its kind and its value.
 */
export type OAuthState = {
  /**
   * Stores a payload, and replaces an earlier one. Only the hash of the value is stored. So the `jti` of the payload,
   * which is the same value, is left out.
   */
  save(
    kind: string,
    value: string,
    payload: Payload,
    place: { grantId?: string | undefined; expireAt: Date },
  ): Promise<void>;
  /**
   * Returns undefined if the state does not exist, has expired, or was encrypted with a key that is no longer in
   * `OAUTH_KEYS`.
   */
  find(kind: string, value: string, now: Date): Promise<StoredState | undefined>;
  /**
   * Marks a code, a refresh token or the request of an app as used. Of several concurrent callers, exactly one gets
   * true.
   */
  consume(kind: string, value: string, now: Date): Promise<boolean>;
  /** Makes a consumed value usable again. Only the caller that has consumed it may call this. */
  release(kind: string, value: string): Promise<void>;
  remove(kind: string, value: string): Promise<void>;
  /** Extends the life of the object with this value. */
  keep(kind: string, value: string, expireAt: Date): Promise<void>;
  /** Returns the id of the grant that this value belongs to. */
  grantOf(kind: string, value: string): Promise<string | undefined>;
  /** Removes all objects that belong to a grant. */
  removeGrant(grantId: string): Promise<void>;
};

const placeOf = (_id: string) => ({ collection: 'oauthState', _id, field: 'payload' });

const idOf = (kind: string, value: string): string => `${kind}:${hashOf(value)}`;

/** @param secrets encrypts with the keys of the authorization server */
export const openOAuthState = (collection: Collection<OAuthStateDocument>, secrets: Secrets): OAuthState => ({
  async save(kind, value, { jti, ...payload }, { grantId, expireAt }) {
    const _id = idOf(kind, value);
    const sealed = secrets.encrypt(JSON.stringify(payload), placeOf(_id));
    const set = { kind, payload: sealed, expireAt, ...(grantId !== undefined && { grantId }) };
    await collection.updateOne({ _id }, { $set: set }, { upsert: true });
  },

  async find(kind, value, now) {
    const _id = idOf(kind, value);
    const found = await findUnique(collection, { _id, expireAt: { $gt: now } });
    if (found === undefined) return undefined;
    const text = await unsealed(collection, secrets, found.payload, placeOf(_id));
    if (text === undefined) return undefined;
    return { payload: { ...(JSON.parse(text) as Payload), jti: value }, consumedTime: found.consumedTime };
  },

  async consume(kind, value, now) {
    const unused = { _id: idOf(kind, value), consumedTime: { $exists: false } };
    return (await collection.updateOne(unused, { $set: { consumedTime: now } })).matchedCount === 1;
  },

  async release(kind, value) {
    await collection.updateOne({ _id: idOf(kind, value) }, { $unset: { consumedTime: 1 } });
  },

  async remove(kind, value) {
    await deleteUnique(collection, { _id: idOf(kind, value) });
  },

  async keep(kind, value, expireAt) {
    await collection.updateOne({ _id: idOf(kind, value) }, { $max: { expireAt } });
  },

  async grantOf(kind, value) {
    return (await findUnique(collection, { _id: idOf(kind, value) }, { grantId: 1 }))?.grantId;
  },

  async removeGrant(grantId) {
    await collection.deleteMany({ grantId });
  },
});
