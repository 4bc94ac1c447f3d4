import type { Principal } from '@chairside/domain';
import { expect, test } from 'vitest';
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
