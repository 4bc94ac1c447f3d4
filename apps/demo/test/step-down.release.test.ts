import {
  type DatabaseProxy,
  type Post,
  startDatabaseProxy,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNothingLost } from './failover.ts';

/*
 * The primary of a replica set steps down and is elected again while patients are written. A proxy in front of another
 * engine simulates the replica set. failover.replica-set.test.ts tests a real one.
 */

let proxy: DatabaseProxy;
let service: WholeService;
beforeAll(async () => {
  proxy = await startDatabaseProxy(testEngines().mongodbUrl, { replicaSet: true });
  service = await startWholeService(testEngines().redisUrl, { mongodbUrl: proxy.url });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
});

const create = () => service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0] });
/** Waits for a line that is logged after `change` began. */
const loggedAfter = async (process: WholeService['api'], msg: string, change: () => void): Promise<void> => {
  const before = new Set(process.lines);
  const logged = process.logged((line) => line.msg === msg && !before.has(line));
  change();
  await logged;
};

test('loses nothing in a step-down under load', async () => {
  const { api, dispatcher } = service;
  let rounds = 0;
  const fault = async () => {
    await Promise.all([
      loggedAfter(api, 'MongoDB is unreachable', () => proxy.stepDown()),
      loggedAfter(dispatcher, 'MongoDB is unreachable', () => {}),
    ]);
    // Only the second step-down lasts until callers get 503.
    if (++rounds === 2) {
      await expect.poll(async () => (await service.call('GET', '/health/ready')).status).toBe(503);
    }
    await Promise.all([
      loggedAfter(api, 'MongoDB is reachable again', () => proxy.elect()),
      loggedAfter(dispatcher, 'MongoDB is reachable again', () => {}),
    ]);
  };
  await expectNothingLost(service, fault, 2);
  for (const { lines } of [api, dispatcher]) {
    expect(lines.filter(({ msg }) => msg === 'MongoDB is unreachable')).toHaveLength(2);
    expect(lines.filter(({ msg }) => msg === 'MongoDB is reachable again')).toHaveLength(2);
  }
});

test('stores outcomes that the database refused for a while, and sends nothing again', async () => {
  const { receiver, dispatcher } = service;
  const held: (() => void)[] = [];
  receiver.respond = (_post, response) => void held.push(() => response.end());
  const { json } = await create();
  const isOurs = (post: Post) => post.json.data._id === json._id;
  await receiver.until((posts) => posts.some(isOurs));
  const eventId = receiver.posts.find(isOurs)?.json.id;
  // The fault occurs more often than the dispatcher retries to store an outcome after a permanent error.
  const removeFault = proxy.inject({
    matches: (name, command) => name === 'update' && command.update === 'deliveries',
    fault: { kind: 'error', code: 11_602 },
    times: 6,
  });
  // Lines of earlier deliveries may still come.
  const logged = dispatcher.logged((line) => line.msg === 'delivery' && line.eventId === eventId);
  for (const response of held) response();
  receiver.respond = (_post, response) => void response.end();
  expect((await logged).outcome).toBe('succeeded');
  expect(removeFault()).toBe(6);
  expect(receiver.posts.filter(isOurs)).toHaveLength(1);
  const stored = await service.database
    .collection('deliveries')
    .findOne({ event: 'patient.created', eventId });
  expect(stored?.status).toBe('succeeded');
});
