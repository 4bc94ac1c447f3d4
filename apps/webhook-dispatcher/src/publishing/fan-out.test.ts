import type { StoredEvent } from '@chairside/mongodb/dispatch';
import { expect, test } from 'vitest';
import { type FanOutStage, fanOut } from './fan-out.ts';

type Candidate = Awaited<ReturnType<FanOutStage['receivers']['inClinics']>>[number];

const ORGANIZATION = 'o';
const eventOf = (_id: string, clinicId = 'north'): StoredEvent =>
  ({
    _id,
    organizationId: ORGANIZATION,
    kind: 'patient',
    recordId: `record of ${_id}`,
    event: 'patient.created',
    clinicIds: [clinicId],
    time: new Date(),
    body: '{}',
  }) as unknown as StoredEvent;
const announcedAs = ({ _id: eventId, organizationId, clinicIds }: StoredEvent) => ({
  organizationId,
  eventId,
  clinicIds,
});
const candidateOf = (_id: string, clinicId = 'north'): Candidate =>
  ({
    events: [],
    chainId: _id,
    chainCreatedTime: new Date(0),
    receiver: { _id, organizationId: ORGANIZATION, clinicId, active: true },
  }) as unknown as Candidate;

/** A stage over `subscriptions`, to which a test may add. It records the order of the reads. */
const openStage = (subscriptions: Candidate[]) => {
  const reads: string[] = [];
  const deliveries: string[] = [];
  const stage: FanOutStage = {
    receivers: {
      async inClinics(clinics) {
        reads.push('subscriptions');
        return subscriptions.filter(({ receiver }) =>
          clinics.some(({ clinicId }) => clinicId === receiver.clinicId),
        );
      },
    },
    bodies: { keep() {} },
    receiverCache: { keep() {} },
    scheduler: { accept: async (all) => void deliveries.push(...all.map(({ _id }) => _id)) },
    filing: { file: async () => {}, has: () => false },
    costs: { learn() {} },
  };
  const reading =
    (events: StoredEvent[], meanwhile = () => {}) =>
    async () => {
      reads.push('events');
      meanwhile();
      return events;
    };
  return { stage, reading, reads, deliveries };
};

test('the subscriptions of announced events are read with the events, once', async () => {
  const { stage, reading, reads, deliveries } = openStage([candidateOf('s')]);
  const events = [eventOf('1'), eventOf('2')];
  expect(await fanOut(reading(events), stage, events.map(announcedAs))).toBe(2);
  expect(reads).toEqual(['subscriptions', 'events']);
  expect(deliveries).toEqual(['1-s', '2-s']);
});

test('an event that was not announced reaches a subscription that was created before it, during the reads', async () => {
  const subscriptions = [candidateOf('old')];
  const { stage, reading, reads, deliveries } = openStage(subscriptions);
  const announced = eventOf('1');
  const read = reading([announced, eventOf('2')], () => subscriptions.push(candidateOf('new')));
  await fanOut(read, stage, [announcedAs(announced)]);
  expect(reads).toEqual(['subscriptions', 'events', 'subscriptions']);
  expect(deliveries).toContain('2-new');
});

test('an event of another clinic than announced reaches the subscriptions of its own clinic', async () => {
  const { stage, reading, deliveries } = openStage([candidateOf('n'), candidateOf('s', 'south')]);
  await fanOut(reading([eventOf('1', 'south')]), stage, [announcedAs(eventOf('1'))]);
  expect(deliveries).toEqual(['1-s']);
});

test('without an announcement, the subscriptions are read after the events', async () => {
  const { stage, reading, reads, deliveries } = openStage([candidateOf('s')]);
  await fanOut(reading([eventOf('1')]), stage);
  expect(reads).toEqual(['events', 'subscriptions']);
  expect(deliveries).toEqual(['1-s']);
});

test('a failed read of subscriptions fails the fan-out only if an event needs it', async () => {
  const { stage, reading, deliveries } = openStage([]);
  stage.receivers.inClinics = async () => {
    throw new Error('unreachable');
  };
  const announced = [announcedAs(eventOf('1'))];
  expect(await fanOut(reading([]), stage, announced)).toBe(0);
  await expect(fanOut(reading([eventOf('1')]), stage, announced)).rejects.toThrow('unreachable');
  expect(deliveries).toEqual([]);
});
