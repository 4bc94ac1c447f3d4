import { deliveryId, newId } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

test('concurrent claims and skips of the same deliveries all complete, and each delivery is either claimed or skipped', async () => {
  const { deliveries } = testStore.store.everyOrganization;
  const now = new Date();
  for (let round = 0; round < 10; round++) {
    const subscriptionId = newId(now);
    const eventIds = Array.from({ length: 200 }, () => newId(now));
    const made = eventIds.map((eventId) => ({
      _id: deliveryId(eventId, subscriptionId),
      organizationId: 'organization',
      clinicId: 'clinic',
      subscriptionId,
      eventId,
      event: 'patient.created' as const,
      kind: 'event' as const,
      requestId: 'request',
      bodyBytes: 2,
    }));
    // The deliveries are stored in an order other than that of their ids, so that two indexes return them in opposite
    // orders.
    for (const delivery of made.toReversed()) await deliveries.insert([delivery], now);
    const claims = [1, 2, 3, 4].map((claim) => deliveries.claim(made, `token ${claim}`, 'worker'));
    const skipped = deliveries.skipQueued(subscriptionId, 'subscription_disabled', now);
    const claimed = (await Promise.all(claims)).flat().map(({ _id }) => _id);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length + (await skipped)).toBe(made.length);
  }
});
