import { newId } from '@chairside/domain';
import {
  apiAddress,
  basic,
  type ServiceProcess,
  startApi,
  startDatabaseProxy,
  startDispatcher,
  untilDispatching,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';

/** The statements: the draft, the holds, which of them are live, the appointments, the decision, the write. */
const STATEMENTS = [1, 2, 3, 4, 5, 6] as const;
const time = { startTime: '2030-12-02T08:00:00.000Z', endTime: '2030-12-02T09:00:00.000Z' };

let api: TestApi;
let dispatcher: ServiceProcess | undefined;
beforeAll(async () => {
  api = await openTestApi();
  dispatcher = startDispatcher(api.environment);
  await untilDispatching(dispatcher);
  // From now on there are holds, so every booking has the same statements.
  expect(await book(await addClinic())).toBe(200);
});
afterAll(async () => {
  await dispatcher?.end('SIGKILL');
  await api.close();
});

/** A clinic with one chair. */
const addClinic = async (): Promise<string> => {
  const _id = newId();
  const { clinics, openingHours } = api.practice.store;
  const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
  await clinics.create({ _id, ...named });
  const none = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
  await openingHours.set(_id, {
    weekdays: { monday: [{ opens: '08:00', closes: '12:00' }], ...none },
    ...{ exceptions: [], chairs: 1, slotMinutes: 60 },
  });
  return _id;
};

/**
 * Starts an api of its own, and sends a booking that stands still before one of its statements.
 *
 * @returns `go` lets the database execute the statement; `response` is undefined if the process was killed
 */
const bookAndStop = async (clinicId: string, statement: number) => {
  const proxy = await startDatabaseProxy(api.environment.MONGODB_URL ?? '');
  const process = startApi({ ...api.environment, MONGODB_URL: proxy.url });
  onTestFinished(() => void process.end('SIGKILL'));
  onTestFinished(() => proxy.close());
  const address = await apiAddress(process);
  const released = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let count = 0;
  proxy.inject({
    matches(name, command) {
      if (!['appointments', 'bookings'].includes(command[name])) return false;
      count++;
      if (count !== statement) return false;
      stopped.resolve();
      return true;
    },
    fault: { kind: 'delay', until: released.promise },
    times: 1,
  });
  const response = fetch(`${address}/api/appointments?onlyIfFree=true`, {
    method: 'POST',
    headers: { authorization: basic(api.practice.apiKey), 'content-type': 'application/json' },
    body: JSON.stringify({ clinicId, ...time }),
  }).then(
    ({ status }) => status,
    () => undefined,
  );
  await stopped.promise;
  return { process, response, go: released.resolve };
};

const book = async (clinicId: string) =>
  (await api.call('POST', '/api/appointments?onlyIfFree=true', { body: { clinicId, ...time } })).status;
const countOf = (clinicId: string) =>
  api.database.collection('appointments').countDocuments({ clinicId, deletedAt: { $exists: false } });
/** Books as soon as the time is free. */
const bookAtLast = (clinicId: string) => expect.poll(() => book(clinicId), { interval: 500 }).toBe(200);
const untilNoDrafts = () =>
  expect
    .poll(() => api.database.collection('appointments').countDocuments({ draftAt: { $exists: true } }))
    .toBe(0);

test.each(STATEMENTS)('an api that is killed before statement %d of a booking', async (statement) => {
  const clinicId = await addClinic();
  const { process, go, response } = await bookAndStop(clinicId, statement);
  await process.end('SIGKILL');
  if (statement === 6) expect(await book(clinicId)).toBe(409);
  expect(await response).toBeUndefined();
  await bookAtLast(clinicId);
  // The statement that was under way reaches the database late.
  go();
  await untilNoDrafts();
  expect(await countOf(clinicId)).toBe(1);
  expect(await book(clinicId)).toBe(409);
});

test.each(STATEMENTS)('an api that stands still before statement %d of a booking', async (statement) => {
  const clinicId = await addClinic();
  const { process, go, response } = await bookAndStop(clinicId, statement);
  process.send('SIGSTOP');
  if (statement === 6) expect(await book(clinicId)).toBe(409);
  await bookAtLast(clinicId);
  process.send('SIGCONT');
  go();
  // If it stood still for longer than the time limit of a statement, it may find that the statement has timed out.
  expect([409, 503]).toContain(await response);
  await untilNoDrafts();
  expect(await countOf(clinicId)).toBe(1);
});
