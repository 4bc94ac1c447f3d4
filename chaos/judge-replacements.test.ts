import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import { at, deliveriesAnd, deliveryWith, good, outage, seenWith, sent } from './good-run.ts';
import { judge } from './judge.ts';

/** The run, in which the subscription of the healthy receiver was replaced at 50 s and at 90 s. */
const chained = {
  ...good,
  subscriptions: [
    ...good.subscriptions,
    { _id: 'second', clinicId: 'clinic', chainId: 'healthy', receiver: 'healthy' },
    { _id: 'third', clinicId: 'clinic', chainId: 'healthy', receiver: 'healthy' },
  ],
  switches: [
    { replaced: 'healthy', subscriptionId: 'second', from: 49_900, by: 50_000 },
    { replaced: 'second', subscriptionId: 'third', from: 89_900, by: 90_000 },
  ],
  ...deliveryWith(sent, { subscriptionId: 'third' }),
  ...seenWith({ signedBy: ['third'] }),
} as Evidence;
const changed = (changes: Parameters<typeof deliveryWith>[1]) => ({
  deliveries: chained.deliveries.map((each) => (each._id === sent._id ? { ...each, ...changes } : each)),
});

test('finds no violation in a run with a chain of switches', () => {
  expect(judge(chained)).toEqual([]);
});

test('excuses a dispatcher that stood still since before the switch', () => {
  const downs = [outage('dispatcher 1', 'paused', 89, 99)];
  const late = { ...changed({ subscriptionId: 'second' }), ...seenWith({ signedBy: ['second'] }), downs };
  expect(judge({ ...chained, ...late } as Evidence)).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ['a wrong signature', seenWith({ signedBy: [] }), /with a wrong signature/],
  ['the signature of another secret of the chain', seenWith({ signedBy: ['second'] }), /signature of second/],
  [
    'a signature that two secrets match',
    seenWith({ signedBy: ['second', 'third'] }),
    /signature of second,third/,
  ],
  [
    'an event that both got',
    {
      deliveries: [
        ...chained.deliveries,
        ...deliveriesAnd({ ...sent, _id: 'event-second', subscriptionId: 'second' }).deliveries.slice(-1),
      ],
    },
    /event event has 2 deliveries for healthy/,
  ],
  [
    'an event that neither got',
    { deliveries: chained.deliveries.filter(({ _id }) => _id !== sent._id) },
    /event event has 0 deliveries for healthy/,
  ],
  [
    'an event for a subscription that was replaced long ago',
    changed({ subscriptionId: 'second' }),
    /was created for a subscription that had been replaced/,
  ],
  [
    'an event for a replacement before the switch',
    changed({ createdTime: at(88) }),
    /was created for a replacement that was not switched to/,
  ],
])('finds %s', (_name, changes, violation) => {
  expect(judge({ ...chained, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
