import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rememberedRefusal, rememberRefusal } from './refusal.ts';

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'refusal-'));
});
afterEach(() => rm(cache, { recursive: true }));

it('remembers a failed download for a day, and only under the name of this download', async () => {
  const noon = new Date('2026-01-01T12:00:00Z');
  await rememberRefusal(cache, 'mongod', 'no way', noon);
  expect(await rememberedRefusal(cache, 'mongod', new Date('2026-01-02T11:59:00Z'))).toMatchObject({
    reason: 'no way',
    at: noon,
  });
  expect(await rememberedRefusal(cache, 'redis', noon)).toBeUndefined();
  expect(await rememberedRefusal(cache, 'mongod', new Date('2026-01-02T12:00:00Z'))).toBeUndefined();
});
