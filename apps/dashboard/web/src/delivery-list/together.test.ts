import { expect, test } from 'vitest';
import { together } from './together.ts';

test('deliveries of one event for one subscription follow each other, and the others keep their order', () => {
  const of = (eventId: string, subscriptionId: string, _id: string) => ({ eventId, subscriptionId, _id });
  const list = [of('e1', 's1', 'a'), of('e1', 's2', 'b'), of('e2', 's1', 'c'), of('e1', 's1', 'd')];
  expect(together(list).map(({ _id }) => _id)).toEqual(['a', 'd', 'b', 'c']);
});
