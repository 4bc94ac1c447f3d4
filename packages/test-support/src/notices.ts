import type { Document } from 'mongodb';
import type { TestDatabase } from './test-store.ts';

/** The fields that tell when a fact happened, by collection. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  subscriptions: ['failingSince', 'untoldDisabling.since', 'untoldDisabling.time', 'recoveredTime'],
  operators: ['password', 'factors', 'codes', 'role', 'email', 'network'].flatMap((field) => [
    `untold.${field}.since`,
    `untold.${field}.time`,
  ]),
  auditEntries: ['time'],
  apiKeys: [],
  programTokens: [],
};

const valueAt = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Document | undefined)?.[name], document);

/**
 * Makes all facts that were not told this much older, as if the time had passed. Notices wait for further facts, and repeat
 * nothing for an hour.
 *
 * @param milliseconds one more than the facts are apart, if their order matters
 */
export const ageFacts = async (database: TestDatabase, milliseconds: number): Promise<void> => {
  for (const [name, paths] of Object.entries(TIMES)) {
    const collection = database.collection(name);
    for (const document of await collection.find({ noticeAt: { $exists: true } }).toArray()) {
      const older = ['noticeAt', ...paths].flatMap((path) => {
        const time = valueAt(document, path);
        return time instanceof Date ? [[path, new Date(time.getTime() - milliseconds)]] : [];
      });
      await collection.updateOne({ _id: document._id }, { $set: Object.fromEntries(older) });
    }
  }
};

/** Makes all mails with notices this much older. */
export const ageNotices = async (database: TestDatabase, milliseconds: number): Promise<void> => {
  const mails = database.collection<{ _id: string; createdTime: Date }>('mails');
  for (const { _id, createdTime } of await mails.find({ kind: 'notice' }).toArray())
    await mails.updateOne({ _id }, { $set: { createdTime: new Date(createdTime.getTime() - milliseconds) } });
};
