import type { Collection } from '../driver/database.ts';
import { insertNew } from '../driver/statements.ts';
import { hashOf } from '../encryption/secrets.ts';
import type { OAuthLimitDocument } from './documents.ts';

/** A limit on the number of requests in a period. */
export type Limit = {
  /** The name of what is counted, such as `register`. */
  name: string;
  most: number;
  /** The length of a period, in seconds. */
  seconds: number;
};

/** Counts requests of all processes together. */
export type OAuthLimits = {
  /**
   * Counts one request.
   *
   * @param caller a network; only its hash is stored
   * @returns the seconds until the next period if the request exceeds the limit; otherwise undefined
   */
  count(limit: Limit, caller: string, now: Date): Promise<number | undefined>;
};

export const openOAuthLimits = (collection: Collection<OAuthLimitDocument>): OAuthLimits => {
  const increase = async (_id: string): Promise<number | undefined> => {
    const found = await collection.findOneAndUpdate(
      { _id },
      { $inc: { count: 1 } },
      { returnDocument: 'after' },
    );
    return found?.count;
  };
  /**
   * Counts the first request of a period in two steps. With an upsert, FerretDB would return 1 to several requests that
   * create the document at the same moment.
   */
  const increaseFirst = async (_id: string, expireAt: Date): Promise<number> => {
    await insertNew(collection, [{ _id, count: 0, expireAt }]);
    return (await increase(_id)) ?? 1;
  };
  return {
    async count({ name, most, seconds }, caller, now) {
      const period = Math.floor(now.getTime() / 1000 / seconds);
      const end = new Date((period + 1) * seconds * 1000);
      const _id = `${name}:${hashOf(caller)}:${period}`;
      const count = (await increase(_id)) ?? (await increaseFirst(_id, end));
      return count <= most ? undefined : Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
    },
  };
};
