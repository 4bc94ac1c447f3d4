import { expect, test } from 'vitest';
import { createUsageCount } from './usage.ts';

test('adds up what each user has used since the last call', () => {
  const usage = createUsageCount();
  usage.add('o1', 'apiKey k1', { requests: 1, writes: 1, computedMs: 2 });
  usage.add('o1', 'apiKey k1', { requests: 1, computedMs: 3 });
  usage.add('o2', 'subscription s1', { attempts: 4 });
  const first = usage.take();
  expect(first.rows).toEqual([
    { organizationId: 'o1', user: 'apiKey k1', requests: 2, writes: 1, computedMs: 5, attempts: 0 },
    { organizationId: 'o2', user: 'subscription s1', requests: 0, writes: 0, computedMs: 0, attempts: 4 },
  ]);
  const second = usage.take();
  expect(second).toMatchObject({ since: first.until, rows: [] });
});

test('tells of the fifty who have used most, and keeps no more than five thousand', () => {
  const usage = createUsageCount();
  for (let user = 0; user < 6000; user++) usage.add('o', `apiKey ${user}`, { requests: user });
  const { rows } = usage.take();
  expect(rows).toHaveLength(50);
  // All that came later is one row.
  expect(rows[0]).toMatchObject({ organizationId: '', user: 'others' });
  expect(rows[1]).toMatchObject({ user: 'apiKey 4999' });
});
