import { setImmediate } from 'node:timers/promises';
import type { Refusal } from '@chairside/domain';
import { expect, test } from 'vitest';
import { createHashQueue, openPasswords } from './passwords.ts';

test('networks take turns, and a hash of the network with the most is refused when a hundred wait', async () => {
  const queue = createHashQueue();
  const begun: string[] = [];
  const { hash, waiting } = openPasswords({
    ...queue,
    run: (caller, work) =>
      queue.run(caller, () => {
        begun.push(caller);
        return work();
      }),
  });
  const refused: string[] = [];
  const begin = (caller: string) =>
    hash(caller, caller).then(
      () => {},
      ({ name, limit }: Refusal) => void refused.push(`${name} ${limit}`),
    );
  const hashes = Array.from({ length: 2 + 100 }, () => begin('flood'));
  expect([waiting(), refused]).toEqual([100, []]);
  hashes.push(begin('flood'), begin('neighbour'));
  await setImmediate();
  expect([waiting(), refused]).toEqual([100, Array(2).fill('TooManyRequests passwords_waiting')]);
  await Promise.all(hashes);
  // Two were running, and each network has one of the next turns.
  expect(begun.indexOf('neighbour')).toBe(3);
  expect(begun).toHaveLength(2 + 100);
});
