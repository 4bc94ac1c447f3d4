import { expect, test } from 'vitest';
import { type SubscriptionState, stateOf } from './subscription.ts';

type Facts = Parameters<typeof stateOf>[0];
const unused: Facts = {
  active: true,
  consecutiveFailures: 0,
  last: undefined,
  isCatchingUp: false,
  isPending: false,
  isReplaced: false,
};

test.each<[SubscriptionState, Partial<Facts>]>([
  ['new', {}],
  ['healthy', { last: 'succeeded' }],
  // A redelivery or a test that succeeds is the last attempt, whatever failed before.
  ['healthy', { last: 'succeeded', consecutiveFailures: 19 }],
  ['recovering', { last: 'succeeded', isCatchingUp: true }],
  // A test that fails does not count, but it is the last attempt.
  ['failing', { last: 'failed' }],
  ['failing', { last: 'failed', consecutiveFailures: 4 }],
  // Its failed deliveries have expired.
  ['failing', { consecutiveFailures: 1 }],
  ['slowed', { last: 'failed', consecutiveFailures: 5 }],
  ['disabled', { active: false, last: 'failed', consecutiveFailures: 20 }],
  ['off', { active: false, last: 'failed', consecutiveFailures: 19 }],
  ['off', { active: false }],
  // A test succeeded, and no event was sent to it.
  ['new', { active: false, last: 'succeeded', isPending: true }],
  // What is queued for it is still sent.
  ['replaced', { active: true, last: 'failed', consecutiveFailures: 5, isReplaced: true }],
  ['replaced', { active: false, consecutiveFailures: 20, isReplaced: true }],
])('%s: %j', (state, facts) => {
  expect(stateOf({ ...unused, ...facts })).toBe(state);
});
