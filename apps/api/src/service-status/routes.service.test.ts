import { deliveryId, newEvent, newId } from '@chairside/domain';
import type { Practice } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const statusOf = async ({ administrator }: Practice) =>
  (await api.call('GET', '/api/servicestatus', { as: token(administrator.token) })).json;
const idle = {
  eventsWaiting: 0,
  deliveriesWaiting: 0,
  oldestAge: 0,
  complete: true,
  outage: false,
  outbound: 'send',
};

const writePatient = async ({ store, clinicIds: [clinicId] }: Practice, time = new Date()) => {
  const record = {
    _id: newId(),
    clinicId,
    createdTime: time.toISOString(),
    lastEditTime: time.toISOString(),
  };
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'r' };
  const event = newEvent({ _id: newId(), event: 'patient.created', time, author }, record);
  await store.patients.create(record, event);
};
const subscribe = async ({ store, clinicIds: [clinicId] }: Practice) => {
  const sent = { clinicId, url: 'https://example.com', events: [], active: true };
  return (await store.subscriptions.create(sent, new Date()))?._id ?? '';
};
const deliveryOf = (
  { organizationId, clinicIds: [clinicId] }: Practice,
  subscriptionId: string,
  eventId = newId(),
) => ({
  _id: deliveryId(eventId, newId()),
  organizationId,
  clinicId,
  subscriptionId,
  eventId,
  event: 'patient.created',
  kind: 'event' as const,
});

test('shows what waits in the own organization, and its greatest age', async () => {
  const { practice, stranger } = api;
  expect(await statusOf(practice)).toEqual(idle);
  const { deliveries } = api.store.everyOrganization;
  const own = await subscribe(practice);
  const made = [deliveryOf(practice, own), deliveryOf(practice, own)];
  await deliveries.insert(made, new Date(Date.now() - 120_000));
  await writePatient(practice, new Date(Date.now() - 60_000));
  for (let patients = 0; patients < 3; patients++) await writePatient(stranger, new Date(1));

  const waiting = await statusOf(practice);
  expect(waiting).toMatchObject({
    ...idle,
    eventsWaiting: 1,
    deliveriesWaiting: 2,
    oldestAge: expect.any(Number),
  });
  expect(waiting.oldestAge).toBeGreaterThanOrEqual(119);
  expect(waiting.oldestAge).toBeLessThan(240);
  expect(await statusOf(stranger)).toMatchObject({ eventsWaiting: 3, deliveriesWaiting: 0 });

  // A delivery in flight does not count as waiting.
  await deliveries.claim(made, newId(), 'worker');
  expect(await statusOf(practice)).toMatchObject({ eventsWaiting: 1, deliveriesWaiting: 0 });
});

test('stops counting at 10,000, and says so', async () => {
  const { practice } = api;
  const subscriptionId = await subscribe(practice);
  const queued = Array.from({ length: 10_001 }, () => ({
    ...deliveryOf(practice, subscriptionId),
    status: 'queued',
    createdTime: new Date(),
  }));
  await api.database.collection('deliveries').insertMany(queued);
  expect(await statusOf(practice)).toMatchObject({ deliveriesWaiting: 10_000, complete: false });
  await api.database.collection('deliveries').deleteMany({ subscriptionId });
});

test('shows an outage that a process declares, until the process withdraws it or crashes', async () => {
  const { outages } = api.store.everyOrganization;
  await outages.declare('one');
  await outages.declare('two');
  const { outage, outageTime } = await statusOf(api.stranger);
  expect({ outage, outageTime }).toEqual({ outage: true, outageTime: expect.any(String) });
  // A renewal keeps the time of the declaration.
  await outages.declare('one');
  expect((await statusOf(api.practice)).outageTime).toBe(outageTime);
  await outages.withdraw('one');
  expect(await statusOf(api.practice)).toMatchObject({ outage: true });
  // The process has crashed, and its declaration is no longer renewed.
  await api.database.collection('outages').updateMany({}, { $set: { aliveUntil: new Date(0) } });
  const over = await statusOf(api.practice);
  expect(over.outage).toBe(false);
  expect(over).not.toHaveProperty('outageTime');
});
