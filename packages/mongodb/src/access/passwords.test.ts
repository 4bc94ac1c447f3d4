import { createHook } from 'node:async_hooks';
import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { openPasswords } from './passwords.ts';

const passwords = openPasswords();
const hashPassword = (password: string) => passwords.hash(password, 'caller');
const isPassword = (password: string, stored: string | undefined) =>
  passwords.matches(password, stored, 'caller');

test('hashes with argon2id, 19 MiB, 2 passes, 1 lane and a new salt', async () => {
  const stored = await hashPassword('correct horse battery');
  const [algorithm, salt = '', tag = ''] = stored.split(':');
  expect(algorithm).toBe('argon2id');
  const parameters = { parallelism: 1, memory: 19 * 1024, passes: 2, tagLength: 32 };
  const nonce = Buffer.from(salt, 'base64');
  expect(nonce).toHaveLength(16);
  const expected = argon2Sync('argon2id', { message: 'correct horse battery', nonce, ...parameters });
  expect(tag).toBe(expected.toString('base64'));
  expect(await hashPassword('correct horse battery')).not.toBe(stored);
});

test('accepts the right password in any Unicode composition, and no other', async () => {
  const stored = await hashPassword('sch\u00f6ner Zahn');
  expect(await isPassword('scho\u0308ner Zahn', stored)).toBe(true);
  expect(await isPassword('schoner Zahn', stored)).toBe(false);
  expect(await isPassword('sch\u00f6ner Zahn', undefined)).toBe(false);
});

test('computes at most two hashes at once, and every caller gets a turn', async () => {
  let inFlight = 0;
  let most = 0;
  const ids = new Set<number>();
  const hook = createHook({
    init(id, type) {
      if (type !== 'ARGON2REQUEST') return;
      ids.add(id);
      most = Math.max(most, ++inFlight);
    },
    before(id) {
      if (ids.has(id)) inFlight--;
    },
  }).enable();
  const stored = await hashPassword('one');
  const responses = await Promise.all([
    ...Array.from({ length: 7 }, () => isPassword('one', stored)),
    isPassword('other', stored),
  ]);
  hook.disable();
  expect(responses).toEqual([...Array(7).fill(true), false]);
  expect({ most, computed: ids.size, inFlight }).toEqual({ most: 2, computed: 9, inFlight: 0 });
});
