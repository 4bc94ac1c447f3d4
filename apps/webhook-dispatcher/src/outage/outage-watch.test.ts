import type { Attempt } from '@chairside/domain';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createOutageWatch, isConfirmed, type ProbeResult, type Reach, reachedHost } from './outage-watch.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    }),
);
afterEach(() => void vi.useRealTimers());

const attempt = (rest: object) =>
  ({ attemptTime: new Date(), duration: 1, timings: {}, outcome: 'failed', reason: '', ...rest }) as Attempt;

test.each([
  [{ cause: 'dns', timings: { lookup: 1 } }, false],
  [{ cause: 'connect', timings: { lookup: 1, connect: 1 } }, false],
  [{ cause: 'timeout', timings: { lookup: 5000 } }, false],
  [{ cause: 'timeout', timings: { lookup: 1, connect: 4999 } }, false],
  [{ cause: 'timeout', timings: { lookup: 1, connect: 1, tls: 4998 } }, true],
  [{ cause: 'timeout', timings: { firstByte: 5000 } }, true],
  [{ cause: 'tls', timings: { lookup: 1, connect: 1, tls: 1 } }, true],
  [{ outcome: 'succeeded', timings: { firstByte: 1 } }, true],
])('an attempt with %j has reached its host: %s', (rest, reached) => {
  expect(reachedHost(attempt(rest))).toBe(reached);
});

test.each<[number, ProbeResult[], boolean]>([
  [1, ['silent'], true],
  [1, ['silent', 'silent', 'silent'], true],
  [20, ['silent', 'silent', 'reached'], false],
  // A single receiver that was shut down refuses connections.
  [1, ['refused'], false],
  [4, ['silent', 'refused', 'silent'], false],
  [5, ['refused', 'refused', 'refused'], true],
  [5, ['refused', 'refused', 'reached'], false],
])('after failures at %i hosts, probes that end in %j confirm an outage: %s', (hosts, results, confirmed) => {
  expect(isConfirmed(hosts, results)).toBe(confirmed);
});

const reachOf = (organizationId: string, host: string, rest: Partial<Reach> = {}): Reach => ({
  origin: `https://${host}`,
  organizationId,
  subscriptionId: 's',
  isEvent: true,
  reached: false,
  failures: 0,
  ...rest,
});

/** An outage watch with fake probes. `probed` are the origins that were probed. */
const openWatch = (
  responding: (origin: string) => ProbeResult | Promise<ProbeResult> = () => 'silent',
  isDeclared: () => Promise<boolean> = async () => false,
) => {
  const changes: boolean[] = [];
  const adopted: boolean[] = [];
  /** The items of failures whose outage was detected later. */
  const late: number[][] = [];
  const probed: string[] = [];
  const reachedByOthers = new Set<string>();
  let vetoes = 0;
  const watch = createOutageWatch<number>({
    async probe(origin) {
      probed.push(origin);
      return responding(origin);
    },
    wasReached: async ({ origin }) => reachedByOthers.has(origin),
    isDeclared,
    onChange: (isOut, isAdopted) => {
      changes.push(isOut);
      adopted.push(isAdopted);
    },
    onVeto: () => vetoes++,
    onError(error) {
      throw error;
    },
  });
  watch.onUnsent((items) => late.push(items));
  const reach = (organizationId: string, host: string) =>
    watch.note(0, reachOf(organizationId, host, { reached: true }));
  const fail = async (count: number, noted: Reach): Promise<number[]> => {
    const unsent: number[] = [];
    for (let item = 0; item < count; item++) unsent.push(...(await watch.note(item, noted)));
    return unsent;
  };
  return { reachedByOthers, watch, changes, adopted, late, probed, reach, fail, vetoes: () => vetoes };
};

test('detects a cut cable with one host: returns the failed attempts once, then each later one', async () => {
  const { watch, changes, reach, fail } = openWatch();
  await reach('a', 'a1');
  expect(await fail(19, reachOf('a', 'a1'))).toEqual([]);
  expect(await watch.note(19, reachOf('a', 'a1'))).toEqual([
    0,
    ...Array.from({ length: 18 }, (_, i) => i + 1),
    19,
  ]);
  expect(watch.isOut()).toBe(true);
  expect(await watch.note(20, reachOf('a', 'a1', { isEvent: false }))).toEqual([20]);
  await reach('a', 'a1');
  expect(changes).toEqual([true, false]);
  expect(await watch.note(21, reachOf('a', 'a1'))).toEqual([]);
});

test('failures of tests are no evidence, and without a host that was reached recently there is nothing to probe', async () => {
  const { watch, probed, reach, fail } = openWatch();
  await fail(100, reachOf('a', 'does-not-exist'));
  await reach('a', 'a1');
  await fail(100, reachOf('a', 'a1', { isEvent: false }));
  vi.advanceTimersByTime(10 * 60_000);
  await fail(100, reachOf('a', 'a1'));
  expect(probed).toEqual([]);
  expect(watch.isOut()).toBe(false);
});

