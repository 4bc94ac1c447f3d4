import { expect, test } from 'vitest';
import { createRepeats } from './repeats.ts';

const lineOf = (number: number, externalId: string, name: string) => ({
  number,
  line: { externalId, fields: { name } },
});

test('finds the line before that is about the same record, and says what the later one does to it', () => {
  const { meet, isIncomplete } = createRepeats();
  const deletion = (number: number) => ({ number, line: { externalId: 'a', deleted: true as const } });
  expect(meet(lineOf(1, 'a', 'Ada'))).toBeUndefined();
  expect(meet(lineOf(2, 'b', 'Ada'))).toBeUndefined();
  expect(meet(lineOf(3, 'a', 'Bo'))).toEqual({ number: 3, earlier: 1, outcome: 'updated' });
  expect(meet(lineOf(7, 'a', 'Bo'))).toEqual({ number: 7, earlier: 3, outcome: 'unchanged' });
  expect(meet(deletion(8))).toEqual({ number: 8, earlier: 7, outcome: 'deleted' });
  expect(meet(deletion(9))).toEqual({ number: 9, earlier: 8, outcome: 'unchanged' });
  expect(meet(lineOf(10, 'a', 'Bo'))).toEqual({ number: 10, earlier: 9, outcome: 'created' });
  expect(isIncomplete()).toBe(false);
});

test('remembers a limited number of records, and says so', () => {
  const { meet, isIncomplete } = createRepeats(2);
  for (const [index, id] of ['a', 'b', 'c'].entries()) meet(lineOf(index, id, 'x'));
  expect(isIncomplete()).toBe(true);
  expect(meet(lineOf(4, 'a', 'x'))).toMatchObject({ earlier: 0 });
  expect(meet(lineOf(5, 'c', 'x'))).toBeUndefined();
});
