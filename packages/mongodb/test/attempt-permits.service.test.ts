import { newId } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import type { SubscriptionDocument } from '../src/subscriptions/subscriptions.ts';

const PAUSES = { firstMs: 1000, longestMs: 4000 };

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

/** A subscription with this number of failures, and functions for its permit. */
const subscribe = async (failures: number, pauses = PAUSES) => {
  const { attemptPermits, receivers } = testStore.store.everyOrganization;
  const { subscriptions } = testStore.store.organization('o');
  const sent = { clinicId: newId(), url: 'https://example.com', events: [], active: true };
  const created = await subscriptions.create(sent, new Date());
  if (created === undefined) throw new Error('a new clinic has no room');
  const subscriptionId = created._id;
  const fail = (count: number, ...permits: string[]) =>
    receivers.addFailures(
      { subscriptionId, activation: 1, failures: count, succeeded: false, lastCauses: ['reset'], permits },
      new Date(),
      pauses,
    );
  const take = async (token: string, ignoresPause = false) => {
    const [response] = await attemptPermits.take([{ subscriptionId, ignoresPause }], token);
    if (response === undefined) throw new Error('a request got no response');
    return response;
  };
  const stored = () =>
    testStore.database.collection<SubscriptionDocument>('subscriptions').findOne({ _id: subscriptionId });
  /** Changes stored times, as if this many milliseconds had passed. */
  const pass = async (milliseconds: number) => {
    const earlier = (field: string) => ({
      $cond: [{ $ifNull: [field, false] }, { $subtract: [field, milliseconds] }, '$$REMOVE'],
    });
    await testStore.database
      .collection<SubscriptionDocument>('subscriptions')
      .updateOne({ _id: subscriptionId }, [
        { $set: { 'pause.until': earlier('$pause.until'), 'permit.until': earlier('$permit.until') } },
      ]);
  };
  if (failures > 0) await fail(failures);
  return { subscriptionId, subscriptions, fail, take, stored, pass };
};

test('a subscription with fewer than five failures has no permit and no pause', async () => {
  const { take, stored } = await subscribe(4);
  expect(await take('a')).toEqual({ isTaken: false, consecutiveFailures: 4, pauseMs: 0, otherMs: 0 });
  expect(await stored()).not.toHaveProperty('pause');
});

test('of many processes that ask at once, one gets the permit', async () => {
  const { take } = await subscribe(5, { firstMs: 0, longestMs: 0 });
  const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => take(`token ${index}`)));
  expect(responses.filter(({ isTaken }) => isTaken)).toHaveLength(1);
  for (const { isTaken, otherMs } of responses)
    expect(isTaken ? otherMs === 0 : otherMs > 29_000 && otherMs <= 30_000).toBe(true);
});

test('the pause begins with the setting, doubles after each permit, and has a limit', async () => {
  const { fail, take, stored, pass } = await subscribe(5);
  const lengths: number[] = [];
  for (const token of ['a', 'b', 'c', 'd']) {
    const refused = await take(token);
    expect(refused).toMatchObject({ isTaken: false, otherMs: 0 });
    const pauseMs = (await stored())?.pause?.ms ?? 0;
    expect(refused.pauseMs).toBeGreaterThan(pauseMs - 1000);
    expect(refused.pauseMs).toBeLessThanOrEqual(pauseMs);
    lengths.push(pauseMs);
    await pass(pauseMs);
    expect(await take(token)).toMatchObject({ isTaken: true, pauseMs: 0 });
    await fail(1, token);
  }
  expect(lengths).toEqual([1000, 2000, 4000, 4000]);
});

test('failures of attempts without a permit neither lengthen the pause nor end the permit of another process', async () => {
  const { fail, take, stored, pass } = await subscribe(5);
  await fail(3);
  expect((await stored())?.pause?.ms).toBe(1000);
  await pass(1000);
  expect(await take('a')).toMatchObject({ isTaken: true });
  await fail(1);
  await fail(1, 'b');
  expect((await stored())?.permit?.token).toBe('a');
});

