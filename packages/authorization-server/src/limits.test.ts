import type { OAuthStore } from '@chairside/mongodb/oauth';
import { expect, test } from 'vitest';
import { createAdmission } from './limits.ts';

test('a registration makes room when 5,000 apps that nobody has connected are stored', async () => {
  let stored = 4999;
  const limited: string[] = [];
  const store = {
    limits: { count: async () => undefined },
    clients: { makeRoom: async (most: number) => stored >= most },
  };
  const { register } = createAdmission(store as object as OAuthStore, (name) => void limited.push(name));
  await register('192.0.2.1');
  expect(limited).toEqual([]);
  stored = 5000;
  await register('192.0.2.1');
  expect(limited).toEqual(['unused_clients']);
});
