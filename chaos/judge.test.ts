import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import {
  again,
  deliveriesAnd,
  deliveryWith,
  event,
  good,
  life,
  other,
  post,
  postAgain,
  seenWith,
  sent,
  skipped,
  without,
} from './good-run.ts';
import { judge } from './judge.ts';

test('finds no violation in a good run', () => {
  expect(judge(good)).toEqual([]);
});

const otherEvents = good.events.filter((each) => each !== event);

test.each([
  ['a lost event', { events: otherEvents }, /a write got 200 and has no event/],
  ['a lost creation', { events: otherEvents }, /a creation got 200 and has no event/],
  ['an event twice', { events: [event, { ...event, _id: 'again' }] }, /a write has 2 events/],
  [
    'a creation twice',
    { events: [event, { ...event, _id: 'again', about: ['another'] }] },
    /one creation created 2 records/,
  ],
  ['an event that stays in its record', { unpublished: 1 }, /1 records have unpublished events/],
  [
    'a response of 500',
    { refused: [{ request: 'PUT /api/patients/1', status: 500, requestId: 'broken' }] },
    /PUT .* got 500: request broken/,
  ],
  [
    'a name in the database',
    { leaks: ['patients, in UTF-8'] },
    /the database or a mail shows what identifies a patient: patients, in UTF-8/,
  ],
  ['a lost delivery', without(sent._id), /event event has 0 deliveries for healthy/],
  [
    'two deliveries for a pair',
    deliveriesAnd({ ...skipped, _id: 'more' }),
    /event event has 2 deliveries for fails/,
  ],
  [
    'a delivery for another clinic',
    deliveriesAnd({ ...skipped, _id: 'event-other', subscriptionId: 'other' }),
    /a delivery without a matching event and subscription: event other/,
  ],
  ['a lost redelivery', { requested: ['redelivery'] }, /a delivery that the operator requested is missing/],
  ['a second POST', { seen: [post, post] }, new RegExp(`saw delivery ${sent._id} 2 times`)],
  [
    'a second POST of a redelivery',
    { seen: [postAgain, postAgain] },
    new RegExp(`saw delivery ${again._id} 2 times`),
  ],
  ['a POST of an unknown delivery', seenWith({ deliveryId: 'invented' }), /which is not stored/],
  ['a POST to another receiver', seenWith({ receiver: 'fails' }), /fails saw a delivery of another receiver/],
  ['an unknown process', deliveryWith(sent, { worker: 'nobody' }), /names an unknown process/],
  [
    'a process that logged an outcome of another',
    { ...deliveryWith(sent, { worker: 'another' }), lives: [{ ...life, reported: [sent._id] }, other] },
    /dispatcher 1 logged the outcome of delivery event-healthy, which another process claimed/,
  ],
  [
    'a process that attempted a delivery twice',
    { lives: [{ ...life, reported: [again._id, again._id] }, other] },
    /the outcome of delivery event-bad-bulk was logged 2 times/,
  ],
  ['a followed redirect', seenWith({ path: '/trap' }), /got a request for \/trap/],
])('finds %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
