import { SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { Filter } from 'mongodb';
import type { DeliveryDocument } from '../deliveries/deliveries.ts';
import type { Collection, Database } from '../driver/database.ts';
import { databaseTime } from '../driver/statements.ts';
import { isUnended, type MailDocument } from '../mails/mail-document.ts';
import { hasOutbox, publishedKinds } from '../records/outbox.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import type { SubscriptionDocument } from '../subscriptions/subscriptions.ts';

const MAX_COUNT = 100_000;
/** With the first field of the index. */
const unended = { createdTime: { $gt: new Date(0) }, ...isUnended };

/** The backlog of all organizations. */
export type BacklogSize = {
  /** The number of queued deliveries, at most 100,000. */
  queued: number;
  /** The age of the oldest unpublished event or queued delivery; 0 if there is none. */
  oldestUnsentMs: number;
  /** The age of the oldest unpublished event; 0 if there is none. No receiver can delay these events. */
  oldestUnpublishedMs: number;
  /** The number of disabled subscriptions, at most 100,000. */
  disabledSubscriptions: number;
  /** The number of subscriptions that are slowed down, at most 100,000. */
  slowedSubscriptions: number;
  /** The number of mails that have not ended, at most 100,000. */
  queuedMails: number;
  /** The age of the oldest of them; 0 if there is none. */
  oldestMailMs: number;
};
export type Backlog = { measure(): Promise<BacklogSize> };

/**
 * @param filter must contain fields of this index only, so that the database counts index entries and reads no document
 * @param hint the name of the index; see `atMost`
 */
const count = <D extends object>(
  collection: Collection<D>,
  filter: Filter<D>,
  hint: string,
): Promise<number> => collection.countDocuments(filter, { limit: MAX_COUNT, hint });

export const openBacklog = (
  database: Database,
  deliveries: Collection<DeliveryDocument>,
  subscriptions: Collection<SubscriptionDocument>,
  mails: Collection<MailDocument>,
): Backlog => {
  const oldestUnpublished = async (collection: string): Promise<Date | undefined> => {
    const [oldest] = await database
      .collection<RecordDocument>(collection)
      .find(hasOutbox, { projection: { outboxAt: 1 }, sort: { outboxAt: 1 }, limit: 1 })
      .toArray();
    return oldest?.outboxAt;
  };
  const oldestQueued = async (): Promise<Date | undefined> => {
    const [oldest] = await deliveries
      .find(
        { status: 'queued', createdTime: { $gt: new Date(0) } },
        { projection: { createdTime: 1 }, sort: { createdTime: 1 }, limit: 1 },
      )
      .toArray();
    return oldest?.createdTime;
  };

  const oldestMail = async (): Promise<Date | undefined> => {
    const [oldest] = await mails
      .find(unended, { projection: { createdTime: 1 }, sort: { createdTime: 1 }, limit: 1 })
      .toArray();
    return oldest?.createdTime;
  };

  return {
    async measure() {
      const [
        now,
        queued,
        disabledSubscriptions,
        slowedSubscriptions,
        queuedMails,
        mailSince,
        queuedSince,
        ...unpublishedSince
      ] = await Promise.all([
        databaseTime(database),
        count(deliveries, { status: 'queued', createdTime: { $gt: new Date(0) } }, 'queued_count'),
        count(subscriptions, { active: false, lastEditTime: { $gt: new Date(0) } }, 'disabled_count'),
        count(
          subscriptions,
          { active: true, consecutiveFailures: { $gte: SLOWED_FROM_FAILURES } },
          'slowed_count',
        ),
        count(mails, unended, 'unended'),
        oldestMail(),
        oldestQueued(),
        ...publishedKinds.map((kind) => oldestUnpublished(shapes[kind].collection)),
      ]);
      const ageOf = (...times: (Date | undefined)[]): number =>
        Math.max(0, ...times.map((time) => (time === undefined ? 0 : now.getTime() - time.getTime())));
      const oldestUnpublishedMs = ageOf(...unpublishedSince);
      return {
        queued,
        oldestUnsentMs: Math.max(oldestUnpublishedMs, ageOf(queuedSince)),
        oldestUnpublishedMs,
        disabledSubscriptions,
        slowedSubscriptions,
        queuedMails,
        oldestMailMs: ageOf(mailSince),
      };
    },
  };
};
