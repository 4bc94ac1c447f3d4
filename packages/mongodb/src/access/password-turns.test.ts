import { setImmediate } from 'node:timers/promises';
import type { Refusal } from '@chairside/domain';
import { expect, test } from 'vitest';
import { openPasswords } from './passwords.ts';

test('networks take turns, and a hash of the network with the most is refused when a hundred wait', async () => {
  const { hash, waiting } = openPasswords();
  const refused: string[] = [];
  const ended: string[] = [];
  const begin = (caller: string) =>
    hash(caller, caller).then(
      () => void ended.push(caller),
      ({ name, limit }: Refusal) => void refused.push(`${name} ${limit}`),
    );
  const hashes = Array.from({ length: 2 + 100 }, () => begin('flood'));
  expect([waiting(), refused]).toEqual([100, []]);
  hashes.push(begin('flood'), begin('neighbour'));
  await setImmediate();
  expect([waiting(), refused]).toEqual([100, Array(2).fill('TooManyRequests passwords_waiting')]);
  await Promise.all(hashes);
  // Two were running, and each network has one of the next turns.
  expect(ended.indexOf('neighbour')).toBeLessThan(5);
  expect(ended).toHaveLength(2 + 100);
});
