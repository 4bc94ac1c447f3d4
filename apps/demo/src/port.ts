import { once } from 'node:events';
import { createServer } from 'node:net';
import { DemoProblem } from './problem.ts';

const HOST = '127.0.0.1';
const TRIES = 100;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
};

/**
 * The wished port, or the next free one.
 *
 * @param taken ports that are given away already, though nobody listens on them yet
 * @param say told when it is not the wished one
 * @throws {DemoProblem} when none of the next hundred is free
 */
export const portFrom = async (
  wished: number,
  taken: number[],
  say: (line: string) => void,
): Promise<number> => {
  for (let port = wished; port < wished + TRIES; port++) {
    if (taken.includes(port) || !(await isFree(port))) continue;
    if (port !== wished) say(`port ${wished} is taken, using ${port}`);
    taken.push(port);
    return port;
  }
  throw new DemoProblem(`No port from ${wished} to ${wished + TRIES - 1} is free. Stop what listens there.`);
};
