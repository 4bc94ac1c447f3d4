import { expect, onTestFinished, test, vi } from 'vitest';
import { createFairQueue, fullQueueBehind, QueueFullError, refusalOfFullQueue } from './fair-queue.ts';

/** Work that does not end until the test ends it. `started` contains the names in the order in which they began. */
const createWork = () => {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name);
      ends.set(name, () => resolve(name));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, work, end };
};

test('lets callers take turns, even if one of them has many waiting tasks', async () => {
  const { started, work, end } = createWork();
  const queue = createFairQueue({ atOnce: 1, maxWaiting: 10 });
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => queue.run(name.charAt(0), work(name)));
  expect(queue.waiting()).toBe(5);
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(await Promise.all(all)).toHaveLength(6);
  expect(queue.waiting()).toBe(0);
});

test('when full, refuses the last task of the caller with the most tasks, or the new task if its caller has the most', async () => {
  const { work, end } = createWork();
  const queue = createFairQueue({ atOnce: 1, maxWaiting: 3 });
  const ended = (name: string) =>
    queue.run(name.charAt(0), work(name)).catch((error: unknown) => error instanceof QueueFullError && name);
  const all = ['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'd1'].map(ended);
  const results = new Map<string, unknown>();
  for (const [index, result] of all.entries()) result.then((value) => results.set(`${index}`, value));
  await new Promise(setImmediate);
  // a4 is refused because its own list is the longest; a3 and a2 make room; d1 is refused because every caller has one.
  expect(Object.fromEntries(results)).toEqual({ 4: 'a4', 3: 'a3', 2: 'a2', 7: 'd1' });
  for (const name of ['a0', 'a1', 'b1', 'c1']) await end(name);
  expect(await Promise.all(all)).toHaveLength(8);
});

test('says whether a task is refused because of its own caller or because of others', async () => {
  const { work, end } = createWork();
  const queue = createFairQueue({ atOnce: 4, atOnceOfCaller: 2, maxWaiting: 6 });
  const refusals: string[] = [];
  const run = (name: string) =>
    queue.run(name.charAt(0), work(name)).catch((error: unknown) => {
      const { name: refusal } = refusalOfFullQueue(error, {
        what: 'requests',
        whose: 'network',
        retryAfter: 1,
        limit: 'x',
      }) as Error;
      refusals.push(`${name} ${refusal}`);
    });
  const all = ['a1', 'a2', 'b1', 'b2', 'a3', 'a4', 'a5', 'b3', 'b4', 'b5'].map(run);
  // a and b have reached their share of the running tasks, whether a task of theirs is new or makes room.
  all.push(run('a6'), run('c1'));
  await new Promise(setImmediate);
  expect(refusals.splice(0)).toEqual(['a6 TooManyRequests', 'a5 TooManyRequests']);
  // The tasks of d, e and f make room for each other, until each caller has one. None of them has more than others.
  for (const name of ['d1', 'e1', 'f1', 'g1']) all.push(run(name));
  await new Promise(setImmediate);
  expect(refusals.splice(0)).toEqual([
    'b5 TooManyRequests',
    'a4 TooManyRequests',
    'b4 TooManyRequests',
    'g1 ServiceUnavailable',
  ]);
  // c runs nothing, but it waits for as much as the others, and now for more.
  all.push(run('c2'));
  await new Promise(setImmediate);
  expect(refusals).toEqual(['c2 TooManyRequests']);
  for (const name of ['a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'c1', 'd1', 'e1', 'f1']) await end(name);
  await Promise.all(all);
});

test('leaves other errors unchanged, and finds a full queue behind an error', () => {
  const options = { what: 'requests', whose: 'network', retryAfter: 1, limit: 'x' };
  const other = new Error('other');
  expect(refusalOfFullQueue(other, options)).toBe(other);
  const full = new QueueFullError('full', true);
  expect(fullQueueBehind(new Error('outer', { cause: new Error('inner', { cause: full }) }))).toBe(full);
  expect(fullQueueBehind(other)).toBeUndefined();
});

test('in its turn, a caller with light tasks begins as much as others with heavy ones', async () => {
  const { started, work, end } = createWork();
  const queue = createFairQueue({ atOnce: 10, atOnceOfCaller: 6, maxWaiting: 100 });
  const run = (name: string, weight: number) => queue.run(name.charAt(0), work(name), weight);
  const heavy = ['a1', 'b1', 'c1', 'a2', 'b2', 'c2'].map((name) => run(name, 4));
  const light = ['l1', 'l2', 'l3', 'l4', 'l5', 'l6'].map((name) => run(name, 1));
  expect(started).toEqual(['a1', 'b1']);
  await end('a1');
  await end('b1');
  expect(started.splice(0)).toEqual(['a1', 'b1', 'c1', 'a2']);
  await end('c1');
  expect(started.splice(0)).toEqual(['b2', 'l1', 'l2']);
  // Only two have fit, so the turn goes on. It ends after four, the weight of a heavy one.
  await end('a2');
  expect(started.splice(0)).toEqual(['l3', 'l4']);
  await end('b2');
  expect(started.splice(0)).toEqual(['c2', 'l5', 'l6']);
  for (const name of ['l1', 'l2', 'l3', 'l4']) await end(name);
  for (const name of ['c2', 'l5', 'l6']) await end(name);
  await Promise.all([...heavy, ...light]);
  expect(queue.waiting()).toBe(0);
});

test('refuses a task that has waited for too long, and no longer counts it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { started, work, end } = createWork();
  const queue = createFairQueue({ atOnce: 1, maxWaiting: 10, maxWaitMs: 100 });
  const first = queue.run('a', work('a1'));
  const late = expect(queue.run('a', work('a2'))).rejects.toMatchObject({
    name: 'QueueFullError',
    isCallers: false,
  });
  vi.advanceTimersByTime(60);
  const next = [queue.run('a', work('a3')), queue.run('b', work('b1'))];
  vi.advanceTimersByTime(60);
  await late;
  expect(queue.waiting()).toBe(2);
  for (const name of ['a1', 'a3', 'b1']) await end(name);
  await Promise.all([first, ...next]);
  // A task whose turn has come has no time limit.
  expect(vi.getTimerCount()).toBe(0);
  expect(started).toEqual(['a1', 'a3', 'b1']);
});

test('knows which callers run a task or wait for one', async () => {
  const { work, end } = createWork();
  const queue = createFairQueue({ atOnce: 1, maxWaiting: 10 });
  const used = () => ['a', 'b', 'c'].filter((caller) => queue.isUsedBy(caller));
  const all = ['a1', 'b1'].map((name) => queue.run(name.charAt(0), work(name)));
  expect(used()).toEqual(['a', 'b']);
  await end('a1');
  expect(used()).toEqual(['b']);
  await end('b1');
  await Promise.all(all);
  expect(used()).toEqual([]);
});

test('continues after work that throws', async () => {
  const queue = createFairQueue({ atOnce: 1, maxWaiting: 3 });
  const failed = queue.run('a', () => Promise.reject(new Error('it failed')));
  const next = queue.run('a', async () => 'next');
  await expect(failed).rejects.toThrow('it failed');
  expect(await next).toBe('next');
});

test('leaves room for other callers when one caller could take every turn', async () => {
  const { started, work, end } = createWork();
  const queue = createFairQueue({ atOnce: 3, atOnceOfCaller: 2, maxWaiting: 10 });
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) => queue.run(name.charAt(0), work(name)));
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'a2', 'b1']);
  expect(queue.waiting()).toBe(3);
  await end('b1');
  expect(started.slice(3)).toEqual(['c1']);
  await end('c1');
  expect(queue.waiting()).toBe(2);
  for (const name of ['a1', 'a2', 'a3', 'a4']) await end(name);
  expect(started.slice(4)).toEqual(['a3', 'a4']);
  expect(await Promise.all(all)).toHaveLength(6);
});