test('a test ignores the pause, but not the permit of another process', async () => {
  const { take } = await subscribe(5);
  expect(await take('a')).toMatchObject({ isTaken: false });
  expect(await take('b', true)).toMatchObject({ isTaken: true });
  expect(await take('c', true)).toMatchObject({ isTaken: false });
});

test('a permit ends when it is given back by its holder, when a test succeeds the pause ends', async () => {
  const { attemptPermits } = testStore.store.everyOrganization;
  const { subscriptionId, take, stored } = await subscribe(5);
  await take('a', true);
  await attemptPermits.giveBack([{ subscriptionId, token: 'another' }]);
  expect(await take('b', true)).toMatchObject({ isTaken: false });
  await attemptPermits.giveBack([{ subscriptionId, token: 'a' }]);
  expect(await take('b')).toMatchObject({ isTaken: false });
  await attemptPermits.endPauses([subscriptionId]);
  expect(await take('b')).toMatchObject({ isTaken: true, consecutiveFailures: 5 });
  expect(await stored()).not.toHaveProperty('pause');
});

test('the permit of a process that crashed is free after 30 seconds, and times of a clock that was ahead do not count', async () => {
  const { take, pass } = await subscribe(5, { firstMs: 0, longestMs: 0 });
  await take('crashed');
  await pass(29_000);
  expect(await take('b')).toMatchObject({ isTaken: false });
  await pass(2000);
  expect(await take('b')).toMatchObject({ isTaken: true });
  // The clock of the database was a day ahead when these times were stored.
  const { take: takeAhead, fail, pass: passAhead } = await subscribe(5, { firstMs: 1000, longestMs: 1000 });
  await takeAhead('a', true);
  await fail(1);
  await passAhead(-86_400_000);
  expect(await takeAhead('b')).toMatchObject({ isTaken: true });
});

test('a success, an activation and a subtraction end pause and permit; another URL ends the pause', async () => {
  const { receivers } = testStore.store.everyOrganization;
  const ends = {
    success: async ({ subscriptionId }: Awaited<ReturnType<typeof subscribe>>) =>
      receivers.clearStreaks([subscriptionId]),
    activation: async ({ subscriptionId, subscriptions }: Awaited<ReturnType<typeof subscribe>>) => {
      await subscriptions.update(subscriptionId, { active: false }, new Date());
      await subscriptions.update(subscriptionId, { active: true }, new Date());
    },
    subtraction: async ({ subscriptionId }: Awaited<ReturnType<typeof subscribe>>) => {
      await receivers.subtractFailures({ subscriptionId, activation: 1, failures: 2 });
    },
  };
  for (const end of Object.values(ends)) {
    const subscription = await subscribe(5);
    await subscription.take('a', true);
    expect(await subscription.stored()).toMatchObject({ pause: {}, permit: { token: 'a' } });
    await end(subscription);
    const stored = await subscription.stored();
    expect(stored).not.toHaveProperty('pause');
    expect(stored).not.toHaveProperty('permit');
  }
  const moved = await subscribe(5);
  await moved.subscriptions.update(moved.subscriptionId, { url: 'https://example.com' }, new Date());
  expect(await moved.take('a')).toMatchObject({ isTaken: false });
  await moved.subscriptions.update(moved.subscriptionId, { url: 'https://other.example' }, new Date());
  expect(await moved.take('a')).toMatchObject({ isTaken: true });
});

test('a disabled subscription has no pause and no permit, and a subscription of which nothing is known has none either', async () => {
  const { fail, take, stored } = await subscribe(5);
  await take('a', true);
  expect((await fail(15, 'a'))?.disabled).toBeDefined();
  const disabled = await stored();
  expect(disabled).not.toHaveProperty('pause');
  expect(disabled).not.toHaveProperty('permit');
  expect(await take('b', true)).toEqual({ isTaken: false, consecutiveFailures: 0, pauseMs: 0, otherMs: 0 });
  const { attemptPermits } = testStore.store.everyOrganization;
  expect(await attemptPermits.take([{ subscriptionId: 'gone', ignoresPause: true }], 'c')).toEqual([
    { isTaken: false, consecutiveFailures: 0, pauseMs: 0, otherMs: 0 },
  ]);
});
