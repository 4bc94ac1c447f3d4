import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { openListeners } from './listeners.ts';

const CALLERS = 40;
const HOST = '127.0.0.1';

/** An app whose responses wait until `respond` is called. */
const createApp = () => {
  const { promise, resolve: respond } = Promise.withResolvers<void>();
  const app = Fastify();
  app.get('/', async () => {
    await promise;
    return 'response';
  });
  onTestFinished(() => {
    respond();
    return app.close();
  });
  return { app, listen: openListeners(app), respond };
};
const portOf = ({ server }: FastifyInstance): number => (server.address() as AddressInfo).port;
const call = (port: number): Socket => {
  const socket = connect(port, HOST);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return socket;
};

const codeOfConnecting = async (port: number): Promise<string | undefined> => {
  const socket = connect(port, HOST);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
};

test('accepts several connections in one round of the event loop where sockets can share an address', async () => {
  const { app, listen, respond } = createApp();
  await listen({ host: HOST, port: 0 });
  const all = Promise.withResolvers<void>();
  /** How many connections were accepted in each round. */
  const rounds = [0];
  let count = 0;
  const endRound = () => {
    rounds.push(0);
    if (count < CALLERS) setImmediate(endRound);
  };
  setImmediate(endRound);
  app.server.on('connection', () => {
    rounds.push((rounds.pop() ?? 0) + 1);
    if (++count === CALLERS) all.resolve();
  });
  const responses = Array.from({ length: CALLERS }, () => text(call(portOf(app))));
  await all.promise;
  expect(Math.max(...rounds) > 1).toBe(process.platform === 'linux');
  respond();
  for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1.1 200 /);
});

test('refuses an address at which another process, or this one, listens', async () => {
  const { app, listen } = createApp();
  await listen({ host: HOST, port: 0 });
  await expect(createApp().listen({ host: HOST, port: portOf(app) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('the app has closed when the requests of all sockets have ended, and accepts none meanwhile', async () => {
  const { app, listen, respond } = createApp();
  await listen({ host: HOST, port: 0 });
  const port = portOf(app);
  let begun = 0;
  const all = Promise.withResolvers<void>();
  app.server.on('request', () => {
    if (++begun === CALLERS) all.resolve();
  });
  const responses = Array.from({ length: CALLERS }, () => text(call(port)));
  await all.promise;
  let hasClosed = false;
  const closing = app.close().then(() => {
    hasClosed = true;
  });
  await expect.poll(() => codeOfConnecting(port)).toBe('ECONNREFUSED');
  expect(hasClosed).toBe(false);
  respond();
  for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1.1 200 /);
  await closing;
});
