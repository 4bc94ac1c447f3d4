import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { LoggedEvent } from '@chairside/mongodb';
import { type TestStore, throughProxy, writableServer } from '@chairside/test-practice';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceProcess, startProcess } from '../../demo/test/service-process.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

/** A process's way to the database. */
type Gate = {
  url: string;
  /** Holds back the next statement that has this word. Resolves when it holds it. */
  hold(word: string): Promise<void>;
  release(): void;
  close(): void;
};

const startGate = async (store: TestStore): Promise<Gate> => {
  const target = await writableServer(store);
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  let wanted: string | undefined;
  const server: Server = createServer((client) => {
    const upstream = connect(target);
    sockets.push(client, upstream);
    upstream.pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.on('close', () => upstream.destroy());
    let turn = Promise.resolve();
    client.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined;
        held.resolve();
        turn = turn.then(() => released.promise);
      }
      turn = turn.then(() => void upstream.write(chunk));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: throughProxy(store.url, (server.address() as AddressInfo).port),
    hold(word) {
      wanted = word;
      return held.promise;
    },
    release: () => released.resolve(),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};

let dispatcher: TestDispatcher;
let gate: Gate;
let paused: ServiceProcess;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  gate = await startGate(dispatcher);
  const environment = { ...dispatcher.environment, MONGODB_URL: gate.url, HEALTH_PORT: '0' };
  paused = startProcess('webhook-dispatcher', environment);
  await paused.logged(({ msg }) => msg === 'dispatching');
});
afterAll(async () => {
  await paused.end('SIGKILL');
  gate.close();
  await dispatcher.close();
});

/** Reads the log as a client does that continues from its cursor. */
const createFollower = () => {
  const { events } = dispatcher.practice.store;
  const seen: LoggedEvent[] = [];
  return {
    seen,
    async follow(): Promise<string[]> {
      const last = seen.at(-1);
      const after = last && { time: last.insertedAt, _id: last._id };
      for await (const event of events.page({ events: ['patient.created'] }, after, 100)) seen.push(event);
      return seen.map(({ _id }) => _id);
    },
  };
};

test('an event keeps its place in the log when a paused dispatcher goes on with it', {
  timeout: 120_000,
}, async () => {
  const { follow, seen } = createFollower();
  const held = gate.hold('insertedAt');
  const [first] = await dispatcher.createPatients(1);
  await held;
  paused.send('SIGSTOP');
  // Another dispatcher finds the event in its record and publishes it.
  dispatcher.start();
  await expect.poll(follow, { timeout: 30_000 }).toEqual([first]);
  const [second] = await dispatcher.createPatients(1);
  await expect.poll(follow, { timeout: 30_000 }).toEqual([first, second]);

  paused.send('SIGCONT');
  gate.release();
  // The paused process has ended its work when it takes part again in what comes later.
  await paused.end('SIGTERM');
  const [third] = await dispatcher.createPatients(1);
  await expect.poll(follow, { timeout: 30_000 }).toEqual([first, second, third]);
  const all = dispatcher.practice.store.events.page({ events: ['patient.created'] }, undefined, 100);
  const places = await Array.fromAsync(all);
  expect(places.map(({ _id, insertedAt }) => [_id, insertedAt])).toEqual(
    seen.map(({ _id, insertedAt }) => [_id, insertedAt]),
  );
});
