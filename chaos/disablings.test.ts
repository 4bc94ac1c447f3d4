import { expect, test } from 'vitest';
import { createDisablings } from './disablings.ts';

const active = { _id: 'one', active: true };
const disabledAt = (time: number) => ({
  _id: 'one',
  active: false,
  disabledTime: new Date(time),
  disabledReason: 'so',
});
const NEVER = Number.POSITIVE_INFINITY;

test('records each disabling once, with the earliest and latest time of its end', () => {
  const { all, note, enabling } = createDisablings();
  note(active, 1);
  expect(all).toEqual([]);
  note(disabledAt(5), 10);
  note(disabledAt(5), 20);
  const first = { subscriptionId: 'one', at: 5, reason: 'so' };
  expect(all).toEqual([{ ...first, enabledFrom: NEVER, enabledBy: NEVER }]);
  enabling('one', 30);
  enabling('one', 40);
  note(active, 50);
  note(active, 60);
  expect(all).toEqual([{ ...first, enabledFrom: 30, enabledBy: 50 }]);
});

test('ends a disabling when the next one is observed', () => {
  const { all, note, enabling } = createDisablings();
  note(disabledAt(5), 10);
  enabling('one', 20);
  note(disabledAt(30), 40);
  expect(all).toMatchObject([
    { at: 5, enabledFrom: 20, enabledBy: 30 },
    { at: 30, enabledFrom: NEVER, enabledBy: NEVER },
  ]);
});
