import { expect, test } from 'vitest';
import { repairedIn, together } from './together.ts';

test('deliveries of one event for one subscription follow each other, and the others keep their order', () => {
  const of = (eventId: string, subscriptionId: string, _id: string) => ({ eventId, subscriptionId, _id });
  const list = [of('e1', 's1', 'a'), of('e1', 's2', 'b'), of('e2', 's1', 'c'), of('e1', 's1', 'd')];
  expect(together(list).map(({ _id }) => _id)).toEqual(['a', 'd', 'b', 'c']);
});

test('a delivery without success is repaired by a later redelivery to the same subscription that succeeded', () => {
  const of = (_id: string, day: number, change: object) => ({
    ...{ _id, eventId: 'e1', subscriptionId: 's1', createdTime: `2030-01-0${day}T00:00:00.000Z` },
    ...{ kind: 'event' as const, outcome: 'failed' as const, ...change },
  });
  const redelivery = { kind: 'redelivery', outcome: 'succeeded' };
  const list = [
    of('failed later', 4, { kind: 'redelivery' }),
    of('repair', 3, redelivery),
    of('failed before', 2, { kind: 'redelivery' }),
    of('skipped', 1, { outcome: 'skipped' }),
    of('of another subscription', 1, { subscriptionId: 's2' }),
    of('of another event', 1, { eventId: 'e2' }),
    of('in vain', 2, { eventId: 'e2', kind: 'redelivery' }),
  ];
  expect([...repairedIn(list)]).toEqual(['failed before', 'skipped']);
});
