import type { Collection } from 'mongodb';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import type { Secrets } from '../encryption/secrets.ts';
import type { OAuthClientDocument } from './documents.ts';
import { unsealed } from './sealed-payload.ts';
import type { Payload } from './state.ts';

/** The apps that have registered themselves. */
export type OAuthClients = {
  /** Stores the metadata of a client. */
  save(id: string, metadata: Payload, now: Date, expireAt: Date): Promise<void>;
  /** The metadata; undefined if the client is unknown or expired, or if its key is no longer in `OAUTH_KEYS`. */
  find(id: string, now: Date): Promise<Payload | undefined>;
  /** Extends the life of a client. Does nothing if the client has not registered itself. */
  keep(id: string, expireAt: Date): Promise<void>;
  remove(id: string): Promise<void>;
};

const placeOf = (_id: string) => ({ collection: 'oauthClients', _id, field: 'payload' });

/** @param secrets encrypts with the keys of the authorization server */
export const openOAuthClients = (
  collection: Collection<OAuthClientDocument>,
  secrets: Secrets,
): OAuthClients => ({
  async save(_id, metadata, createdTime, expireAt) {
    const payload = secrets.encrypt(JSON.stringify(metadata), placeOf(_id));
    const update = { $set: { payload }, $max: { expireAt }, $setOnInsert: { createdTime } };
    await collection.updateOne({ _id }, update, { upsert: true });
  },

  async find(_id, now) {
    const found = await findUnique(collection, { _id, expireAt: { $gt: now } }, { payload: 1 });
    if (found === undefined) return undefined;
    const text = await unsealed(collection, secrets, found.payload, placeOf(_id));
    return text === undefined ? undefined : (JSON.parse(text) as Payload);
  },

  async keep(_id, expireAt) {
    await collection.updateOne({ _id }, { $max: { expireAt } });
  },

  async remove(_id) {
    await deleteUnique(collection, { _id });
  },
});
