import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Found } from './part.ts';
import { type SweepPartsOptions, sweepParts } from './parts.ts';
import { startSweep } from './sweep.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['performance', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'],
    }),
);
afterEach(() => void vi.useRealTimers());

const ref = { organizationId: 'o', kind: 'patient', recordId: 'r' } as const;
const redelivery = (_id: string): Parameters<SweepPartsOptions['redeliveries']['advance']>[0] => ({
  _id,
  organizationId: 'o',
  subscriptionId: `s-${_id}`,
  since: new Date(0),
  until: new Date(1),
  outcomes: ['failed'],
  state: 'running',
  steps: 0,
  made: 0,
  gone: 0,
  createdTime: new Date(1),
});

const expireOne = async () => {
  await new Promise((resolve) => setTimeout(resolve, 400));
  return 1;
};

/**
 * A sweep over fake stores that have work for each part except the statistics. `changes` replaces functions of the
 * stores.
 */
const start = (changes: {
  overdue?: () => Promise<(typeof ref)[]>;
  publish?: () => Promise<void>;
  lease?: () => Promise<Date | undefined>;
  advance?: (id: string) => Promise<void>;
  interrupt?: (claimedBefore: Date) => void;
  expire?: () => Promise<number>;
  deleteExpired?: () => Promise<number>;
  requests?: (limit: number) => number;
  onFound?: (found: Partial<Found>) => void;
}) => {
  const found: Partial<Found>[] = [];
  const errors: unknown[] = [];
  const advanced: string[] = [];
  const onError = (error: unknown) => errors.push(error);
  const parts = sweepParts({
    outbox: { overdue: changes.overdue ?? (async () => [ref]) },
    publisher: { publish: changes.publish ?? (async () => {}), inHand: () => [], full: () => [] },
    lanes: {
      dead: async () => [
        { _id: 'l', subscriptionId: 's', organizationId: 'o', worker: 'x', aliveUntil: new Date(0) },
      ],
      remove: async () => {},
    },
    laneRequests: {
      due: async (_now, limit) =>
        Array.from({ length: changes.requests?.(limit) ?? 1 }, () => ({
          _id: 'd',
          subscriptionId: 's',
          organizationId: 'o',
          dueTime: new Date(0),
        })),
      remove: async () => {},
    },
    deliveries: {
      async interrupt(claimedBefore) {
        changes.interrupt?.(claimedBefore);
        return 1;
      },
    },
    deliveryHours: { closeNext: async () => false, recompute: async () => 0 },
    events: { expire: changes.expire ?? expireOne },
    redeliveries: {
      running: async () => [redelivery('one'), redelivery('two')],
      async advance({ _id }) {
        await changes.advance?.(_id);
        // Each step takes time, so that a round reaches its time limit.
        vi.advanceTimersByTime(0);
        advanced.push(_id);
        await new Promise((resolve) => setTimeout(resolve, 400));
      },
    },
    programTokens: { deleteExpired: changes.deleteExpired ?? (async () => 0) },
    abandonedDrafts: { remove: async () => 0 },
    scheduler: { open: async () => {} },
    onError,
  });
  const sweep = startSweep({
    worker: 'w',
    lanes: { lease: changes.lease ?? (async () => new Date()) },
    parts,
    onFound(each) {
      found.push(each);
      changes.onFound?.(each);
    },
    onError,
  });
  const partsFound = () => new Set(found.flatMap((each) => Object.keys(each)));
  return { sweep, partsFound, errors, advanced };
};

const never = () => new Promise<never>(() => {});

test('a part that hangs does not delay the others, and increases the age', async () => {
  const { sweep, partsFound, advanced } = start({ publish: never });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(partsFound()).toEqual(new Set(['deadLanes', 'requestedLanes', 'interrupted', 'expired']));
  expect(advanced.length).toBeGreaterThan(5);
  expect(sweep.age()).toBe(10_000);
  expect(sweep.isStuck()).toBe(false);
  await vi.advanceTimersByTimeAsync(51_000);
  expect(sweep.isStuck()).toBe(true);
});

