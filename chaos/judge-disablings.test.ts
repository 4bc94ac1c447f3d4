import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import {
  away,
  deliveriesAnd,
  disabling,
  enabledAt,
  eventOf,
  failure,
  failures,
  good,
  life,
  seenOf,
  without,
} from './good-run.ts';
import { judge } from './judge.ts';

/** The run with one more failure of the bad one, at 60 s. */
const late = failure('late', 60);
const isLate = {
  ...deliveriesAnd(late),
  events: [...good.events, { ...eventOf('late', 'late'), clinicIds: [] }],
  seen: [...good.seen, seenOf('fails', late._id, ['status'])],
};
/** The run with one success of the bad one among his failures. */
const success = { ...failure('good', 12), status: 'succeeded', cause: 'none' };
const hasSucceeded = {
  ...isLate,
  ...deliveriesAnd(success),
  seen: [...good.seen, seenOf('fails', success._id, ['succeeded'])],
};
const notDisabled = { ...isLate, disablings: [] };
const told = (violations: readonly string[]) =>
  violations.filter((line) => /^(fails|healthy) (was|has) /.test(line));

test.each([
  [
    'of a healthy receiver',
    { disablings: [disabling, { ...disabling, subscriptionId: 'healthy' }] },
    /^healthy was disabled, and is healthy/,
  ],
  ['after nineteen failures', without(failures[0]?._id ?? ''), /^fails was disabled after 19 failures/],
  [
    'for failures before it was enabled',
    {
      disablings: [
        { ...disabling, ...enabledAt(25) },
        { ...disabling, at: 30_000 },
      ],
    },
    /^fails was disabled after 0 failures/,
  ],
  [
    'in spite of a success in between',
    hasSucceeded,
    /^fails was disabled though it had succeeded in between/,
  ],
  [
    'by somebody else',
    { disablings: [{ ...disabling, reason: 'Disabled by an operator.' }] },
    /^fails was disabled for another reason: Disabled by an operator/,
  ],
  [
    'with causes that nobody saw',
    { disablings: [{ ...disabling, reason: disabling.reason.replace('status.', 'tls.') }] },
    /^fails was disabled for another reason/,
  ],
  [
    'that did not keep events back',
    { ...isLate, disablings: [{ ...disabling, at: 57_000 }] },
    /^fails was sent 1 events while it was disabled/,
  ],
  ['that is missing', notDisabled, /^fails has failed 20 times in a row and was not disabled/],
])('finds a disabling %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});

test.each([
  ['was sent what was on its way', { ...isLate, disablings: [{ ...disabling, at: 58_000 }] }],
  [
    'was sent what a process had begun that stood still',
    { ...isLate, downs: [away('dispatcher 1', 'paused', 22, 59)] },
  ],
  [
    'was disabled by who began to count before another had stored the last failure',
    { disablings: [{ ...disabling, at: 20_500 }] },
  ],
  ['succeeded, which a death kept from counting', { ...hasSucceeded, lives: [{ ...life, diedAt: 12_500 }] }],
  [
    'was not disabled, as deaths kept failures from counting',
    { ...notDisabled, lives: [{ ...life, diedAt: 12_500 }] },
  ],
  [
    'was not disabled, as the database was away',
    { ...notDisabled, downs: [away('mongodb', 'killed', 12, 13)] },
  ],
])('finds nothing wrong when a bad receiver %s', (_name, changes) => {
  expect(told(judge({ ...good, ...changes } as Evidence))).toEqual([]);
});
