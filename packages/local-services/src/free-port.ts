import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { systemCode } from './problem.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the ports that Linux and macOS give to outgoing connections: a client that calls a killed engine again
 * and again would sooner or later be given the very port it calls, and be connected to itself.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 31_999;

/** A port that is free at this moment; another program may still take it before it is bound. */
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
    if (systemCode(error) === 'EADDRINUSE' || systemCode(error) === 'EACCES') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
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
