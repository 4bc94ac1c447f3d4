import type { ServerResponse } from 'node:http';
import {
  type RecordingReceiver,
  type ServiceProcess,
  startProcess,
  startRecordingReceiver,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
let stopped: ServiceProcess;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
  stopped = startProcess('webhook-dispatcher', { ...dispatcher.environment, HEALTH_PORT: '0' });
  await stopped.logged(({ msg }) => msg === 'dispatching');
});
afterAll(async () => {
  await stopped.end('SIGKILL');
  await dispatcher.close();
  await receiver.close();
});

// The pause is longer than the 30 s after which the process of an attempt counts as dead.
test('a process that was paused during an attempt stores the correct outcome after the pause', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  const responded = Promise.withResolvers<ServerResponse>();
  receiver.respond = (_post, response) => responded.resolve(response);
  const [eventId] = await dispatcher.createPatients(1);
  const response = await responded.promise;
  stopped.send('SIGSTOP');
  response.end('in time');
  receiver.respond = (_post, other) => void other.end();

  const { deliveries } = dispatcher.practice.store;
  const find = () => deliveries.find(`${eventId}-${subscription._id}`);
  dispatcher.start();
  // Another process continues, and marks the delivery as `interrupted`.
  const [next] = await dispatcher.createPatients(1);
  await receiver.until((posts) => posts.some(({ json }) => json.id === next));
  await dispatcher.untilLogged((logs) => logs.some(({ interrupted }) => interrupted === 1));
  expect(await find()).toMatchObject({ outcome: 'interrupted' });

  stopped.send('SIGCONT');
  await expect.poll(find).toMatchObject({
    outcome: 'succeeded',
    statusCode: 200,
    responseBody: 'in time',
  });
  expect((await find())?.reason).toBeUndefined();
  expect(receiver.posts.filter(({ json }) => json.id === eventId)).toHaveLength(1);
});
