import { causesInWords } from '@chairside/domain';
import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import {
  deliveriesAnd,
  disabling,
  enabledAt,
  eventOf,
  failure,
  failures,
  good,
  life,
  outage,
  seenOf,
  without,
} from './good-run.ts';
import { judge } from './judge.ts';

/** One more failure of the failing receiver, at 60 s, and the run with this failure. */
const late = failure('late', 60);
const isLate = {
  ...deliveriesAnd(late),
  events: [...good.events, { ...eventOf('late', 'late'), clinicIds: [] }],
  seen: [...good.seen, seenOf('fails', late._id, ['status'])],
};
/** One success among the failures of the failing receiver, and the run with this success. */
const success = { ...failure('good', 12), status: 'succeeded', cause: 'none' };
const hasSucceeded = {
  ...isLate,
  ...deliveriesAnd(success),
  seen: [...good.seen, seenOf('fails', success._id, ['succeeded'])],
};
const notDisabled = { ...isLate, disablings: [] };
const ofDisablings = (violations: readonly string[]) =>
  violations.filter((line) => /^(fails|healthy) (was|has) /.test(line));

test.each([
  [
    'of a healthy receiver',
    { disablings: [disabling, { ...disabling, subscriptionId: 'healthy' }] },
    /^healthy was disabled, but is healthy/,
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
  ['despite a success in between', hasSucceeded, /^fails was disabled despite a success in between/],
  [
    'by an operator',
    { disablings: [{ ...disabling, reason: 'Disabled by an operator.' }] },
    /^fails was disabled for another reason: Disabled by an operator/,
  ],
  [
    'with causes that did not occur',
    {
      disablings: [
        { ...disabling, reason: disabling.reason.replace(causesInWords.status, causesInWords.tls) },
      ],
    },
    /^fails was disabled for another reason/,
  ],
  [
    'that did not stop deliveries',
    { ...isLate, disablings: [{ ...disabling, at: 57_000 }] },
    /^fails was sent 1 events while it was disabled/,
  ],
  ['that is missing', notDisabled, /^fails has failed 20 times in a row and was not disabled/],
])('finds a disabling %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});

test.each([
  ['got a request that was in flight', { ...isLate, disablings: [{ ...disabling, at: 58_000 }] }],
  [
    'got a request of a process that was paused',
    { ...isLate, downs: [outage('dispatcher 1', 'paused', 22, 59)] },
  ],
  [
    'was disabled by a process that began to count before another had stored the last failure',
    { disablings: [{ ...disabling, at: 20_500 }] },
  ],
  [
    'succeeded, but a crash kept the success from counting',
    { ...hasSucceeded, lives: [{ ...life, diedAt: 12_500 }] },
  ],
  [
    'was not disabled, because crashes kept failures from counting',
    { ...notDisabled, lives: [{ ...life, diedAt: 12_500 }] },
  ],
  [
    'was not disabled, because the database was down',
    { ...notDisabled, downs: [outage('mongodb', 'killed', 12, 13)] },
  ],
])('finds no violation when a failing receiver %s', (_name, changes) => {
  expect(ofDisablings(judge({ ...good, ...changes } as Evidence))).toEqual([]);
});
