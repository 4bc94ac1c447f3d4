import type { LoggedEvent } from '@chairside/mongodb';
import {
  type DatabaseProxy,
  type ServiceProcess,
  startDatabaseProxy,
  startProcess,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
/** The connection of the paused process to the database. */
let proxy: DatabaseProxy;
let paused: ServiceProcess;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  proxy = await startDatabaseProxy(dispatcher.url);
  const environment = { ...dispatcher.environment, MONGODB_URL: proxy.url, HEALTH_PORT: '0' };
  paused = startProcess('webhook-dispatcher', environment);
  await paused.logged(({ msg }) => msg === 'dispatching');
});
afterAll(async () => {
  await paused.end('SIGKILL');
  await proxy.close();
  await dispatcher.close();
});

/** Reads the log like a client that continues from its cursor. */
const createFollower = () => {
  const { events } = dispatcher.practice.store;
  const seen: LoggedEvent[] = [];
  return {
    seen,
    async follow(): Promise<string[]> {
      const last = seen.at(-1);
      const after = last && { time: last.insertedAt, _id: last._id };
      const filter = { events: ['patient.created'] as const, until: await events.end() };
      for await (const event of events.page(filter, { after, limit: 100 })) seen.push(event);
      return seen.map(({ _id }) => _id);
    },
  };
};

test('an event keeps its place in the log when a paused dispatcher resumes and publishes it again', async () => {
  const { follow, seen } = createFollower();
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  proxy.inject({
    matches(name, command) {
      const isStamp = name === 'update' && command.update === 'events';
      if (isStamp) held.resolve();
      return isStamp;
    },
    fault: { kind: 'delay', until: released.promise },
    times: 1,
  });
  const [first] = await dispatcher.createPatients(1);
  await held.promise;
  paused.send('SIGSTOP');
  // Another dispatcher finds the event in its record and publishes it.
  dispatcher.start();
  await expect.poll(follow).toEqual([first]);
  const [second] = await dispatcher.createPatients(1);
  await expect.poll(follow).toEqual([first, second]);

  paused.send('SIGCONT');
  released.resolve();
  // When the process has shut down, it has finished the work that the pause had interrupted.
  await paused.end('SIGTERM');
  const [third] = await dispatcher.createPatients(1);
  await expect.poll(follow).toEqual([first, second, third]);
  const { events } = dispatcher.practice.store;
  const filter = { events: ['patient.created'] as const, until: await events.end() };
  const places = await Array.fromAsync(events.page(filter, { limit: 100 }));
  expect(places.map(({ _id, insertedAt }) => [_id, insertedAt])).toEqual(
    seen.map(({ _id, insertedAt }) => [_id, insertedAt]),
  );
});
