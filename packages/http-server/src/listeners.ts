import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * The sockets that listen at the address of a server. In each round of the event loop, libuv accepts one connection of
 * each. A busy process has few rounds, so a burst of connections would keep the next one waiting for seconds at a single
 * socket.
 */
const SOCKETS = 8;
/**
 * The connections that wait at one socket. Those whose callers have gone wait, too, and each of them keeps others waiting,
 * so the queue is shorter than the 511 of Node.js.
 */
const BACKLOG = 128;

/** Several sockets can listen at one address with SO_REUSEPORT, whose Linux form divides the connections among them. */
const canShare = process.platform === 'linux';

/**
 * Returns a function that listens at an address. The app stops listening when it closes, and has closed when all
 * connections have ended.
 */
export const openListeners = (app: Pick<FastifyInstance, 'addHook' | 'listen' | 'server'>) => {
  const further = Array.from({ length: canShare ? SOCKETS - 1 : 0 }, () =>
    // Like the server of the app: see `http.createServer`.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket)),
  );
  let closed: Promise<unknown> | undefined;
  app.addHook('preClose', async () => {
    const listening = further.filter((socket) => socket.listening);
    closed = Promise.all(listening.map((socket) => once(socket, 'close')));
    for (const socket of listening) socket.close();
  });
  app.addHook('onClose', async () => {
    await closed;
  });

  /** @throws the error of the socket, such as EADDRINUSE */
  return async (address: { host: string; port: number }): Promise<void> => {
    if (!canShare) {
      await app.listen(address);
      return;
    }
    // Sockets that share an address do not notice another process that shares it, too.
    const alone = createServer().listen(address);
    await once(alone, 'listening');
    const { port } = alone.address() as AddressInfo;
    alone.close();
    await once(alone, 'close');
    const shared = { host: address.host, port, backlog: BACKLOG, reusePort: true };
    await app.listen({ ...shared });
    for (const socket of further) {
      socket.listen(shared);
      await once(socket, 'listening');
    }
  };
};
