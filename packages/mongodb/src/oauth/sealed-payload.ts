import type { Filter, MatchKeysAndValues } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { keyIdOf, type Place, type Secrets } from '../encryption/secrets.ts';

/**
 * Decrypts a payload of the authorization server. A payload that was encrypted with an older key is stored again with
 * the first key, unless it was replaced in the meantime. This is done here, because grants and clients live as long as
 * they are used, and nothing else writes them again. An older key can then be removed without ending the connections
 * that were used in between.
 *
 * @returns undefined if the key of the payload is no longer in `OAUTH_KEYS`
 */
export const unsealed = async <D extends { _id: string; payload: string }>(
  collection: Collection<D>,
  secrets: Secrets,
  payload: string,
  place: Place,
): Promise<string | undefined> => {
  if (!secrets.keyIds.includes(keyIdOf(payload))) return undefined;
  const text = secrets.decrypt(payload, place);
  if (!secrets.isCurrent(payload)) {
    const same = { _id: place._id, payload } as Filter<D>;
    const renewed = { payload: secrets.encrypt(text, place) } as MatchKeysAndValues<D>;
    await collection.updateOne(same, { $set: renewed });
  }
  return text;
};
