import type { Collection } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { hashOf, type Secrets } from '../encryption/secrets.ts';
import type { OAuthClientDocument } from './documents.ts';
import { unsealed } from './sealed-payload.ts';
import type { Payload } from './state.ts';

/** The apps that have registered themselves. */
export type OAuthClients = {
  /**
   * Stores the metadata of a client.
   *
   * @param place.network where the registration came from. Only its hash is stored, until the client is used
   */
  save(
    id: string,
    metadata: Payload,
    place: { createdTime: Date; expireAt: Date; network: string },
  ): Promise<void>;
  /**
   * If at least `max` unused clients are stored, deletes the oldest one of the network with the most unused clients.
   *
   * @returns whether a client was deleted
   */
  makeRoom(max: number): Promise<boolean>;
  /** The metadata; undefined if the client is unknown or expired, or if its key is no longer in `OAUTH_KEYS`. */
  find(id: string, now: Date): Promise<Payload | undefined>;
  /** Extends the life of a client that was used. Does nothing if the client has not registered itself. */
  keep(id: string, expireAt: Date): Promise<void>;
  remove(id: string): Promise<void>;
};

const placeOf = (_id: string) => ({ collection: 'oauthClients', _id, field: 'payload' });

/** @param secrets encrypts with the keys of the authorization server */
export const openOAuthClients = (
  collection: Collection<OAuthClientDocument>,
  secrets: Secrets,
): OAuthClients => ({
  async save(_id, metadata, { createdTime, expireAt, network }) {
    const payload = secrets.encrypt(JSON.stringify(metadata), placeOf(_id));
    const added = { createdTime, network: hashOf(network) };
    const update = { $set: { payload }, $max: { expireAt }, $setOnInsert: added };
    await collection.updateOne({ _id }, update, { upsert: true });
  },

  async makeRoom(max) {
    const unused = { network: { $exists: true } };
    if ((await collection.countDocuments(unused, { limit: max })) < max) return false;
    const [most] = await collection
      .aggregate<{ _id: string }>([
        { $match: unused },
        { $group: { _id: '$network', count: { $sum: 1 } } },
        { $sort: { count: -1, _id: 1 } },
        { $limit: 1 },
      ])
      .toArray();
    if (most === undefined) return false;
    const oldest = await collection
      .find({ network: most._id }, { projection: { _id: 1 }, sort: { createdTime: 1 }, limit: 1 })
      .toArray();
    for (const { _id } of oldest) await deleteUnique(collection, { _id });
    return oldest.length > 0;
  },

  async find(_id, now) {
    const found = await findUnique(collection, { _id, expireAt: { $gt: now } }, { payload: 1 });
    if (found === undefined) return undefined;
    const text = await unsealed(collection, secrets, found.payload, placeOf(_id));
    return text === undefined ? undefined : (JSON.parse(text) as Payload);
  },

  async keep(_id, expireAt) {
    await collection.updateOne({ _id }, { $max: { expireAt }, $unset: { network: 1 } });
  },

  async remove(_id) {
    await deleteUnique(collection, { _id });
  },
});
