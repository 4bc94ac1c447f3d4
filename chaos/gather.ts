import { setTimeout as sleep } from 'node:timers/promises';
import { canaryFinder, openedDocuments } from '@chairside/test-support';
import type { Bookings } from './bookings.ts';
import { CANARY } from './canary.ts';
import type { SubscriptionSeen } from './disablings.ts';
import type {
  Evidence,
  LoggedEvent,
  NoticeEvidence,
  StoredBulk,
  StoredDelivery,
  StoredNotice,
  SubscriptionState,
} from './evidence.ts';
import type { Down } from './history.ts';
import type { Operator } from './operator.ts';
import type { Owners } from './owners.ts';
import type { Replacements } from './replacements.ts';
import type { Service } from './service.ts';
import type { Partners } from './sync/partners.ts';
import type { Writes } from './writes.ts';

/**
 * The longest wait for all work to end. The work of a crashed process is found after half a minute, and a mail that it was
 * sending after a minute and a half.
 */
const QUIET_WITHIN_MS = 300_000;
const INTERVAL_MS = 500;
/** The responses of receivers, which are sealed, are long and are not judged. */
const withoutResponses = { sealed: 0 };
const OUTBOXES = ['patients', 'appointments'];

const countUnpublished = async ({ database }: Service): Promise<number> => {
  const counts = await Promise.all(
    OUTBOXES.map((name) => database.collection(name).countDocuments({ outboxAt: { $exists: true } })),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

const countDrafts = ({ database }: Service): Promise<number> =>
  database.collection('appointments').countDocuments({ draftAt: { $exists: true } });

const WITH_FACTS = ['subscriptions', 'operators', 'apiKeys', 'programTokens', 'auditEntries'];

/** The rows with facts that are to be told now. */
const countUntold = async ({ database }: Service): Promise<number> => {
  const due = { noticeAt: { $lte: new Date() } };
  const counts = await Promise.all(WITH_FACTS.map((name) => database.collection(name).countDocuments(due)));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Waits until all work has ended, or until QUIET_WITHIN_MS have passed. Work that remains then counts as lost. */
export const untilQuiet = async (service: Service, signal: AbortSignal): Promise<void> => {
  const { database } = service;
  const countOpen = () =>
    database.collection('deliveries').countDocuments({ status: { $in: ['queued', 'sending'] } });
  const countMails = () =>
    database.collection('mails').countDocuments({ state: { $in: ['queued', 'sending'] } });
  const countRunning = () => database.collection('redeliveries').countDocuments({ state: 'running' });
  const end = performance.now() + QUIET_WITHIN_MS;
  while (performance.now() < end) {
    // In the order in which work moves on, because what comes before ends when the next exists.
    const before = await Promise.all([countUnpublished(service), countDrafts(service), countRunning()]);
    const left = [...before, await countOpen(), await countUntold(service), await countMails()];
    if (left.every((count) => count === 0)) return;
    await sleep(INTERVAL_MS, undefined, { signal });
  }
};

/** Searches the bytes of every document and of every mail for the canary, in any encoding. */
const findLeaks = async ({ database, mails }: Pick<Service, 'database' | 'mails'>): Promise<string[]> => {
  const find = canaryFinder(CANARY);
  const leaks = new Set<string>();
  for (const { name } of await database.listCollections({ type: 'collection' }).toArray()) {
    for await (const document of database.collection(name).find({}, { raw: true })) {
      const encoding = find(document as unknown as Buffer);
      if (encoding !== undefined) leaks.add(`${name}, in ${encoding}`);
    }
  }
  for (const { raw } of mails.taken()) {
    const encoding = find(Buffer.from(raw));
    if (encoding !== undefined) leaks.add(`a mail, in ${encoding}`);
  }
  return [...leaks];
};

/** The id of a stored mail is in its Message-ID. */
const mailIdOf = (raw: string): string => /^message-id:\s*<([^@>]+)@/im.exec(raw)?.[1] ?? '';

const gatherNotices = async (
  service: Service,
  { all }: Owners,
  subscriptions: readonly SubscriptionSeen[],
): Promise<NoticeEvidence> => {
  const disabled = new Map(subscriptions.map(({ _id, disabledTime }) => [_id, disabledTime]));
  const mails = service.database.collection('mails').find<StoredNotice>({ kind: 'notice' });
  return {
    owners: all.map((owner) => {
      const time = disabled.get(owner.subscriptionId);
      return { ...owner, ...(time !== undefined && { at: new Date(time).getTime() }) };
    }),
    stored: await mails.toArray(),
    taken: service.mails.taken().map(({ raw, to, time }) => ({ mailId: mailIdOf(raw), to, at: time })),
    untold: await countUntold(service),
  };
};

/**
 * Collects the evidence of a run from the database, the receivers, the writers, the operator and the callers that book.
 *
 * @param starved the periods in which the receivers or the database got too little CPU time
 */
export const gather = async (
  service: Service,
  writes: Writes,
  { requested, repeated, bulks, disablings, payloadChanges }: Operator,
  { switches }: Replacements,
  bookings: Bookings,
  partners: Partners,
  owners: Owners,
  starved: readonly Down[],
): Promise<Evidence> => {
  const { database, names, receivers, targets, lives, refused } = service;
  const all = <T extends object>(name: string): Promise<T[]> =>
    database.collection(name).find<T>({}, { projection: withoutResponses }).toArray();
  type Chain = { _id: string; switchedTime?: Date };
  type Stored = Pick<SubscriptionState, '_id' | 'clinicId'> & SubscriptionSeen & { chain?: Chain };
  const subscriptions = await all<Stored>('subscriptions');
  // A replacement that was not switched to was never enabled.
  for (const each of subscriptions)
    if (each.chain === undefined || each.chain.switchedTime !== undefined) disablings.note(each, Date.now());
  return {
    leaks: await findLeaks(service),
    acknowledged: [...writes.acknowledged, ...bookings.acknowledged, ...partners.acknowledged],
    creations: [...writes.creations, ...bookings.creations],
    refused,
    requested,
    repeated,
    bulks,
    storedBulks: await all<StoredBulk>('redeliveries'),
    disablings: disablings.all,
    switches,
    payloadChanges,
    bookings: bookings.evidence,
    sync: partners.evidence(),
    notices: await gatherNotices(service, owners, subscriptions),
    drafts: await countDrafts(service),
    unpublished: await countUnpublished(service),
    // The events of tests belong to no record.
    events: (await openedDocuments(service, 'events', { about: { $exists: true } })) as LoggedEvent[],
    deliveries: await all<StoredDelivery>('deliveries'),
    subscriptions: subscriptions.map(({ _id, clinicId, chain }) => ({
      _id,
      clinicId,
      chainId: chain?._id ?? _id,
      receiver: names.get(_id) ?? 'nobody',
    })),
    seen: receivers.seen,
    downs: [...targets.flatMap(({ downs }) => downs), ...starved],
    lives,
  };
};
