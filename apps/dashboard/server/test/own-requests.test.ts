import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Api, createApi } from '../src/api.ts';
import { SECRET, TOKEN } from './dashboard.ts';

let api: Api;
/** The networks of the requests that are in flight to the api, and what ends these requests. */
let inFlight: { network: string; end: () => void }[];
let calls: Promise<unknown>[];
beforeEach(() => {
  [inFlight, calls] = [[], []];
  api = createApi('http://127.0.0.1', SECRET);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, options) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    inFlight.push({ network: new Headers(options?.headers).get('x-forwarded-for') ?? '', end });
    await promise;
    return Response.json({});
  });
});
afterEach(() => void vi.restoreAllMocks());

/** Sends requests, and resolves when they are in flight, wait for their turn, or are refused. */
const send = async (address: string, count: number): Promise<void> => {
  for (let index = 0; index < count; index++)
    calls.push(api.currentSession({ address, userAgent: undefined }, TOKEN).catch((error: unknown) => error));
  await setImmediate();
};
const endAll = async (): Promise<unknown[]> => {
  while (inFlight.length > 0) {
    for (const { end } of inFlight.splice(0)) end();
    await setImmediate();
  }
  return Promise.all(calls);
};
const inFlightOf = (of: string): number => inFlight.filter(({ network }) => network === of).length;

test('sixteen requests of a network and 64 in all are in flight, and networks take turns', async () => {
  await send('192.0.2.1', 30);
  expect(inFlightOf('192.0.2.1')).toBe(16);
  for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) await send(address, 16);
  await send('192.0.2.5', 1);
  expect(inFlight).toHaveLength(64);
  // One turn each for the first network and the fifth.
  for (const { end } of inFlight.splice(0, 2)) end();
  await expect.poll(() => inFlightOf('192.0.2.5')).toBe(1);
  await endAll();
});

test('refuses a request of the network with the most waiting when 1,000 wait', async () => {
  await send('192.0.2.1', 16 + 1000 + 1);
  await send('192.0.2.2', 1);
  expect(inFlightOf('192.0.2.2')).toBe(1);
  const refused = (await endAll()).filter((result) => result instanceof Error);
  expect(refused).toEqual([expect.objectContaining({ name: 'TooManyRequests', retryAfter: 2 })]);
});
