import { MAX_ROWS_IN_NOTICE, type MailKind, type Notice } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { atOnce } from '../driver/statements.ts';
import { beyond, type TimePosition } from '../driver/time-order.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import {
  endedMail,
  type MailDocument,
  type MailState,
  type NewMail,
  newMailDocument,
} from './mail-document.ts';

/** The mails of one organization. */
export type Mails = {
  /** Stores a mail. The dispatcher sends it. */
  create(mail: Omit<NewMail, 'organizationId'>, now: Date): Promise<void>;
  /** Ends the mails of an operator that were not sent yet, because their links are no longer valid. */
  withdraw(operatorId: string, kinds: readonly MailKind[], now: Date): Promise<void>;
  /** The states of mails, by their ids. Mails older than 30 days are forgotten. */
  states(ids: readonly string[]): Promise<Map<string, MailState>>;
  /** Streams at most `limit` mails with notices of the last 30 days, the newest first. */
  notices(before: TimePosition | undefined, limit: number): AsyncIterable<Notice>;
};

/** What a mail with notices has told, by kind. */
const factsOf = ({ told = [] }: MailDocument): Notice['facts'] =>
  [...Map.groupBy(told, ({ kind }) => kind)].map(([kind, own]) => ({
    kind,
    count: own.length,
    ids: own.slice(0, MAX_ROWS_IN_NOTICE).map(({ subject, rowId = subject }) => rowId),
  }));

const toNotice = (mail: MailDocument): Notice => ({
  _id: mail._id,
  createdTime: mail.createdTime.toISOString(),
  operatorId: mail.operatorId,
  state: mail.state,
  ...(mail.finalTime && { finalTime: mail.finalTime.toISOString() }),
  facts: factsOf(mail),
});

export const mailsOf = (
  collection: Collection<MailDocument>,
  cipher: () => Promise<Cipher>,
  organizationId: string,
): Mails => ({
  async create(mail, now) {
    await collection.insertOne(newMailDocument({ ...mail, organizationId }, await cipher(), now));
  },

  async withdraw(operatorId, kinds, now) {
    const unsent = { organizationId, operatorId, kind: { $in: [...kinds] }, state: 'queued' as const };
    await updatesUntilNoDeadlock(collection)(unsent, endedMail('failed', 'withdrawn', now));
  },

  async states(ids) {
    if (ids.length === 0) return new Map();
    const found = await collection
      .find({ _id: { $in: [...ids] }, organizationId }, { projection: { state: 1 }, ...atOnce(ids.length) })
      .toArray();
    return new Map(found.map(({ _id, state }) => [_id, state]));
  },

  async *notices(before, limit) {
    const place = before && { createdTime: { $lte: before.time }, ...beyond('createdTime', '$lt', before) };
    const found = collection.find(
      { organizationId, kind: 'notice', ...place },
      { projection: { sealed: 0 }, sort: { createdTime: -1, _id: -1 }, limit },
    );
    yield* rowsOf(found, toNotice);
  },
});