test('from the fifth failure in a row on, probes before the failure counts', async () => {
  const { watch, changes, probed, reach } = openWatch();
  await reach('a', 'a1');
  vi.advanceTimersByTime(1000);
  expect(await watch.note(1, reachOf('a', 'a1', { failures: 3 }))).toEqual([]);
  expect(probed).toEqual([]);
  expect(await watch.note(2, reachOf('a', 'a1', { failures: 4 }))).toEqual([1, 2]);
  expect([probed, changes]).toEqual([['https://a1'], [true]]);
});

test('does not probe if an attempt has reached its host within a second', async () => {
  const { watch, probed, reach } = openWatch();
  await reach('b', 'b1');
  expect(await watch.note(1, reachOf('a', 'a1', { failures: 10 }))).toEqual([]);
  expect(probed).toEqual([]);
});

test('probes two seconds after the first failure if nothing was reached, and returns the failures so far', async () => {
  const { watch, late, probed, reach } = openWatch();
  await reach('a', 'a1');
  await watch.note(1, reachOf('a', 'a1'));
  await vi.advanceTimersByTimeAsync(1000);
  // A host that this process has never reached.
  await watch.note(2, reachOf('c', 'c1'));
  await vi.advanceTimersByTimeAsync(999);
  expect(probed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect([probed, late, watch.isOut()]).toEqual([['https://a1'], [[1, 2]], true]);

  const other = openWatch();
  await other.reach('a', 'a1');
  await other.watch.note(1, reachOf('a', 'a1'));
  await vi.advanceTimersByTimeAsync(1999);
  await other.reach('b', 'b1');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(other.probed).toEqual([]);
});

test('a host that only other processes have reached is probed, too', async () => {
  const { watch, late, probed, reachedByOthers } = openWatch();
  reachedByOthers.add('https://a1');
  await watch.note(1, reachOf('a', 'a1'));
  await vi.advanceTimersByTimeAsync(2000);
  expect([probed, late, watch.isOut()]).toEqual([['https://a1'], [[1]], true]);
});

test('a process that has reached no host adopts the outage of another one until that is over', async () => {
  let isDeclared = true;
  const { watch, changes, adopted, probed, fail } = openWatch(undefined, async () => isDeclared);
  await fail(1, reachOf('a', 'a1'));
  await vi.advanceTimersByTimeAsync(2000);
  expect([watch.isOut(), adopted, probed]).toEqual([true, [true], []]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(watch.isOut()).toBe(true);
  isDeclared = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(changes).toEqual([true, false]);
});

test('an outage ends when a probe reaches a host, even if there is no attempt', async () => {
  let result: ProbeResult = 'silent';
  const { watch, changes, reach, fail } = openWatch(() => result);
  await reach('a', 'a1');
  await fail(20, reachOf('a', 'a1'));
  // The hosts that showed the outage are probed, however long ago they were reached.
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(watch.isOut()).toBe(true);
  result = 'reached';
  await vi.advanceTimersByTimeAsync(10_000);
  expect(changes).toEqual([true, false]);
});

test('probes the hosts of other organizations first, so that an organization that shuts down its hosts causes no outage', async () => {
  const isOthers = (origin: string) => origin.startsWith('https://b');
  const { watch, probed, reach, fail, vetoes } = openWatch((origin) =>
    isOthers(origin) ? 'reached' : 'silent',
  );
  await reach('b', 'b1');
  for (const host of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) {
    vi.advanceTimersByTime(1);
    await reach('a', host);
  }
  expect(await fail(39, reachOf('a', 'a1'))).toEqual([]);
  expect(vetoes()).toBe(1);
  expect(probed).toEqual(['https://b1', 'https://a6', 'https://a5']);
  expect(watch.isOut()).toBe(false);
});

test('probes at most once a second; attempts that fail during the probes wait for their result', async () => {
  const responses: ProbeResult[] = ['reached', 'silent'];
  const { watch, probed, reach, fail } = openWatch(() => responses.shift() ?? 'silent');
  await reach('a', 'a1');
  expect(await fail(39, reachOf('a', 'a1'))).toEqual([]);
  const waiting = [watch.note(39, reachOf('a', 'a1')), watch.note(40, reachOf('a', 'a1'))];
  await vi.advanceTimersByTimeAsync(999);
  expect(probed).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(probed).toHaveLength(2);
  expect((await Promise.all(waiting)).map((unsent) => unsent.length)).toEqual([20, 1]);
});

test('attempts that fail during probes get the same result; an attempt that reaches its host ends the suspicion', async () => {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const { watch, changes, reach, fail } = openWatch(() => promise);
  await reach('a', 'a1');
  await fail(19, reachOf('a', 'a1'));
  const twentieth = watch.note(19, reachOf('a', 'a1'));
  const late = watch.note(20, reachOf('a', 'a1'));
  await reach('b', 'b1');
  resolve('silent');
  expect(await twentieth).toEqual([]);
  expect(await late).toEqual([]);
  expect(changes).toEqual([]);
});

test('no organization evicts the hosts of others', async () => {
  const { probed, reach, fail } = openWatch();
  await reach('b', 'b1');
  for (let host = 0; host < 5000; host++) await reach('a', `a${host}`);
  await fail(20, reachOf('a', 'a4999'));
  expect(probed[0]).toBe('https://b1');
});
