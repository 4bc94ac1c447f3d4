import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { allowedNetworks } from '@chairside/domain';
import { afterEach, expect, test } from 'vitest';
import { createSender } from './send.ts';

/** A receiver at 127.0.0.2 that accepts no connection while its thread waits. */
const RECEIVER = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  server.listen({ port: 0, host: '127.0.0.2', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(workerData, 0, 0);
  });
`;

let receiver: Worker;
const waiting: Socket[] = [];
afterEach(async () => {
  for (const socket of waiting.splice(0)) socket.destroy();
  await receiver.terminate();
});

test('a receiver that accepts the connection after a second is not given up for an address that refuses', async () => {
  const isAccepting = new Int32Array(new SharedArrayBuffer(4));
  receiver = new Worker(RECEIVER, { eval: true, workerData: isAccepting });
  const [port] = await once(receiver, 'message');
  // These fill the queue of the system, which then drops the packet that opens a connection. It is sent again after a
  // second.
  for (let index = 0; index < 8; index++) waiting.push(connect(port, '127.0.0.2').on('error', () => {}));
  await once(waiting[0] as Socket, 'connect');
  const sender = createSender({
    allowed: allowedNetworks(['127.0.0.0/8']),
    resolve: async () => ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 })),
  });
  const sent = sender.send({ url: `http://receiver.test:${port}/`, headers: {}, body: '{}' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const socket of waiting.splice(0)) socket.destroy();
  Atomics.store(isAccepting, 0, 1);
  Atomics.notify(isAccepting, 0);
  expect(await sent).toMatchObject({ outcome: 'succeeded', address: '127.0.0.2' });
  await sender.close();
});
