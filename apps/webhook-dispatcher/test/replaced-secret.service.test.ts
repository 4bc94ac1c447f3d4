import { clock, TEST_EVENT } from '@chairside/domain';
import type { CreatedSubscription } from '@chairside/mongodb';
import type { WholeStore } from '@chairside/mongodb/whole';
import { type EventProducer, openEventProducer } from '@chairside/queue';
import { signatureHeader, verify } from '@chairside/signing';
import { type RecordingReceiver, startRecordingReceiver, testEngines } from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPatientsDuring, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
let again: EventProducer | undefined;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
});
afterEach(async () => {
  await dispatcher.close();
  await again?.close();
  await receiver.close();
});

const subscriptions = () => dispatcher.practice.store.subscriptions;
const deliveries = () => dispatcher.database.collection('deliveries');
const replacementOf = async (id: string): Promise<CreatedSubscription> => {
  const made = await subscriptions().replace(id, {}, clock.now());
  if (made === undefined || 'refused' in made) throw new Error('no replacement was created');
  return made;
};
const enable = (id: string) => subscriptions().update(id, { active: true }, clock.now());
const untilSent = (events: readonly string[]) =>
  expect.poll(() => deliveries().countDocuments({ status: 'succeeded' })).toBe(events.length);

type Post = RecordingReceiver['posts'][number];

const isSignedWith = (secret: string, { raw, headers }: Post): boolean => {
  try {
    verify({ body: raw, header: signatureHeader({ headers }), secret });
    return true;
  } catch {
    return false;
  }
};

/** How many POSTs each of these subscriptions has signed; each event must have been sent once. */
const expectEachSignedOnce = (
  events: readonly string[],
  signers: readonly CreatedSubscription[],
): Map<string, number> => {
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual([...events].sort());
  const counts = new Map<string, number>();
  for (const post of receiver.posts) {
    const [signer, ...more] = signers.filter(({ secret }) => isSignedWith(secret, post));
    expect(more).toEqual([]);
    counts.set(signer?._id ?? '', (counts.get(signer?._id ?? '') ?? 0) + 1);
  }
  return counts;
};

test('a chain of switches under load: each event is sent once, signed with one of the secrets', async () => {
  for (let number = 0; number < 3; number++) dispatcher.start();
  const chain = [await dispatcher.subscribe(receiver.url)];
  const switching = async () => {
    for (let generation = 0; generation < 4; generation++) {
      const subscriptionId = chain.at(-1)?._id ?? '';
      // Each has got an event before it is replaced.
      await expect.poll(() => deliveries().countDocuments({ subscriptionId })).toBeGreaterThan(0);
      const next = await replacementOf(subscriptionId);
      chain.push(next);
      await enable(next._id);
    }
    const subscriptionId = chain.at(-1)?._id ?? '';
    await expect.poll(() => deliveries().countDocuments({ subscriptionId })).toBeGreaterThan(0);
  };
  const events = await createPatientsDuring(switching(), dispatcher, receiver);
  // On a machine too busy for a response within five seconds, an attempt ends as a timeout: it was sent all the same.
  const sent = { $or: [{ status: 'succeeded' }, { status: 'failed', cause: 'timeout' }] };
  await expect.poll(() => deliveries().countDocuments(sent)).toBe(events.length);
  const counts = expectEachSignedOnce(events, chain);
  expect([...counts.keys()].sort()).toEqual(chain.map(({ _id }) => _id).sort());
});

test('what is queued at the switch is sent with the old secret, and tests go to a pending one', async () => {
  const first = await dispatcher.subscribe(receiver.url);
  const second = await replacementOf(first._id);
  const held = Promise.withResolvers<void>();
  receiver.respond = async (_post, response) => {
    await held.promise;
    response.writeHead(204).end();
  };
  dispatcher.start();
  const before = await dispatcher.createPatients(30);
  await expect.poll(() => deliveries().countDocuments({ subscriptionId: first._id })).toBe(30);
  await dispatcher.practice.store.deliveries.test(second, { kind: 'operator' }, clock.now());
  await enable(second._id);
  const after = await dispatcher.createPatients(10);
  await expect
    .poll(() => deliveries().countDocuments({ subscriptionId: second._id, kind: 'event' }))
    .toBe(10);
  held.resolve();
  await expect.poll(() => deliveries().countDocuments({ status: 'succeeded' })).toBe(41);
  const testId = receiver.posts.find(({ json }) => json.event === TEST_EVENT)?.json.id ?? '';
  const counts = expectEachSignedOnce([...before, ...after, testId], [first, second]);
  expect(counts).toEqual(
    new Map([
      [first._id, 30],
      [second._id, 11],
    ]),
  );
});

test('two dispatchers with different views of a switch create one delivery of each event', async () => {
  const first = await dispatcher.subscribe(receiver.url);
  const second = await replacementOf(first._id);
  const { everyOrganization } = dispatcher.store;
  const { organizationId, clinicIds } = dispatcher.practice;
  const stale = await everyOrganization.receivers.inClinics([{ organizationId, clinicId: clinicIds[0] }]);
  await enable(second._id);
  const store: WholeStore = {
    ...dispatcher.store,
    everyOrganization: {
      ...everyOrganization,
      receivers: { ...everyOrganization.receivers, inClinics: async () => stale },
    },
  };
  const events = await dispatcher.createPatients(50);
  // The same events go into a second queue, so that both dispatchers fan them out.
  const prefix = dispatcher.redisPrefix.replace('}', '_again}');
  const { redisUrl: url } = testEngines();
  again = openEventProducer({ url, prefix, onUnavailable() {}, onAvailable() {} });
  await expect.poll(() => again?.isReady()).toBe(true);
  for (const { _id, outbox } of await dispatcher.database.collection('patients').find().toArray())
    again.publish({
      organizationId,
      kind: 'patient',
      recordId: String(_id),
      eventId: outbox[0]._id,
      clinicIds: outbox[0].clinicIds,
    });
  dispatcher.start({}, { store });
  dispatcher.start({ REDIS_PREFIX: prefix });
  await untilSent(events);
  const counts = expectEachSignedOnce(events, [first, second]);
  expect([...counts.values()].reduce((sum, each) => sum + each, 0)).toBe(50);
});

test('a delivery that a killed dispatcher has stored for the old one is sent, though its lane was never opened', async () => {
  const first = await dispatcher.subscribe(receiver.url);
  const second = await replacementOf(first._id);
  const [eventId = ''] = await dispatcher.createPatients(1);
  const { organizationId, clinicIds } = dispatcher.practice;
  // This is all that remains of the dispatcher: it was killed before it opened the lane and filed the event.
  await dispatcher.store.everyOrganization.deliveries.insert(
    [
      {
        _id: `${eventId}-${first._id}`,
        organizationId,
        clinicId: clinicIds[0],
        subscriptionId: first._id,
        eventId,
        event: 'patient.created',
        kind: 'event',
      },
    ],
    clock.now(),
  );
  await enable(second._id);
  dispatcher.start();
  await untilSent([eventId]);
  expect(expectEachSignedOnce([eventId], [first, second])).toEqual(new Map([[first._id, 1]]));
});

test('a pending replacement whose subscription is deleted skips the events, like any inactive one', async () => {
  const first = await dispatcher.subscribe(receiver.url);
  const second = await replacementOf(first._id);
  await subscriptions().delete(first._id);
  dispatcher.start();
  await dispatcher.createPatients(1);
  const skipped = { subscriptionId: second._id, status: 'skipped', cause: 'subscription_disabled' };
  await expect.poll(() => deliveries().countDocuments(skipped)).toBe(1);
});
