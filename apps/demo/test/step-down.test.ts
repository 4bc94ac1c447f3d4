import { type DatabaseProxy, startDatabaseProxy, testEngines } from '@chairside/test-practice';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeService, type WholeService } from './whole-service.ts';

/*
 * The primary of a replica set steps down and is elected again while patients are written, as far as a proxy before
 * another engine can pose as one. On a real set: scripts of the workflow.
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

test('a step-down under load: 503 or 200, and each event of a 200 is delivered once', async () => {
  const { receiver, api, dispatcher } = service;
  const created: string[] = [];
  const statuses = new Set<number>();
  const refused = Promise.withResolvers<void>();
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const { status, json } = await create();
      statuses.add(status);
      if (status === 200) created.push(json._id);
      else refused.resolve();
    }
  })();
  // One that ends before a caller is told, and one that does not.
  for (const isLong of [false, true]) {
    const posts = receiver.posts.length;
    await receiver.until((so) => so.length > posts + 5);
    await Promise.all([
      loggedAfter(api, 'the database is away', () => proxy.stepDown()),
      loggedAfter(dispatcher, 'the database is away', () => {}),
    ]);
    if (isLong) await refused.promise;
    await Promise.all([
      loggedAfter(api, 'the database is back', () => proxy.elect()),
      loggedAfter(dispatcher, 'the database is back', () => {}),
    ]);
  }
  isOver = true;
  await writing;
  expect([...statuses].toSorted()).toEqual([200, 503]);
  const arrived = () => receiver.posts.map(({ json }) => json.data._id);
  await receiver.until(() => created.every((id) => arrived().includes(id)));
  expect(arrived().length).toBe(new Set(arrived()).size);
});

test('outcomes that the database refuses for a while are stored, and nothing is sent again', async () => {
  const { receiver, dispatcher } = service;
  const held: (() => void)[] = [];
  receiver.answer = (_post, response) => void held.push(() => response.end());
  const { json } = await create();
  await receiver.until((posts) => posts.some((post) => post.json.data._id === json._id));
  // More often than an outcome is stored again that the database refuses for its own sake.
  const takeBack = proxy.inject({
    matches: (name, command) => name === 'update' && command.update === 'deliveries',
    fault: { kind: 'error', code: 11_602 },
    times: 6,
  });
  const before = new Set(dispatcher.lines);
  const logged = dispatcher.logged((line) => line.msg === 'delivery' && !before.has(line));
  for (const answer of held) answer();
  receiver.answer = (_post, response) => void response.end();
  expect((await logged).outcome).toBe('succeeded');
  expect(takeBack()).toBe(6);
  expect(receiver.posts.filter((post) => post.json.data._id === json._id)).toHaveLength(1);
  const stored = await service.database
    .collection('deliveries')
    .findOne({ event: 'patient.created', eventId: receiver.posts.at(-1)?.json.id });
  expect(stored?.status).toBe('succeeded');
});
