import type { Receiver } from '@chairside/domain';
import type { ClaimedDelivery } from '@chairside/mongodb/dispatch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAttempt } from './attempt.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const delivery: ClaimedDelivery = {
  _id: 'd',
  token: 't',
  organizationId: 'o',
  clinicId: 'c',
  subscriptionId: 's',
  eventId: 'e',
  event: 'patient.created',
  kind: 'event',
  createdTime: new Date(0),
};
const receiver: Receiver = {
  _id: 's',
  organizationId: 'o',
  clinicId: 'c',
  url: 'https://receiver.test/',
  payload: 'full',
  headers: {},
  secret: 'whsec_of_the_receiver',
  active: true,
  activation: 1,
  consecutiveFailures: 0,
  isInTrouble: false,
};

test('an event counts as gone a minute after it was missed first, however old the delivery is', async () => {
  const attempt = createAttempt({
    bodies: { of: async () => undefined },
    receiverCache: { find: async () => receiver },
    outbound: { check: async () => 'allowed' },
    post: () => Promise.reject(new Error('nothing can be sent')),
  });
  const attemptNow = () => attempt(delivery, { deadline: Number.POSITIVE_INFINITY });
  for (const milliseconds of [0, 59_999]) {
    vi.advanceTimersByTime(milliseconds);
    await expect(attemptNow()).rejects.toThrow('not in the log yet');
  }
  vi.advanceTimersByTime(1);
  expect(await attemptNow()).toMatchObject({ outcome: { outcome: 'skipped', cause: 'event_gone' } });
});
