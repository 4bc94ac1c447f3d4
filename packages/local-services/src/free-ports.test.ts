import { expect, test } from 'vitest';
import { withFreePorts } from './free-ports.ts';

const taken = () => Promise.reject(new Error('bind: Address already in use'));

test('a server that meets a taken port gets others', async () => {
  const given: (readonly number[])[] = [];
  const started = await withFreePorts(2, (ports) => {
    given.push(ports);
    return given.length < 3 ? taken() : Promise.resolve('started');
  });
  expect(started).toBe('started');
  expect(given.map((ports) => new Set(ports).size)).toEqual([2, 2, 2]);
});

test('another failure, or one that goes on, is thrown', async () => {
  let tries = 0;
  const count = (start: () => Promise<never>) => () => {
    tries += 1;
    return start();
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
