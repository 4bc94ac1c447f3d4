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

test('finds nothing in a run in which all promises were kept', () => {
  expect(judge(good)).toEqual([]);
});

const otherEvents = good.events.filter((each) => each !== event);

test.each([
  ['a lost event', { events: otherEvents }, /answered 200 and has no event/],
  ['a lost creation', { events: otherEvents }, /a creation was answered 200 and has no event/],
  ['an event twice', { events: [event, { ...event, _id: 'again' }] }, /a write has 2 events/],
  [
    'a creation twice',
    { events: [event, { ...event, _id: 'again', recordId: 'another' }] },
    /one creation made 2 records/,
  ],
  ['an event that stays in its record', { unpublished: 1 }, /1 records still hold events/],
  [
    'an answer that tells of a fault',
    { refused: [{ request: 'PUT /api/patients/1', status: 500, requestId: 'broken' }] },
    /PUT .* was answered 500: request broken/,
  ],
  ['a lost Delivery', without(sent._id), /event event has 0 Deliveries for healthy/],
  ['two for a pair', deliveriesAnd({ ...skipped, _id: 'more' }), /event event has 2 Deliveries for fails/],
  [
    'a Delivery for another clinic',
    deliveriesAnd({ ...skipped, _id: 'event-other', subscriptionId: 'other' }),
    /a Delivery for nobody: event other/,
  ],
  ['a lost redelivery', { requested: ['redelivery'] }, /what an operator asked for is not there/],
  ['a second POST', { seen: [post, post] }, new RegExp(`saw Delivery ${sent._id} 2 times`)],
  [
    'a second POST of a redelivery',
    { seen: [postAgain, postAgain] },
    new RegExp(`saw Delivery ${again._id} 2 times`),
  ],
  ['a POST that nobody knows of', seenWith({ deliveryId: 'invented' }), /which is not stored/],
  ['a POST to another', seenWith({ receiver: 'fails' }), /fails saw the Delivery of another/],
  [
    'a process that nobody started',
    deliveryWith(sent, { worker: 'nobody' }),
    /is of a process that never was/,
  ],
  [
    'a process that told of what another had',
    { ...deliveryWith(sent, { worker: 'another' }), lives: [{ ...life, reported: [sent._id] }, other] },
    /dispatcher 1 told how Delivery event-healthy of another ended/,
  ],
  [
    'a process that attempted twice what nobody saw',
    { lives: [{ ...life, reported: [again._id, again._id] }, other] },
    /it was told 2 times how Delivery event-bad-bulk ended/,
  ],
  ['a followed redirect', seenWith({ path: '/trap' }), /was asked for \/trap/],
  ['a wrong signature', seenWith({ isVerified: false }), /with a wrong signature/],
])('finds %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
