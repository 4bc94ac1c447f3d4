import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import { again, asked, at, bulk, deliveriesAnd, deliveryWith, good, sent, skipped } from './good-run.ts';
import { judge } from './judge.ts';

const forInterrupted = {
  storedBulks: [{ ...bulk, outcomes: ['interrupted'] }],
  bulks: [{ ...asked, outcomes: ['interrupted'] }],
};

const storedLater = deliveryWith(skipped, { finalTime: at(122) });
/** The run without the redelivery, and with its original delivery final at this time. */
const leftOut = (seconds: number) => ({
  deliveries: good.deliveries
    .filter(({ _id }) => _id !== again._id)
    .map((each) => (each === skipped ? { ...each, finalTime: at(seconds) } : each)),
  storedBulks: [{ ...bulk, made: 0 }],
});

test.each([
  ['is missing', { storedBulks: [] }, /bulk redelivery is missing: bulk/],
  ['was started twice', { storedBulks: [bulk, { ...bulk, _id: 'twin' }] }, /was started 2 times/],
  ['was not requested', { bulks: [] }, /bulk redelivery was not requested/],
  [
    'differs from its request',
    { bulks: [{ ...asked, outcomes: ['succeeded'] }] },
    /differs from its request/,
  ],
  ['was refused', { bulks: [{ ...asked, id: undefined, refusal: 'No.' }] }, /was refused: No\./],
  ['never ends', { storedBulks: [{ ...bulk, state: 'running' }] }, /redelivery bulk is running/],
  ['reports deleted events', { storedBulks: [{ ...bulk, gone: 1 }] }, /reports 1 deleted events/],
  ['leaves out a delivery', leftOut(118), /redelivery bulk left out delivery event-bad/],
  [
    'reports too many redeliveries',
    { storedBulks: [{ ...bulk, made: 2 }] },
    /reports 2 redeliveries, but created 1/,
  ],
  [
    'sends a delivery that it does not select',
    forInterrupted,
    /has sent delivery event-bad again, which is skipped/,
  ],
  [
    'sends a delivery from before its window',
    { storedBulks: [{ ...bulk, since: at(110) }] },
    /redelivery was not requested: event-bad-bulk/,
  ],
  ['sends another event', deliveryWith(again, { eventId: 'old 0' }), /does not match its original event-bad/],
])('finds a bulk redelivery that %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});

test.each([
  ['got no response', { bulks: [{ ...asked, id: undefined }] }],
  ['begins just before the delivery that it leaves out ends', leftOut(119)],
  ['sent a delivery whose outcome was stored later', { ...forInterrupted, ...storedLater }],
])('finds no violation in a bulk redelivery that %s', (_name, changes) => {
  const violations = judge({ ...good, ...changes } as Evidence).filter((line) =>
    /^bulk redelivery/.test(line),
  );
  expect(violations).toEqual([]);
});

test('finds a redelivery that was not requested, and accepts a single one that was', () => {
  const { _id: redeliveryOf, subscriptionId } = sent;
  const single = deliveriesAnd({ ...again, _id: 'single', redeliveryOf, subscriptionId });
  const violation = 'redelivery was not requested: single';
  expect(judge({ ...good, ...single })).toContain(violation);
  expect(judge({ ...good, ...single, repeated: [redeliveryOf] })).not.toContain(violation);
});
