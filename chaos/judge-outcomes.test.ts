import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import {
  again,
  at,
  away,
  deliveryWith,
  disabling,
  enabledAt,
  good,
  life,
  other,
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
  downs: [away(target, 'paused', from, until)],
});
const databaseAway = { downs: [away('mongodb', 'stopped', 101, 110)] };
const gaveUp = { ...interrupted, ...databaseAway, ...hasErred };

test.each([
  ['a process was killed in mid-POST', { ...interrupted, ...died(101) }],
  ['a process was killed before its POST', { ...interrupted, ...died(101), ...unseen(sent._id) }],
  ['a process stood still and was killed', { ...interrupted, ...died(141), ...paused(100.2, 140) }],
  ['a process was killed when the database was just back', { ...interrupted, ...died(112), ...databaseAway }],
  ['a claim was stored after it was given up', { ...gaveUp, ...unseen(sent._id) }],
  ['a process stood still until the time was over', { ...timeout, ...paused(101, 108) }],
  ['the receivers did not get to run', { ...timeout, downs: [away('receivers', 'starved', 101, 108)] }],
  ['a subscription was enabled right before', { disablings: [{ ...disabling, ...enabledAt(98) }] }],
])('finds nothing in a run in which %s', (_name, changes) => {
  expect(judge({ ...good, ...changes } as Evidence)).toEqual([]);
});

test.each([
  ['that stays queued', deliveryWith(sent, { ...unsent, status: 'queued' }), /not final/],
  ['without a reason', deliveryWith(sent, { ...unsent, status: 'skipped' }), /does not say why/],
  ['that was attempted at no time', deliveryWith(sent, unsent), /attempted or not\?/],
  [
    'that was skipped and sent',
    { seen: [...good.seen, seenOf('fails', skipped._id, ['status'])] },
    /but it was sent/,
  ],
  ['that was skipped for nothing', deliveryWith(skipped, { cause: 'event_gone' }), /which nobody has caused/],
  ['that was skipped for an active one', { disablings: [] }, /skipped .*its subscription was active/],
  [
    'that was skipped long after it was enabled',
    { disablings: [{ ...disabling, ...enabledAt(97) }] },
    /its subscription was active/,
  ],
  [
    'that was skipped and an operator asked for',
    {
      ...deliveryWith(again, { ...unsent, status: 'skipped', cause: 'subscription_disabled' }),
      ...unseen(again._id),
    },
    /but an operator asked for it/,
  ],
  ['that succeeded and arrived nowhere', unseen(sent._id), /succeeded .*saw nothing/],
  ['that succeeded and arrived in part', seenWith({ isWhole: false }), /not all of it came/],
  [
    'with another cause than the true one',
    deliveryWith(sent, { status: 'failed', cause: 'reset' }),
    /reset: the receiver knows better/,
  ],
  [
    'with a cause that this receiver cannot have',
    { ...deliveryWith(again, { cause: 'connect' }), ...unseen(again._id) },
    /fails: failed connect: the receiver knows better/,
  ],
  ['with a timeout that nobody has caused', timeout, /timeout: the receiver knows better/],
  [
    'with a timeout while another stood still',
    { ...timeout, ...paused(101, 108, 'dispatcher 2') },
    /timeout: the receiver knows better/,
  ],
  ['with a timeout before anybody stood still', { ...timeout, ...paused(120, 130) }, /timeout: the receiver/],
  ['that is interrupted and nobody was killed', interrupted, /its process lived and could tell/],
  [
    'that is interrupted and another was killed',
    { ...interrupted, lives: [life, otherDied] },
    /its process lived and could tell/,
  ],
  [
    'that is interrupted by a death two seconds before it',
    { ...interrupted, ...died(98) },
    /its process lived/,
  ],
  [
    'that is interrupted by a death two seconds after it',
    { ...interrupted, ...died(102) },
    /its process lived/,
  ],
  [
    'that is interrupted by a pause, after which it could be told',
    { ...interrupted, ...paused(101, 140) },
    /its process lived and could tell/,
  ],
  [
    'that is interrupted though its process could store how it ended when the database was back',
    gaveUp,
    /its process lived and could tell/,
  ],
  [
    'that is interrupted while the database was away, of which its process says nothing',
    { ...interrupted, ...databaseAway, ...unseen(sent._id) },
    /its process lived and could tell/,
  ],
  [
    'that is interrupted by an error while the database was there',
    { ...interrupted, ...hasErred, ...unseen(sent._id) },
    /its process lived and could tell/,
  ],
  [
    'that is interrupted though its claim was young',
    {
      ...deliveryWith(sent, { ...unsent, status: 'interrupted', reason: '', finalTime: at(129.9) }),
      ...died(101),
    },
    /too early to know/,
  ],
  [
    'that is interrupted and was never claimed',
    {
      ...deliveryWith(sent, { ...unsent, status: 'interrupted', reason: '', claimedAt: undefined }),
      ...died(101),
    },
    /nobody had claimed it/,
  ],
])('finds a Delivery %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
