import { expect, test } from 'vitest';
import { type Evidence, judge } from './judge.ts';

const DELIVERY = 'event-healthy';
const attemptTime = new Date(0);

/** A run in which one write went to two receivers, as it should. */
const good: Evidence = {
  answered: [{ event: 'patient.created', recordId: 'record', lastEditTime: 'now' }],
  creations: [
    { mark: 'answered', isAnswered: true },
    { mark: 'lost before it was written', isAnswered: false },
  ],
  requested: ['event-bad'],
  unpublished: 0,
  events: [
    {
      _id: 'event',
      event: 'patient.created',
      recordId: 'record',
      clinicIds: ['clinic'],
      body: JSON.stringify({ data: { name: 'answered', lastEditTime: 'now' } }),
    },
  ],
  deliveries: [
    {
      _id: DELIVERY,
      eventId: 'event',
      subscriptionId: 'healthy',
      kind: 'event',
      status: 'succeeded',
      attemptTime,
    },
    {
      _id: 'event-bad',
      eventId: 'event',
      subscriptionId: 'bad',
      kind: 'event',
      status: 'skipped',
      cause: 'subscription_disabled',
    },
  ],
  subscriptions: [
    { _id: 'healthy', clinicId: 'clinic', receiver: 'healthy', active: true },
    { _id: 'bad', clinicId: 'clinic', receiver: 'bad', active: false },
    { _id: 'other', clinicId: 'other clinic', receiver: 'healthy', active: true },
  ],
  seen: [
    {
      receiver: 'healthy',
      path: '/hook',
      deliveryId: DELIVERY,
      ends: ['succeeded'],
      isWhole: true,
      isVerified: true,
    },
  ],
};

const [event] = good.events;
const [sent, skipped] = good.deliveries;
const [post] = good.seen;
const deliveriesWith = (changes: object) => ({ deliveries: [{ ...sent, ...changes }, skipped] });
const seenWith = (changes: object) => ({ seen: [{ ...post, ...changes }] });

test('finds nothing in a run in which all promises were kept', () => {
  expect(judge(good)).toEqual([]);
  const interrupted = { status: 'interrupted', reason: 'the process died', attemptTime: undefined };
  expect(judge({ ...good, ...deliveriesWith(interrupted) } as Evidence)).toEqual([]);
  expect(judge({ ...good, ...deliveriesWith(interrupted), seen: [] } as Evidence)).toEqual([]);
});

test.each([
  ['a lost event', { events: [], deliveries: [], seen: [] }, /answered 200 and has no event/],
  ['an event twice', { events: [event, { ...event, _id: 'again' }] }, /a write has 2 events/],
  [
    'a creation twice',
    { events: [event, { ...event, _id: 'again', recordId: 'another' }] },
    /one creation made 2 records/,
  ],
  ['an event that stays in its record', { unpublished: 1 }, /1 records still hold events/],
  ['a lost Delivery', { deliveries: [sent] }, /event event has 0 Deliveries for bad/],
  [
    'two Deliveries for a pair',
    { deliveries: [sent, skipped, { ...skipped, _id: 'again' }] },
    /event event has 2 Deliveries for bad/,
  ],
  [
    'a Delivery for another clinic',
    { deliveries: [sent, skipped, { ...skipped, _id: 'event-other', subscriptionId: 'other' }] },
    /a Delivery for nobody: event other/,
  ],
  ['a lost redelivery', { requested: ['redelivery'] }, /what an operator asked for is not there/],
  [
    'a redelivery that is not sent',
    { deliveries: [sent, skipped, { ...skipped, _id: 'redelivery', kind: 'redelivery' }] },
    /but an operator asked for it/,
  ],
  ['a second POST', { seen: [post, post] }, /saw Delivery event-healthy 2 times/],
  ['a POST that nobody knows of', seenWith({ deliveryId: 'invented' }), /which is not stored/],
  ['a POST to another', seenWith({ receiver: 'bad' }), /bad saw the Delivery of another/],
  ['a followed redirect', seenWith({ path: '/trap' }), /was asked for \/trap/],
  ['a wrong signature', seenWith({ isVerified: false }), /with a wrong signature/],
  ['a Delivery that stays queued', deliveriesWith({ status: 'queued', attemptTime: undefined }), /not final/],
  ['no reason', deliveriesWith({ status: 'skipped', attemptTime: undefined }), /does not say why/],
  [
    'a skipped one that was sent',
    deliveriesWith({ status: 'skipped', cause: 'event_gone', attemptTime: undefined }),
    /but it was sent/,
  ],
  ['a success that arrived nowhere', { seen: [] }, /succeeded .*saw nothing/],
  ['another cause than the true one', deliveriesWith({ status: 'failed', cause: 'reset' }), /knows better/],
  ['a failure of a healthy receiver', deliveriesWith({ status: 'failed', cause: 'reset' }), /is healthy/],
  [
    'a healthy receiver that was disabled',
    { subscriptions: good.subscriptions.map((each) => ({ ...each, active: false })) },
    /healthy was disabled/,
  ],
] as const)('finds %s', (_name, changes, violation) => {
  expect(judge({ ...good, ...changes } as Evidence)).toContainEqual(expect.stringMatching(violation));
});
