import { expect, test } from 'vitest';
import { problemOf } from './waiting.ts';

const refused = 'The receiver did not accept it.';
const of = (outcome: 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped' | 'interrupted') =>
  problemOf({ _id: 'del_1', outcome, ...(outcome === 'failed' && { reason: 'Status 500.' }) }, refused);

test('only a receiver that has responded, or could not be reached, has not accepted a delivery', () => {
  expect(of('succeeded')).toBeUndefined();
  expect(of('failed')).toBe(`${refused} Status 500.`);
  for (const outcome of ['queued', 'sending', 'skipped', 'interrupted'] as const)
    expect(of(outcome)).not.toContain(refused);
  expect(of('queued')).toBe(
    'The delivery has not ended after 30 s. It is sent later. See: chairside deliveries get del_1',
  );
});
