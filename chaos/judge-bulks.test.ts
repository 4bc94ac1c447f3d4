import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import { again, asked, at, bulk, deliveriesAnd, deliveryWith, good, sent, skipped } from './good-run.ts';
import { judge } from './judge.ts';

const forInterrupted = {
  storedBulks: [{ ...bulk, outcomes: ['interrupted'] }],
  bulks: [{ ...asked, outcomes: ['interrupted'] }],
};

const toldLater = deliveryWith(skipped, { finalTime: at(122) });
/** The run in which nothing was sent again, and what should have been had ended then. */
const leftOut = (seconds: number) => ({
  deliveries: good.deliveries
    .filter(({ _id }) => _id !== again._id)
    .map((each) => (each === skipped ? { ...each, finalTime: at(seconds) } : each)),
  storedBulks: [{ ...bulk, made: 0 }],
});

test.each([
  ['is not there', { storedBulks: [] }, /redelivery of many is not there: bulk/],
  ['was begun twice', { storedBulks: [bulk, { ...bulk, _id: 'twin' }] }, /was begun 2 times/],
  ['nobody asked for', { bulks: [] }, /many that nobody asked for/],
  ['is another', { bulks: [{ ...asked, outcomes: ['succeeded'] }] }, /is another than was asked for/],
  ['was refused', { bulks: [{ ...asked, id: undefined, refusal: 'No.' }] }, /was refused: No\./],
  ['goes on for ever', { storedBulks: [{ ...bulk, state: 'running' }] }, /bulk of many is running/],
  ['says that events are gone', { storedBulks: [{ ...bulk, gone: 1 }] }, /says that 1 events are gone/],
  ['leaves one out', leftOut(118), /bulk of many left out Delivery event-bad/],
  ['says that it made more', { storedBulks: [{ ...bulk, made: 2 }] }, /made 2, and made 1/],
  ['sends what it does not mean', forInterrupted, /has sent again Delivery event-bad, which is skipped/],
  [
    'sends what was before it',
    { storedBulks: [{ ...bulk, since: at(110) }] },
    /nobody asked for redelivery event-bad-bulk/,
  ],
  ['sends another event', deliveryWith(again, { eventId: 'old 0' }), /is of another Delivery than event-bad/],
])('finds a redelivery of many that %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});

test.each([
  ['got no answer', { bulks: [{ ...asked, id: undefined }] }],
  ['begins just before what it leaves out has ended', leftOut(119)],
  ['sent again what was told of later', { ...forInterrupted, ...toldLater }],
])('finds nothing wrong with a redelivery of many that %s', (_name, changes) => {
  const told = judge({ ...good, ...changes } as Evidence).filter((line) =>
    /^(a |nobody )?redelivery/.test(line),
  );
  expect(told).toEqual([]);
});

test('finds a redelivery that nobody asked for, and takes one that was asked for by itself', () => {
  const { _id: redeliveryOf, subscriptionId } = sent;
  const single = deliveriesAnd({ ...again, _id: 'single', redeliveryOf, subscriptionId });
  const told = 'nobody asked for redelivery single';
  expect(judge({ ...good, ...single })).toContain(told);
  expect(judge({ ...good, ...single, repeated: [redeliveryOf] })).not.toContain(told);
});
