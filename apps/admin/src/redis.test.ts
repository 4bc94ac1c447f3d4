import { expect, test } from 'vitest';
import { policyVerdict } from './redis.ts';

test('only noeviction keeps what Redis is given; anything else comes with its cure', () => {
  expect(policyVerdict('maxmemory:0\r\nmaxmemory_policy:noeviction\r\n')).toMatchObject({ ok: true });
  expect(policyVerdict('maxmemory_policy:allkeys-lru\r\n')).toMatchObject({
    ok: false,
    finding: expect.stringContaining('allkeys-lru'),
    cure: expect.stringContaining('noeviction'),
  });
  expect(policyVerdict('')).toMatchObject({ ok: false });
});
