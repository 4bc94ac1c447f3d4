import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/**
 * The port range is below the ports that Linux and macOS use for outgoing connections. Otherwise a client that keeps
 * connecting to a killed server could get the server's port for its own end, and connect to itself.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 31_999;

/** Returns a port of the loopback interface that is currently free. Another program may still bind it first. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await canBind(port)) return port;
  }
}

async function canBind(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, LOOPBACK), 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Returns whether a server accepts connections on this port of the loopback interface. */
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
