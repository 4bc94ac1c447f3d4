import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import {
  again,
  at,
  deliveryWith,
  disabling,
  enabledAt,
  good,
  life,
  other,
  outage,
  seenOf,
  seenWith,
  sent,
  skipped,
  unseen,
} from './good-run.ts';
import { judge } from './judge.ts';

const unsent = { attemptTime: undefined, duration: undefined };
const interrupted = deliveryWith(sent, {
  ...unsent,
  status: 'interrupted',
  reason: 'The process died.',
  finalTime: at(131),
});
const died = (seconds: number) => ({ lives: [{ ...life, diedAt: seconds * 1000 }] });
const hasErred = { lives: [{ ...life, errors: [105_000] }] };
const timeout = deliveryWith(sent, { status: 'failed', cause: 'timeout', duration: 9000 });
const otherDied = { ...other, diedAt: 101_000 };
const paused = (from: number, until: number, target = 'dispatcher 1') => ({
  downs: [outage(target, 'paused', from, until)],
});
const databaseUnavailable = { downs: [outage('mongodb', 'stopped', 101, 110)] };
const gaveUp = { ...interrupted, ...databaseUnavailable, ...hasErred };

test.each([
  ['a process was killed during its POST', { ...interrupted, ...died(101) }],
  ['a process was killed before its POST', { ...interrupted, ...died(101), ...unseen(sent._id) }],
  [
    'a process was killed during its POST, whose claim has a time after that',
    {
      ...deliveryWith(sent, {
        ...unsent,
        status: 'interrupted',
        reason: '',
        claimedAt: at(104),
        finalTime: at(135),
      }),
      ...died(101),
    },
  ],
  ['a process was paused and killed', { ...interrupted, ...died(141), ...paused(100.2, 140) }],
  [
    'a process was killed right after the database was up again',
    { ...interrupted, ...died(112), ...databaseUnavailable },
  ],
  ['a claim was stored after it was given up', { ...gaveUp, ...unseen(sent._id) }],
  ['a process was paused until the attempt timed out', { ...timeout, ...paused(101, 108) }],
  ['the receivers got no CPU time', { ...timeout, downs: [outage('receivers', 'starved', 101, 108)] }],
  ['a subscription was enabled right before', { disablings: [{ ...disabling, ...enabledAt(98) }] }],
])('finds no violation in a run in which %s', (_name, changes) => {
  expect(judge({ ...good, ...changes } as Evidence)).toEqual([]);
});

test.each([
  ['that stays queued', deliveryWith(sent, { ...unsent, status: 'queued' }), /not final/],
  ['without a reason', deliveryWith(sent, { ...unsent, status: 'skipped' }), /has no reason/],
  ['that has no attemptTime', deliveryWith(sent, unsent), /contradict each other/],
  [
    'that was skipped and sent',
    { seen: [...good.seen, seenOf('fails', skipped._id, ['status'])] },
    /but it was sent/,
  ],
  [
    'that was skipped without a reason',
    deliveryWith(skipped, { cause: 'event_gone' }),
    /without a reason for it/,
  ],
  [
    'that was skipped for an active subscription',
    { disablings: [] },
    /skipped .*its subscription was active/,
  ],
  [
    'that was skipped long after it was enabled',
    { disablings: [{ ...disabling, ...enabledAt(97) }] },
    /its subscription was active/,
  ],
  [
    'that was skipped although the operator requested it',
    {
      ...deliveryWith(again, { ...unsent, status: 'skipped', cause: 'subscription_disabled' }),
      ...unseen(again._id),
    },
    /but the operator requested it/,
  ],
  ['that succeeded and did not arrive', unseen(sent._id), /succeeded .*saw nothing/],
  ['that succeeded and arrived only in part', seenWith({ isWhole: false }), /the receiver got only a part/],
  [
    'with a wrong cause',
    deliveryWith(sent, { status: 'failed', cause: 'reset' }),
    /reset: the receiver disagrees/,
  ],
  [
    'with a cause that this receiver cannot have',
    { ...deliveryWith(again, { cause: 'connect' }), ...unseen(again._id) },
    /fails: failed connect: the receiver disagrees/,
  ],
  ['with a timeout without a reason', timeout, /timeout: the receiver disagrees/],
  [
    'with a timeout while another process was paused',
    { ...timeout, ...paused(101, 108, 'dispatcher 2') },
    /timeout: the receiver disagrees/,
  ],
  [
    'with a timeout before any process was paused',
    { ...timeout, ...paused(120, 130) },
    /timeout: the receiver/,
  ],
  [
    'that is interrupted although no process was killed',
    interrupted,
    /its process was alive and could store/,
  ],
  [
    'that is interrupted although another process was killed',
    { ...interrupted, lives: [life, otherDied] },
    /its process was alive and could store/,
  ],
  [
    'that is interrupted by a crash two seconds before it',
    { ...interrupted, ...died(98) },
    /its process was alive/,
  ],
  [
    'that is interrupted by a crash two seconds after it',
    { ...interrupted, ...died(102) },
    /its process was alive/,
  ],
  [
    'that is interrupted by a pause, after which its process could store the outcome',
    { ...interrupted, ...paused(101, 140) },
    /its process was alive and could store/,
  ],
  [
    'that is interrupted although its process could store the outcome when the database was up again',
    gaveUp,
    /its process was alive and could store/,
  ],
  [
    'that is interrupted by a database outage of which its process logged nothing',
    { ...interrupted, ...databaseUnavailable, ...unseen(sent._id) },
    /its process was alive and could store/,
  ],
  [
    'that is interrupted by an error while the database was up',
    { ...interrupted, ...hasErred, ...unseen(sent._id) },
    /its process was alive and could store/,
  ],
  [
    'that is interrupted too early',
    {
      ...deliveryWith(sent, { ...unsent, status: 'interrupted', reason: '', finalTime: at(129.9) }),
      ...died(101),
    },
    /too early/,
  ],
  [
    'that is interrupted and was never claimed',
    {
      ...deliveryWith(sent, { ...unsent, status: 'interrupted', reason: '', claimedAt: undefined }),
      ...died(101),
    },
    /no process had claimed it/,
  ],
])('finds a delivery %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
