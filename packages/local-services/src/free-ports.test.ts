import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { LOOPBACK } from '@chairside/processes';
import { expect, onTestFinished, test } from 'vitest';
import { withFreePorts } from './free-ports.ts';

const taken = ([port]: readonly number[]) =>
  Promise.reject(new Error(`127.0.0.1:${port}: bind: Address already in use`));

test('a server that meets a taken port gets others', async () => {
  const given: (readonly number[])[] = [];
  const started = await withFreePorts(2, (ports) => {
    given.push(ports);
    return given.length < 3 ? taken(ports) : Promise.resolve('started');
  });
  expect(started).toBe('started');
  expect(given.map((ports) => new Set(ports).size)).toEqual([2, 2, 2]);
});

test('another failure, or one that goes on, is thrown', async () => {
  let tries = 0;
  const count = (start: (ports: readonly number[]) => Promise<never>) => (ports: readonly number[]) => {
    tries += 1;
    return start(ports);
  };
  await expect(
    withFreePorts(
      1,
      count(() => Promise.reject(new Error('no memory'))),
    ),
  ).rejects.toThrow('no memory');
  expect(tries).toBe(1);
  tries = 0;
  await expect(withFreePorts(1, count(taken))).rejects.toThrow('already in use');
  expect(tries).toBe(5);
});

test('a port on which another program listens by now is taken, whatever the server says', async () => {
  const others: Server[] = [];
  onTestFinished(() => {
    for (const other of others) other.close();
  });
  const started = await withFreePorts(1, async ([port]) => {
    if (others.length > 0) return 'started';
    const other = createServer().listen(port, LOOPBACK);
    others.push(other);
    await once(other, 'listening');
    throw new Error('it ended');
  });
  expect(started).toBe('started');
});
