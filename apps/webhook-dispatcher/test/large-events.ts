import { newEvent, newId } from '@chairside/domain';
import {
  createPractice,
  sealedDocument,
  sealedEvent,
  startProcess,
  startRecordingReceiver,
} from '@chairside/test-support';
import { expect } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

/** The length of the events' bodies, in characters. The largest appointments have about this length. */
const BODY_LENGTH = 171_000;

/** A receiver that records the ids of events, not their bodies. */
const startCountingReceiver = async () => {
  const receiver = await startRecordingReceiver({ keepsBodies: false });
  return { ...receiver, ids: () => receiver.posts.map(({ headers }) => headers['x-service-event-id']) };
};

/** Stores appointments with unpublished events, as writes do while no dispatcher runs. */
const plantLargeEvents = async (
  { store, database, practice }: TestDispatcher,
  records: number,
  eventsOfEach: number,
): Promise<string[]> => {
  const { organizationId, clinicIds } = practice;
  const [clinicId] = clinicIds;
  const cipher = await store.ciphers.of(organizationId);
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
  const ids: string[] = [];
  for (let record = 0; record < records; record++) {
    const time = new Date();
    const _id = newId(time);
    const outbox = Array.from({ length: eventsOfEach }, () => {
      const event = { _id: newId(time), event: 'appointment.updated' as const, time, author };
      const filler = Math.random()
        .toString(36)
        .slice(2)
        .padEnd(10, 'x')
        .repeat(BODY_LENGTH / 10);
      return sealedEvent(newEvent(event, { clinicId, filler } as { clinicId: string }), cipher);
    });
    ids.push(...outbox.map((event) => event._id));
    const appointment = {
      _id,
      organizationId,
      clinicId,
      revision: 1,
      lastEditTime: time,
      outbox,
      outboxAt: time,
    };
    await database.collection('appointments').insertOne(sealedDocument('appointments', appointment, cipher));
  }
  return ids;
};

/**
 * Tests that a dispatcher with little memory publishes and sends large events, and that it sends an event of
 * another organization at the same time.
 */
export const expectLargeEventsToBeSent = async (
  records: number,
  eventsOfEach: number,
  nodeOptions: string,
): Promise<void> => {
  const dispatcher = await openTestDispatcher();
  const [large, other] = [await startCountingReceiver(), await startCountingReceiver()];
  await dispatcher.subscribe(large.url);
  const ids = await plantLargeEvents(dispatcher, records, eventsOfEach);
  const neighbour = await createPractice(dispatcher.store);
  const [clinicId] = neighbour.clinicIds;
  await neighbour.store.subscriptions.create(
    { clinicId, url: other.url, events: [], active: true },
    new Date(),
  );

  const service = startProcess('webhook-dispatcher', {
    ...dispatcher.environment,
    HEALTH_PORT: '0',
    NODE_OPTIONS: nodeOptions,
  });
  const died = service.exited.then((code) => {
    throw new Error(`the dispatcher ended with ${code}: ${service.lines.at(-1)?.msg}`);
  });
  died.catch(() => {});
  // Fail at once instead of waiting for events that will not arrive.
  const failed = service
    .logged(({ outcome }) => outcome === 'failed')
    .then((line) => Promise.reject(new Error(`an attempt failed: ${JSON.stringify(line)}`)));
  failed.catch(() => {});
  await service.logged(({ msg }) => msg === 'dispatching');
  await Promise.race([died, failed, large.until((posts) => posts.length > 0)]);
  // The sweep is publishing the large events now.
  const [eventId] = await dispatcher.createPatientsOf(neighbour, 1);
  await Promise.race([died, failed, other.until((posts) => posts.length > 0)]);
  expect(other.ids()).toEqual([eventId]);
  expect(large.posts.length).toBeLessThan(ids.length);
  await Promise.race([died, failed, large.until((posts) => posts.length >= ids.length)]);
  expect(large.ids().toSorted()).toEqual(ids.toSorted());

  expect(await service.end('SIGTERM')).toBe(0);
  await Promise.all([large.close(), other.close()]);
  await dispatcher.close();
};
