import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('a group that has many waiting does not keep another from its turn', async () => {
  let waiting = 0;
  const turns = createTurns(2, (count) => {
    waiting = count;
  });
  const order: string[] = [];
  const take = (group: string, name: string) => turns.take(group).then(() => order.push(name));
  const taken = [
    take('a', 'a1'),
    take('a', 'a2'),
    take('a', 'a3'),
    take('a', 'a4'),
    take('a', 'a5'),
    take('b', 'b1'),
    take('c', 'c1'),
    take('b', 'b2'),
  ];
  await Promise.all(taken.slice(0, 2));
  expect({ order, waiting }).toEqual({ order: ['a1', 'a2'], waiting: 6 });
  for (let given = 0; given < 6; given++) turns.giveBack();
  await Promise.all(taken);
  expect({ order, waiting }).toEqual({
    order: ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'],
    waiting: 0,
  });
  // Nobody waits: the turns are free again.
  turns.giveBack();
  turns.giveBack();
  await Promise.all([take('a', 'a6'), take('a', 'a7')]);
  void take('a', 'a8');
  expect(waiting).toBe(1);
});
