import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence, LoggedEvent, StoredDelivery, SubscriptionState } from './judge.ts';
import type { Operator } from './operator.ts';
import type { Service } from './service.ts';
import type { Writes } from './writes.ts';

/** The longest wait for quiet, in milliseconds: what a dead process left is found after half a minute. */
const QUIET_WITHIN = 120_000;
const INTERVAL = 500;
const OUTBOXES = ['patients', 'appointments'];

const countUnpublished = async ({ database }: Service): Promise<number> => {
  const counts = await Promise.all(
    OUTBOXES.map((name) => database.collection(name).countDocuments({ outboxAt: { $exists: true } })),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/** Waits until nothing is left to be done, or for so long that something must have been lost. */
export const untilQuiet = async (service: Service, signal: AbortSignal): Promise<void> => {
  const deliveries = service.database.collection('deliveries');
  const countOpen = () => deliveries.countDocuments({ status: { $in: ['queued', 'sending'] } });
  const end = performance.now() + QUIET_WITHIN;
  while (performance.now() < end) {
    if ((await countUnpublished(service)) === 0 && (await countOpen()) === 0) return;
    await sleep(INTERVAL, undefined, { signal });
  }
};

/** Reads what a run has left in the database, beside what its receivers and its writers know. */
export const gather = async (
  service: Service,
  { answered, creations }: Writes,
  { requested }: Operator,
): Promise<Evidence> => {
  const { database, names, receivers } = service;
  const all = async <T extends object>(name: string, fields: readonly string[]): Promise<T[]> => {
    const projection = Object.fromEntries(fields.map((field) => [field, 1]));
    return database.collection(name).find<T>({}, { projection }).toArray();
  };
  const subscriptions = await all<Omit<SubscriptionState, 'receiver'>>('subscriptions', [
    'clinicId',
    'active',
  ]);
  return {
    answered,
    creations,
    requested,
    unpublished: await countUnpublished(service),
    // What an operator tests with is no record's event.
    events: (await all<LoggedEvent>('events', ['event', 'recordId', 'clinicIds', 'body'])).filter(
      ({ recordId }) => recordId !== undefined,
    ),
    deliveries: await all<StoredDelivery>('deliveries', [
      'eventId',
      'subscriptionId',
      'kind',
      'status',
      'cause',
      'reason',
      'attemptTime',
    ]),
    subscriptions: subscriptions.map((each) => ({ ...each, receiver: names.get(each._id) ?? 'nobody' })),
    seen: receivers.seen,
  };
};
