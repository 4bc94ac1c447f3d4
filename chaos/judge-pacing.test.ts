import { expect, test } from 'vitest';
import type { Evidence, StoredDelivery } from './evidence.ts';
import {
  at,
  deliveriesAnd,
  deliveryWith,
  failure,
  failures,
  good,
  life,
  outage,
  seenOf,
  skipped,
} from './good-run.ts';
import { judgePacing } from './judge-pacing.ts';

/** Attempts of the failing receiver that all begin at this time, and last two seconds. */
const burst = (count: number, seconds: number, changes: Partial<StoredDelivery> = {}): StoredDelivery[] =>
  Array.from({ length: count }, (_, index) => ({
    ...failure(`burst ${index}`, seconds),
    duration: 2000,
    finalTime: at(seconds + 2),
    ...changes,
  }));
const only = (...deliveries: StoredDelivery[]) => ({ deliveries, disablings: [] });
/** The failure after the tenth one, moved to just after it. */
const hasty = deliveryWith(failures[10] as StoredDelivery, { attemptTime: at(11.1), finalTime: at(11.1) });
const tested: StoredDelivery = {
  ...failure('test', 11),
  attemptTime: at(11.05),
  finalTime: at(11.06),
  kind: 'test',
  status: 'succeeded',
};

/** A delivery after the tenth failure whose process died before it stored the outcome. */
const interrupted: StoredDelivery = {
  ...skipped,
  _id: 'lost-bad',
  status: 'interrupted',
  worker: 'dead',
  claimedAt: at(11.05),
  finalTime: at(41),
};
const dead = { ...life, worker: 'dead', diedAt: at(11.07).getTime() };
const hastyAfter = (ends: readonly string[]) => ({
  deliveries: [...(hasty.deliveries ?? []), interrupted],
  lives: [...good.lives, dead],
  seen: [...good.seen, seenOf('fails', interrupted._id, ends, 11.06)],
});

// A dispatcher that has just started may make one attempt more.
test.each<[string, object, RegExp]>([
  ['more than twelve attempts in flight', only(...burst(14, 50)), /^fails had 14 attempts in flight after 0/],
  [
    'too many attempts in flight after failures',
    only(...burst(4, 40), ...burst(10, 50).map((each) => ({ ...each, _id: `late ${each._id}` }))),
    /^fails had 10 attempts in flight after 4 failures/,
  ],
  ['an attempt without a pause', hasty, /^fails was slowed down and got an attempt 90 ms after a failure/],
  [
    'two attempts at once',
    deliveryWith(failures[10] as StoredDelivery, { attemptTime: at(11), finalTime: at(11.1) }),
    /^fails was slowed down and got an attempt -10 ms after a failure/,
  ],
  [
    'an attempt without a pause after an interrupted delivery that the receiver refused',
    hastyAfter(['status']),
    /^fails was slowed down/,
  ],
  [
    'an attempt without a pause after a test that failed',
    { deliveries: [...(hasty.deliveries ?? []), { ...tested, status: 'failed' }] },
    /^fails was slowed down/,
  ],
])('finds %s', (_name, changes, violation) => {
  expect([...judgePacing({ ...good, ...changes } as Evidence)]).toContainEqual(
    expect.stringMatching(violation),
  );
});

test.each<[string, object]>([
  ['nothing special', {}],
  [
    'short attempts one after the other within a millisecond',
    only(...burst(30, 50).map((each) => ({ ...each, duration: 0.9 }))),
  ],
  ['as many attempts as a dispatcher that has just started makes possible', only(...burst(13, 50))],
  [
    'attempts that overlap with a pause of a dispatcher',
    {
      ...only(...burst(30, 50)),
      downs: [outage('dispatcher 1', 'paused', 51, 53)],
    },
  ],
  ['an attempt right after a test that succeeded', { deliveries: [...(hasty.deliveries ?? []), tested] }],
  ['an attempt right after an interrupted delivery that the receiver accepted', hastyAfter(['succeeded'])],
  [
    'an attempt right after a failure that a crash kept from counting',
    {
      ...hasty,
      lives: good.lives.map((life) => ({ ...life, diedAt: 11_500 })),
    },
  ],
  [
    'attempts in a row before the fifth failure',
    deliveryWith(failures[3] as StoredDelivery, { attemptTime: at(4), finalTime: at(4) }),
  ],
  [
    'attempts in a row after a success',
    deliveriesAnd(
      { ...failure('good', 30), status: 'succeeded' },
      ...['a', 'b', 'c', 'd'].map((name) => failure(name, 31)),
    ),
  ],
])('finds no violation in a run with %s', (_name, changes) => {
  expect([...judgePacing({ ...good, ...changes } as Evidence)]).toEqual([]);
});
