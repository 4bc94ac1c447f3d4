import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** A port that is free at this moment; another program may still take it before it is bound. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Whether something accepts connections on this port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
