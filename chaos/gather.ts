import { setTimeout as sleep } from 'node:timers/promises';
import type { SubscriptionSeen } from './disablings.ts';
import type { Evidence, LoggedEvent, StoredBulk, StoredDelivery, SubscriptionState } from './evidence.ts';
import type { Down } from './history.ts';
import type { Operator } from './operator.ts';
import type { Service } from './service.ts';
import type { Writes } from './writes.ts';

/** The longest wait for quiet, in milliseconds: what a dead process left is found after half a minute. */
const QUIET_WITHIN = 120_000;
const INTERVAL = 500;
/** What receivers answered is long, and is not judged. */
const withoutAnswers = { responseBody: 0 };
const OUTBOXES = ['patients', 'appointments'];

const countUnpublished = async ({ database }: Service): Promise<number> => {
  const counts = await Promise.all(
    OUTBOXES.map((name) => database.collection(name).countDocuments({ outboxAt: { $exists: true } })),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Waits until nothing is left to be done, or for so long that something must have been lost. */
export const untilQuiet = async (service: Service, signal: AbortSignal): Promise<void> => {
  const { database } = service;
  const countOpen = () =>
    database.collection('deliveries').countDocuments({ status: { $in: ['queued', 'sending'] } });
  const countRunning = () => database.collection('redeliveries').countDocuments({ state: 'running' });
  const end = performance.now() + QUIET_WITHIN;
  while (performance.now() < end) {
    const left = await Promise.all([countUnpublished(service), countRunning(), countOpen()]);
    if (left.every((count) => count === 0)) return;
    await sleep(INTERVAL, undefined, { signal });
  }
};

/**
 * Reads what a run has left in the database, beside what its receivers, its writers and its operator know.
 *
 * @param starved when the receivers did not get to run
 */
export const gather = async (
  service: Service,
  { answered, creations }: Writes,
  { requested, repeated, bulks, disablings }: Operator,
  starved: readonly Down[],
): Promise<Evidence> => {
  const { database, names, receivers, targets, lives, refused } = service;
  const all = <T extends object>(name: string): Promise<T[]> =>
    database.collection(name).find<T>({}, { projection: withoutAnswers }).toArray();
  type Stored = Omit<SubscriptionState, 'receiver'> & SubscriptionSeen;
  const subscriptions = await all<Stored>('subscriptions');
  for (const each of subscriptions) disablings.note(each, Date.now());
  return {
    answered,
    creations,
    refused,
    requested,
    repeated,
    bulks,
    storedBulks: await all<StoredBulk>('redeliveries'),
    disablings: disablings.all,
    unpublished: await countUnpublished(service),
    // What an operator tests with is no record's event.
    events: (await all<LoggedEvent>('events')).filter(({ recordId }) => recordId !== undefined),
    deliveries: await all<StoredDelivery>('deliveries'),
    subscriptions: subscriptions.map(({ _id, clinicId }) => ({
      _id,
      clinicId,
      receiver: names.get(_id) ?? 'nobody',
    })),
    seen: receivers.seen,
    downs: [...targets.flatMap(({ downs }) => downs), ...starved],
    lives,
  };
};
