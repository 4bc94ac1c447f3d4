import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import { deliveryWith, good, outage, seenWith, sent } from './good-run.ts';
import { judge } from './judge.ts';

/** A change of the subscription of the healthy receiver. Its delivery is sent at 100 s. */
const change = (payload: 'full' | 'ids', from: number, by: number) => ({
  subscriptionId: 'healthy',
  payload,
  from: from * 1000,
  by: by * 1000,
});
const changed: Evidence = {
  ...good,
  payloadChanges: [change('ids', 50, 51), change('full', 70, 71), change('ids', 90, 91)],
  ...(deliveryWith(sent, { payload: 'ids' }) as Pick<Evidence, 'deliveries'>),
  ...(seenWith({ payload: 'ids' }) as Pick<Evidence, 'seen'>),
};
const former = deliveryWith(sent, { payload: 'full' });

test('finds no violation if the last payload was sent', () => {
  expect(judge(changed)).toEqual([]);
});

test.each<[string, object]>([
  ['just before', { payloadChanges: [change('full', 70, 71), change('ids', 99, 99.5)] }],
  ['without a response', { payloadChanges: [change('full', 70, 71), change('ids', 90, Number.NaN)] }],
  ['while the dispatchers stood still', { downs: [outage('dispatcher 1', 'paused', 90, 99)] }],
])('excuses the former payload of a change %s', (_name, changes) => {
  const evidence = { ...changed, ...former, ...seenWith({ payload: 'full' }), ...changes };
  expect(judge(evidence as Evidence)).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ['the former payload', { ...former, ...seenWith({ payload: 'full' }) }, /with the former payload full/],
  ['another payload than is stored', seenWith({ payload: 'full' }), /full, which is stored as ids/],
  ['neither payload', seenWith({ payload: 'neither' }), /neither, which is stored as ids/],
])('finds %s', (_name, changes, violation) => {
  expect(judge({ ...changed, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
