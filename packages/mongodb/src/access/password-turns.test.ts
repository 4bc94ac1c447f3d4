import { setImmediate } from 'node:timers/promises';
import type { Refusal } from '@chairside/domain';
import { expect, test, vi } from 'vitest';
import { openPasswords } from './passwords.ts';

/** The passwords that are being hashed, and what ends these hashes. */
const { hashing } = vi.hoisted(() => ({ hashing: [] as { password: string; end: () => void }[] }));
vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  argon2: (_algorithm: string, { message }: { message: string }, done: (error: null, tag: Buffer) => void) =>
    void hashing.push({ password: message, end: () => done(null, Buffer.of()) }),
}));

test('networks take turns, and a hash of the network with the most is refused when a hundred wait', async () => {
  const { hash, waiting } = openPasswords();
  const refused: (string | undefined)[] = [];
  const begin = (caller: string) =>
    hash(caller, caller).catch((error: Refusal) => void refused.push(error.limit));
  const hashes = Array.from({ length: 2 + 100 }, () => begin('flood'));
  expect([hashing.length, waiting(), refused]).toEqual([2, 100, []]);
  hashes.push(begin('flood'), begin('neighbour'));
  await setImmediate();
  expect([waiting(), refused]).toEqual([100, ['passwords_waiting', 'passwords_waiting']]);
  // One turn each for the flood and the neighbour.
  for (const { end } of hashing.splice(0)) end();
  await setImmediate();
  expect(hashing.map(({ password }) => password)).toEqual(['flood', 'neighbour']);
  while (hashing.length > 0) {
    for (const { end } of hashing.splice(0)) end();
    await setImmediate();
  }
  await Promise.all(hashes);
});
