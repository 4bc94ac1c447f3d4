import type { StoredEvent } from '@chairside/mongodb/dispatch';
import { Binary } from 'mongodb';
import { beforeEach, expect, test, vi } from 'vitest';
import { createFiling, type Filing } from './filing.ts';

const event = (_id: string, body = '{}'): StoredEvent => ({
  _id,
  organizationId: 'o',
  kind: 'patient',
  recordId: `record of ${_id}`,
  event: 'patient.created',
  clinicIds: ['c'],
  time: new Date(0),
  body: new Binary(Buffer.from(body)),
  principal: { kind: 'system', id: 'test' },
  requestId: 'r',
});

let steps: string[];
let errors: unknown[];
let refused: string[];
let failure: (events: readonly StoredEvent[]) => Error | undefined;
let filing: Filing;
beforeEach(() => {
  steps = [];
  errors = [];
  refused = [];
  failure = () => undefined;
  const step = (name: string) => async (events: readonly StoredEvent[]) => {
    const error = name === 'enter' ? failure(events) : undefined;
    if (error !== undefined) throw error;
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`${name} ${events.map(({ _id }) => _id).join()}`);
  };
  filing = createFiling({
    events: { enter: step('enter') },
    audit: { addWrites: step('audit') },
    outbox: { takeOut: step('take out') },
    onRefused: ({ _id }) => refused.push(_id),
    onError: (error) => errors.push(error),
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return () => void vi.useRealTimers();
});

/** Lets the time of collecting pass, and waits until everything is filed. */
const filed = async (): Promise<void> => {
  const all = filing.stop();
  vi.runAllTimers();
  await all;
};

test('files the events of half a second together, and removes them from their records last', async () => {
  await filing.file([event('a')]);
  vi.advanceTimersByTime(400);
  await filing.file([event('b')]);
  expect(steps).toEqual([]);
  expect([filing.has('a'), filing.has('b'), filing.has('c')]).toEqual([true, true, false]);
  await filed();
  expect(steps.slice(0, 2).sort()).toEqual(['audit a,b', 'enter a,b']);
  expect(steps.slice(2)).toEqual(['take out a,b']);
  expect(filing.has('a')).toBe(false);
});

test('an event that waits is filed once', async () => {
  await filing.file([event('a')]);
  await filing.file([event('a'), event('b')]);
  await filed();
  expect(steps).toContain('take out a,b');
  expect(steps).toHaveLength(3);
});

test('an event that is refused stays in its record, and the others of its group are filed', async () => {
  failure = (events) => (events.some(({ _id }) => _id === 'bad') ? new Error('refused') : undefined);
  await filing.file([event('a'), event('bad'), event('b')]);
  await filed();
  expect(steps.filter((step) => step.startsWith('take out'))).toEqual(['take out a', 'take out b']);
  expect(refused).toEqual(['bad']);
});

test('while the database is unavailable, events stay in their records and are forgotten', async () => {
  const unreachable = Object.assign(new Error('unreachable'), { code: 'ECONNRESET' });
  failure = () => unreachable;
  await filing.file([event('a'), event('b')]);
  await filed();
  expect(steps.filter((step) => !step.startsWith('audit'))).toEqual([]);
  expect([errors, refused, filing.has('a')]).toEqual([[unreachable], [], false]);
});

test('fan-out waits while many bytes wait', async () => {
  const large = 'x'.repeat(900 * 1024);
  await filing.file([event('a', large)]);
  await filing.file([event('b', large)]);
  await filing.file([event('c', large)]);
  expect(steps).toContain('take out a');
  expect(filing.has('c')).toBe(true);
  // Event `c` is filed when the time of collecting is over.
  const all = filing.stop();
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  while (!isDone) {
    vi.runAllTimers();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(steps).toContain('take out c');
});
