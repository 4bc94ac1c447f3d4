import type { Document } from 'mongodb';
import type { Database } from '../driver/database.ts';
import { hasNotice } from '../mails/notice-time.ts';
import type { FactCollections } from './sources.ts';

/** The collections with facts, and the fields that store what was not told. */
const PLACES: Readonly<Record<keyof FactCollections, readonly string[]>> = {
  subscriptions: ['untoldDisabling', 'recoveredTime'],
  operators: ['untold'],
  auditEntries: [],
  apiKeys: [],
  programTokens: [],
};
/** Their facts come with time: a credential that ends later than in seven days is told then. */
const CREDENTIALS: readonly string[] = ['apiKeys', 'programTokens'];

/**
 * Forgets the facts that were not told, in a database that was restored from a backup: they were told since the backup.
 *
 * @returns the number of documents with facts
 */
export const forgetFacts = async (database: Database, now: Date, isTrial: boolean): Promise<number> => {
  let forgotten = 0;
  for (const [name, fields] of Object.entries(PLACES)) {
    const collection = database.collection<Document & { noticeAt?: Date }>(name);
    const untold = CREDENTIALS.includes(name)
      ? { noticeAt: { ...hasNotice.noticeAt, $lte: now } }
      : hasNotice;
    if (isTrial) {
      forgotten += await collection.countDocuments(untold);
      continue;
    }
    const removed = Object.fromEntries(['noticeAt', ...fields].map((field) => [field, '' as const]));
    forgotten += (await collection.updateMany(untold, { $unset: removed })).modifiedCount;
  }
  return forgotten;
};