test('a slow database does not make the sweep interrupt a claim too early', async () => {
  let answeredAt = Number.NaN;
  const early: number[] = [];
  const { partsFound } = start({
    async lease() {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      answeredAt = performance.now();
      return new Date(0);
    },
    interrupt(claimedBefore) {
      const latest = performance.now() - answeredAt - 30_000;
      if (claimedBefore.getTime() > latest) early.push(claimedBefore.getTime() - latest);
    },
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(partsFound()).toContain('interrupted');
  expect(early).toEqual([]);
});

test('a part that fails does not delay the others', async () => {
  const { partsFound, errors, sweep } = start({ overdue: () => Promise.reject(new Error('no')) });
  await vi.advanceTimersByTimeAsync(5000);
  expect(partsFound()).toEqual(new Set(['deadLanes', 'requestedLanes', 'interrupted', 'expired']));
  expect(errors.length).toBeGreaterThan(3);
  expect(sweep.age()).toBe(5000);
});

test('a redelivery that fails does not delay the others, and is paused', async () => {
  const { advanced, errors } = start({
    async advance(id) {
      if (id === 'one') throw new Error('no');
    },
  });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(new Set(advanced)).toEqual(new Set(['two']));
  expect(advanced.length).toBeGreaterThan(10);
  expect(errors).toHaveLength(1);
});

test('a round expires events until none is left', async () => {
  const deleted = [500, 500, 20];
  const asked: number[] = [];
  start({
    async expire() {
      asked.push(performance.now());
      return deleted.shift() ?? 0;
    },
  });
  await vi.advanceTimersByTimeAsync(1500);
  expect(asked).toHaveLength(4);
  expect(new Set(asked).size).toBe(1);
});

test('a round deletes program tokens until none is left', async () => {
  const deleted = [100, 3];
  let asked = 0;
  start({
    async deleteExpired() {
      asked++;
      return deleted.shift() ?? 0;
    },
  });
  await vi.advanceTimersByTimeAsync(1500);
  expect(asked).toBe(3);
});

test('a round opens requested lanes until none is left', async () => {
  let left = 1200;
  const rounds: (number | undefined)[] = [];
  start({
    requests(limit) {
      const found = Math.min(left, limit);
      left -= found;
      return found;
    },
    onFound: ({ requestedLanes }) => requestedLanes !== undefined && rounds.push(requestedLanes),
  });
  await vi.advanceTimersByTimeAsync(1500);
  expect({ left, first: rounds[0] }).toEqual({ left: 0, first: 1200 });
});

test('a round with an endless number of expired events ends after a second', async () => {
  const rounds: Partial<Found>[] = [];
  const { partsFound, sweep } = start({ expire: expireOne, onFound: (each) => rounds.push(each) });
  await vi.advanceTimersByTimeAsync(2600);
  expect(partsFound()).toContain('expired');
  expect(rounds).toContainEqual({ expired: 3 });
  expect(sweep.age()).toBeLessThan(2000);
});

test('renews the lease during a round, and begins no step without the lease', async () => {
  let renewals = 0;
  let published = 0;
  const started = Promise.withResolvers<void>();
  const { sweep, partsFound } = start({
    overdue: async () => Array(150).fill(ref),
    async publish() {
      published++;
      await started.promise;
    },
    lease: async () => (renewals++ < 5 ? new Date() : undefined),
  });
  await vi.advanceTimersByTimeAsync(4500);
  expect(renewals).toBe(5);
  await vi.advanceTimersByTimeAsync(10_000);
  // Another process holds the lease now. This process stops after the group in progress.
  started.resolve();
  await vi.advanceTimersByTimeAsync(1000);
  expect(published).toBe(50);
  expect(partsFound()).toContain('unpublished');
  expect(sweep.age()).toBeLessThanOrEqual(1000);
});
