import { clock, type Principal } from '@chairside/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cachedPrincipals, PRINCIPAL_LIFE_MS } from './principal-cache.ts';

const key = { kind: 'apiKey', id: 'key' } as Principal;

test('makes one query for concurrent and later lookups of one secret', async () => {
  const queried: string[] = [];
  const find = cachedPrincipals(async (secret) => {
    queried.push(secret);
    return key;
  });
  expect(await Promise.all([find('one'), find('one'), find('other')])).toEqual([key, key, key]);
  expect(await find('one')).toBe(key);
  expect(queried).toEqual(['one', 'other']);
});

test('caches neither an unknown secret nor a failure', async () => {
  const results = [
    Promise.resolve(undefined),
    Promise.reject(new Error('unreachable')),
    Promise.resolve(key),
  ];
  results[1]?.catch(() => {});
  const find = cachedPrincipals(() => results.shift() ?? Promise.reject(new Error('one query too many')));
  expect(await find('secret')).toBeUndefined();
  await expect(find('secret')).rejects.toThrow('unreachable');
  expect(await find('secret')).toBe(key);
  expect(await find('secret')).toBe(key);
});

test('counts the age of a principal from before its query', async () => {
  const responses = [Promise.withResolvers<Principal>(), Promise.withResolvers<Principal>()];
  let queries = 0;
  let now = 1000;
  const find = cachedPrincipals(
    () => responses[queries++]?.promise ?? Promise.reject(new Error('one query too many')),
    () => now,
  );
  const slow = find('secret');
  now += PRINCIPAL_LIFE_MS;
  const concurrent = find('secret');
  expect(queries).toBe(1);
  now += 1;
  const fresh = find('secret');
  expect(queries).toBe(2);
  const changed = { ...key, id: 'changed' } as Principal;
  responses[1]?.resolve(changed);
  responses[0]?.resolve(key);
  expect(await Promise.all([slow, concurrent, fresh])).toEqual([key, key, changed]);
  expect(await find('secret')).toBe(changed);
});

test('keeps the result of the second query if the first query fails later', async () => {
  const responses = [Promise.withResolvers<Principal>(), Promise.withResolvers<Principal>()];
  let queries = 0;
  let now = 1000;
  const find = cachedPrincipals(
    () => responses[queries++]?.promise ?? Promise.reject(new Error('one query too many')),
    () => now,
  );
  const slow = find('secret');
  now += PRINCIPAL_LIFE_MS + 1;
  const fresh = find('secret');
  responses[1]?.resolve(key);
  await fresh;
  responses[0]?.reject(new Error('unreachable'));
  await expect(slow).rejects.toThrow('unreachable');
  expect(await find('secret')).toBe(key);
});

test('uses no key after its end, and looks one that has ended up again', async () => {
  const time = Date.parse('2030-01-01T00:00:00Z');
  const clockNow = vi.spyOn(clock, 'now').mockReturnValue(new Date(time));
  onTestFinished(() => clockNow.mockRestore());
  let queries = 0;
  let now = 1000;
  let left = 100;
  const find = cachedPrincipals(
    async () => {
      queries++;
      return { ...key, endTime: new Date(time + left) } as Principal;
    },
    () => now,
  );
  await find('secret');
  now += 100;
  await find('secret');
  expect(queries).toBe(1);
  now += 1;
  await find('secret');
  expect(queries).toBe(2);
  left = 0;
  now += 101;
  await find('secret');
  await find('secret');
  expect(queries).toBe(4);
});
