import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDownloadAdmission } from '../src/downloads/admission.ts';
import { createAdmission } from '../src/forwarding/admission.ts';

/** A response that has not been sent yet. */
const openResponse = (): ServerResponse =>
  Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
  }) as Partial<ServerResponse> as ServerResponse;
const countedAs = (organization: string, session = 'session', operator = session) => ({
  session: `${organization} ${session}`,
  operator: `${organization} ${operator}`,
  organization,
});
const nameOf = (error: unknown): string => (error as Error).name;

test('24 requests of one session may be in flight', async () => {
  const admit = createAdmission();
  const statuses = Array.from({ length: 25 }, () =>
    admit(openResponse(), countedAs('a', 'session', 'operator')).then(() => undefined, nameOf),
  );
  expect(await Promise.all(statuses)).toEqual([...Array(24).fill(undefined), 'TooManyRequests']);
  await admit(openResponse(), countedAs('a', 'other', 'operator'));
});

test('one request is refused when a thousand wait', async () => {
  const admit = createAdmission();
  const refused: string[] = [];
  const send = (organization: string, session: number) =>
    void admit(openResponse(), countedAs(organization, String(session))).catch((error: unknown) =>
      refused.push(nameOf(error)),
    );
  // Each organization has two sessions with twenty requests.
  for (let index = 0; index < 128 + 1000; index++) send(`organization ${Math.floor(index / 40)}`, index % 2);
  await setImmediate();
  expect(refused).toEqual([]);
  send('neighbour', 1);
  await setImmediate();
  // It makes room: the last request of an organization that has more than its share of the waiting ones.
  expect(refused).toEqual(['TooManyRequests']);
});

test('64 downloads may be open, and one that ends makes room', async () => {
  const { open } = createDownloadAdmission();
  const responses = Array.from({ length: 64 }, openResponse);
  for (const [index, response] of responses.entries())
    open(response, countedAs(`organization ${index % 8}`, String(index)));
  const another = () => {
    try {
      return open(openResponse(), countedAs('neighbour'));
    } catch (error) {
      return nameOf(error);
    }
  };
  expect(another()).toBe('ServiceUnavailable');
  responses[0]?.emit('close');
  await setImmediate();
  expect(another()).toBeUndefined();
});

test('two pages of an organization and four in all are read at once, and organizations take turns', async () => {
  const { read } = createDownloadAdmission();
  const reading: { organization: string; end: () => void }[] = [];
  const page = (organization: string) =>
    read(countedAs(organization), () => {
      const { promise, resolve: end } = Promise.withResolvers<void>();
      reading.push({ organization, end });
      return promise;
    });
  const readsOf = (name: string) => reading.filter(({ organization }) => organization === name).length;
  const pages = ['greedy', 'greedy', 'greedy', 'greedy', 'other', 'other', 'neighbour'].map(page);
  expect([readsOf('greedy'), readsOf('other'), reading.length]).toEqual([2, 2, 4]);
  // One turn each for the greedy organization and the neighbour.
  for (const { end } of reading.splice(0, 2)) end();
  await setImmediate();
  expect([readsOf('greedy'), readsOf('neighbour')]).toEqual([1, 1]);
  while (reading.length > 0) {
    for (const { end } of reading.splice(0)) end();
    await setImmediate();
  }
  await Promise.all(pages);
});
