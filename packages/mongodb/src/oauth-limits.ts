import type { Collection } from 'mongodb';
import { isDuplicateKey } from './database.ts';
import type { OAuthLimitDocument } from './oauth-documents.ts';
import { hashOf } from './secrets.ts';

/** A number of requests in a period of time. */
export type Limit = {
  /** What is counted, such as `register`. */
  name: string;
  most: number;
  /** The length of a period, in seconds. */
  seconds: number;
};

/** Counts requests for all processes together. */
export type OAuthLimits = {
  /**
   * Counts one request.
   *
   * @param caller an address, or a word for all callers
   * @returns the seconds until the next period, if the request is one too many; otherwise undefined
   */
  count(limit: Limit, caller: string, now: Date): Promise<number | undefined>;
};

export const openOAuthLimits = (collection: Collection<OAuthLimitDocument>): OAuthLimits => {
  const increase = async (_id: string, expireAt: Date): Promise<number> => {
    const found = await collection.findOneAndUpdate(
      { _id },
      { $inc: { count: 1 }, $setOnInsert: { expireAt } },
      { upsert: true, returnDocument: 'after' },
    );
    return found?.count ?? 1;
  };
  return {
    async count({ name, most, seconds }, caller, now) {
      const period = Math.floor(now.getTime() / 1000 / seconds);
      const end = new Date((period + 1) * seconds * 1000);
      const _id = `${name}:${hashOf(caller)}:${period}`;
      const count = await increase(_id, end).catch((error: unknown) => {
        // Another request has created the document at the same moment, so the update now finds it.
        if (isDuplicateKey(error)) return increase(_id, end);
        throw error;
      });
      return count <= most ? undefined : Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
    },
  };
};
