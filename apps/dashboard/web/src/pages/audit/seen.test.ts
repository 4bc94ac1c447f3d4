import { expect, test } from 'vitest';
import { seenOf } from './seen.ts';

let number = 0;
const entry = (
  minute: number,
  action: 'read' | 'events_read' | 'listed' | 'updated',
  id: string,
  more = {},
) => ({
  _id: `${++number}`,
  time: new Date(Date.UTC(2030, 0, 31, 9, minute)).toISOString(),
  action,
  principal: { kind: 'operator' as const, id },
  ids: ['patient'],
  ...more,
});

test('the requests of one opening are one look, and those of a later one another', () => {
  const entries = [
    entry(50, 'read', 'jonas'),
    entry(21, 'events_read', 'jonas'),
    entry(20, 'read', 'jonas'),
    entry(20, 'read', 'dana'),
  ];
  const { opened, listed, others } = seenOf(entries);
  expect(opened.map(({ key, looks, times }) => [key.trim(), looks.length, times])).toEqual([
    ['operator jonas', 2, 2],
    ['operator dana', 1, 1],
  ]);
  expect(opened[0]?.looks[1]?.entries).toHaveLength(2);
  expect([listed, others]).toEqual([[], []]);
});

test('each list counts, an entry that stands for several reads counts them, and changes are apart', () => {
  const entries = [
    entry(12, 'updated', 'jonas'),
    entry(11, 'listed', 'jonas'),
    entry(11, 'listed', 'jonas'),
    entry(10, 'read', 'key', { count: 6 }),
  ];
  const { opened, listed, others } = seenOf(entries);
  expect(opened.map(({ times }) => times)).toEqual([6]);
  expect(listed.map(({ times }) => times)).toEqual([2]);
  expect(others.map(({ times }) => times)).toEqual([1]);
});
