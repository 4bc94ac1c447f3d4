import { MAX_ROWS_IN_NOTICE, type MailKind, type Notice } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
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
  /** The states of the last mails of this kind, by operator. Mails older than 30 days are forgotten. */
  lastStates(kind: MailKind): Promise<Map<string, MailState>>;
  /** The state of the last mail of this kind to an operator. */
  lastState(operatorId: string, kind: MailKind): Promise<MailState | undefined>;
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

  async lastStates(kind) {
    const states = new Map<string, MailState>();
    const found = collection.find(
      { organizationId, kind },
      { projection: { operatorId: 1, state: 1 }, sort: { createdTime: 1 } },
    );
    for await (const { operatorId, state } of rowsOf(found, (mail) => mail)) states.set(operatorId, state);
    return states;
  },

  async lastState(operatorId, kind) {
    const [last] = await collection
      .find(
        { organizationId, operatorId, kind },
        { projection: { state: 1 }, sort: { createdTime: -1 }, limit: 1 },
      )
      .toArray();
    return last?.state;
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