test('tasks of different weights share the room, and small ones do not pass a large one for ever', async () => {
  const { started, work, end } = createWork();
  const queue = createFairQueue({ atOnce: 10, atOnceOfCaller: 7, maxWaiting: 10, maxWaitMs: 100 });
  const run = (name: string, weight: number) => queue.run(name.charAt(0), work(name), weight);
  // a2 is beyond what its caller may take, so it keeps nobody back. c1 fits beside a1 and b1, and d1 beside none.
  const all = [run('a1', 6), run('a2', 6), run('b1', 2), run('c1', 2), run('d1', 5)];
  const small = [run('e1', 1), run('f1', 1)];
  await new Promise(setImmediate);
  expect(started).toEqual(['a1', 'b1', 'c1']);
  await end('b1');
  await end('c1');
  expect(started.slice(3)).toEqual([]);
  await end('a1');
  expect(started.slice(3)).toEqual(['a2']);
  await end('a2');
  expect(started.slice(4)).toEqual(['d1', 'e1', 'f1']);
  for (const name of ['d1', 'e1', 'f1']) await end(name);
  expect(await Promise.all([...all, ...small])).toHaveLength(7);
});

test('when a large task has waited for too long, those behind it begin', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { started, work, end } = createWork();
  const queue = createFairQueue({ atOnce: 3, maxWaiting: 10, maxWaitMs: 100 });
  const first = queue.run('a', work('a1'), 2);
  const late = expect(queue.run('b', work('b1'), 3)).rejects.toThrow(QueueFullError);
  vi.advanceTimersByTime(60);
  const small = queue.run('c', work('c1'), 1);
  expect(started).toEqual(['a1']);
  vi.advanceTimersByTime(60);
  await late;
  expect(started).toEqual(['a1', 'c1']);
  for (const name of ['a1', 'c1']) await end(name);
  await Promise.all([first, small]);
});
