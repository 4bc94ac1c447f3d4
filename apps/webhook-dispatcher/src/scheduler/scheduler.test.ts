import type { ClaimedDelivery, LaneRef, QueuedDelivery } from '@chairside/mongodb/dispatch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Delivered } from '../delivery/deliver.ts';
import { Scheduler, type SchedulerOptions } from './scheduler.ts';

/** Maximum number of attempts of a process for unknown and for slow receivers. */
const [UNKNOWN, SLOW] = [200, 300];

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setInterval'] }));
afterEach(() => void vi.useRealTimers());

/** The organization of a subscription is what follows the `@` in its name. Without one it has an organization of its own. */
const laneOf = (subscriptionId: string): LaneRef => ({
  subscriptionId,
  organizationId: subscriptionId.split('@')[1] ?? subscriptionId,
});
const lanesOf = (subscriptionIds: readonly string[]): LaneRef[] => subscriptionIds.map(laneOf);

const deliveryOf = (subscriptionId: string, _id: string): QueuedDelivery => ({
  ...laneOf(subscriptionId),
  _id,
  clinicId: 'c',
  eventId: 'e',
  event: 'patient.created',
  kind: 'event',
  createdTime: new Date(0),
  bodyBytes: 1000,
});

/**
 * A scheduler whose subscriptions have endless backlogs, except those whose name begins with `empty`. Attempts end when
 * the test calls `endAll`.
 */
const openScheduler = (
  isOut = () => false,
  { attempted = true, failuresOf = (_subscriptionId: string): number => 0 } = {},
) => {
  const inFlight = new Map<string, () => void>();
  const looked = new Set<string>();
  const pages: number[] = [];
  const looking = { now: 0, most: 0 };
  let made = 0;
  const deliveredTo = (subscriptionId: string): Delivered => ({
    attempted,
    isWithheld: false,
    timedOut: false,
    failures: failuresOf(subscriptionId),
    requeued: [],
    stored: Promise.resolve(),
  });
  const options: SchedulerOptions = {
    worker: 'w',
    isHolding: false,
    lanes: {
      keepOpen: async () => {},
      close: async () => {},
      handOver: async () => {},
    },
    deliveries: {
      insert: async () => new Set(),
      lanesOf: async () => [],
      requested: async () => [],
      async queued(id, count) {
        looked.add(id);
        pages.push(count);
        looking.most = Math.max(looking.most, ++looking.now);
        await new Promise(setImmediate);
        looking.now--;
        if (id.startsWith('empty')) return [];
        return Array.from({ length: count }, () => deliveryOf(id, `${id} ${made++}`));
      },
    },
    deliver: {
      claim: async (delivery) => ({ ...delivery, token: 't' }),
      send: (delivery: ClaimedDelivery) =>
        new Promise((resolve) =>
          inFlight.set(delivery._id, () => resolve(deliveredTo(delivery.subscriptionId))),
        ),
      requeue: async () => {},
    },
    permits: {
      async take() {
        throw new Error('no subscription is slowed down');
      },
      async giveBack() {},
    },
    isOut,
    dispatchers: () => 1,
    onError(error) {
      throw error;
    },
  };
  return {
    scheduler: new Scheduler(options),
    permits: options.permits,
    inFlight,
    /** The subscriptions whose lanes have read their backlog. */
    looked,
    looking,
    /** The page size of each read. */
    pages,
    endAll() {
      const ends = [...inFlight.values()];
      inFlight.clear();
      for (const end of ends) end();
    },
  };
};

/** Gives pending promises time to settle. */
const settle = async () => {
  for (let round = 0; round < 50; round++) await new Promise(setImmediate);
};

test('sends to a new receiver at once, however many receivers are slow', async () => {
  const { scheduler, inFlight, endAll } = openScheduler();
  await scheduler.open(lanesOf(Array.from({ length: 500 }, (_, index) => `slow ${index}`)));
  await settle();
  // All receivers are unknown.
  expect(inFlight.size).toBe(UNKNOWN);
  for (let round = 0; round < 20; round++) {
    vi.advanceTimersByTime(5000);
    await settle();
    endAll();
    await settle();
  }
  expect(inFlight.size).toBe(SLOW);

  await scheduler.accept([deliveryOf('another', 'new')]);
  await settle();
  expect(inFlight.has('new')).toBe(true);
  scheduler.pause();
});

test('sends at once to a receiver that has responded before, however many unknown receivers hang', async () => {
  const { scheduler, inFlight, endAll } = openScheduler();
  const accept = async (id: string) => {
    await scheduler.accept([deliveryOf('empty', id)]);
    await settle();
  };
  await accept('first');
  endAll();
  // During these renewals, the lane of the receiver is closed.
  for (let renewal = 0; renewal < 4; renewal++) {
    await settle();
    vi.advanceTimersByTime(10_000);
  }
  await scheduler.open(lanesOf(Array.from({ length: 500 }, (_, index) => `hanging ${index}`)));
  await settle();
  expect(inFlight.size).toBe(UNKNOWN);
  await accept('second');
  expect(inFlight.has('second')).toBe(true);
  scheduler.pause();
});

test('tries one delivery a second in an outage, even if it is only in the database', async () => {
  let out = true;
  const { scheduler, inFlight, endAll } = openScheduler(() => out);
  await scheduler.open(lanesOf(['a', 'b']));
  await settle();
  expect(inFlight.size).toBe(0);
  for (let second = 0; second < 3; second++) {
    vi.advanceTimersByTime(1000);
    await settle();
    expect(inFlight.size).toBe(1);
    endAll();
    await settle();
  }
  out = false;
  scheduler.resume();
  await settle();
  expect([...inFlight.keys()].map((id) => id.slice(0, 1))).toEqual(expect.arrayContaining(['a', 'b']));
  scheduler.pause();
});

test('tries every waiting lane in turn in an outage, with a page or without', async () => {
  let out = false;
  const { scheduler, inFlight, endAll } = openScheduler(() => out);
  await scheduler.accept([deliveryOf('known', 'first')]);
  await settle();
  endAll();
  await settle();

  out = true;
  await scheduler.open(lanesOf(['new', 'known']));
  await settle();
  const tried: (string | undefined)[] = [];
  for (let second = 0; second < 4; second++) {
    vi.advanceTimersByTime(1000);
    await settle();
    tried.push(...[...inFlight.keys()].map((id) => id.split(' ')[0]));
    endAll();
    await settle();
  }
  expect(tried).toEqual(['new', 'known', 'new', 'known']);
  scheduler.pause();
});

test('in an outage, tries a lane that had no room to read its backlog', async () => {
  let out = false;
  const { scheduler, inFlight, endAll } = openScheduler(() => out);
  await scheduler.open(lanesOf(Array.from({ length: UNKNOWN / 4 }, (_, index) => `gone ${index}`)));
  await settle();
  expect(inFlight.size).toBe(UNKNOWN);
  await scheduler.open(lanesOf(['late']));
  out = true;
  endAll();
  await settle();
  let isTried = false;
  for (let second = 0; second < 60; second++) {
    vi.advanceTimersByTime(1000);
    await settle();
    isTried ||= [...inFlight.keys()].some((id) => id.startsWith('late'));
    endAll();
    await settle();
  }
  expect(isTried).toBe(true);
  scheduler.pause();
});

test('lets waiting lanes read their backlog only while there is room', async () => {
  const { scheduler, endAll, looked } = openScheduler();
  await scheduler.open(lanesOf(Array.from({ length: UNKNOWN / 4 }, (_, index) => `first ${index}`)));
  await settle();
  await scheduler.open(lanesOf(Array.from({ length: 5000 }, (_, index) => `late ${index}`)));
  await settle();
  expect(looked.size).toBe(UNKNOWN / 4);
  endAll();
  await settle();
  // One lane reads its backlog when an attempt ends, and one when its outcome is stored.
  expect(looked.size).toBeGreaterThan(UNKNOWN / 2);
  expect(looked.size).toBeLessThanOrEqual(UNKNOWN / 4 + 2 * UNKNOWN);
  scheduler.pause();
});

test('if the backlog of a lane is empty, the next lane uses its room', async () => {
  const { scheduler, endAll, inFlight } = openScheduler();
  await scheduler.open(lanesOf(Array.from({ length: UNKNOWN / 4 }, (_, index) => `first ${index}`)));
  await settle();
  await scheduler.open(lanesOf([...Array.from({ length: 1000 }, (_, index) => `empty ${index}`), 'last']));
  await settle();
  endAll();
  await expect.poll(() => [...inFlight.keys()].some((id) => id.startsWith('last'))).toBe(true);
  scheduler.pause();
});

test('reads at most twenty backlogs at the same time', async () => {
  const { scheduler, looked, looking } = openScheduler();
  await scheduler.open(lanesOf(Array.from({ length: 1000 }, (_, index) => `late ${index}`)));
  await expect.poll(() => looked.size).toBe(1000);
  expect(looking.most).toBe(20);
  scheduler.pause();
});

test('a lane that waits for room gets its turn while others always have more to send', async () => {
  const { scheduler, endAll, inFlight } = openScheduler();
  const started = new Set<string>();
  const open = async (name: string, count: number) => {
    await scheduler.open(lanesOf(Array.from({ length: count }, (_, index) => `${name}-${index}`)));
    await settle();
  };
  await open('first', UNKNOWN / 4);
  await open('late', 2000);
  for (let round = 0; round < 40; round++) {
    for (const id of inFlight.keys()) started.add(id.slice(0, id.indexOf(' ')));
    vi.advanceTimersByTime(100);
    endAll();
    await settle();
  }
  expect(inFlight.size).toBe(600);
  expect(started.size).toBe(UNKNOWN / 4 + 2000);
  scheduler.pause();
});

test.each([
  ['unknown', 0, UNKNOWN / 2, 4],
  ['slow', 20, SLOW / 2, 12],
] as const)(
  'an organization with many %s receivers leaves half of the room, and the receiver of another one is sent all that it takes',
  async (_speed, rounds, share, most) => {
    const { scheduler, inFlight, endAll } = openScheduler();
    const ofAll = (end: string) =>
      [...inFlight.keys()].filter((id) => id.split(' ')[0]?.endsWith(end)).length;
    const round = async () => {
      vi.advanceTimersByTime(2000);
      await settle();
      endAll();
      await settle();
    };
    await scheduler.open(lanesOf(Array.from({ length: 200 }, (_, index) => `${index}@greedy`)));
    await settle();
    for (let done = 0; done < rounds; done++) await round();
    expect(ofAll('@greedy')).toBe(share);
    await scheduler.open(lanesOf(['one@other']));
    await settle();
    if (rounds > 0) await round();
    expect(ofAll('@other')).toBe(most);
    scheduler.pause();
  },
);

test('organizations take turns while there is no room', async () => {
  const { scheduler, inFlight } = openScheduler();
  const accept = async (subscriptionIds: string[]) => {
    await scheduler.accept(subscriptionIds.map((id) => deliveryOf(id, `${id} new`)));
    await settle();
  };
  const ofMany = (name: string) => Array.from({ length: 200 }, (_, index) => `${index}@${name}`);
  await accept([...ofMany('a'), ...ofMany('b')]);
  expect(inFlight.size).toBe(UNKNOWN);
  // A hundred lanes of each of the two wait.
  await accept(['one@c']);
  for (const [id, end] of [...inFlight].slice(0, 3)) {
    inFlight.delete(id);
    end();
    await settle();
  }
  expect([...inFlight.keys()]).toContain('one@c new');
  scheduler.pause();
});

test('after a restart, organizations take turns although their lanes have not read their backlogs', async () => {
  const { scheduler, inFlight } = openScheduler();
  const ofMany = (name: string) => Array.from({ length: 1000 }, (_, index) => `${index}@${name}`);
  await scheduler.open(lanesOf(ofMany('a').slice(0, 200)));
  await scheduler.open(lanesOf(ofMany('b').slice(0, 200)));
  await settle();
  expect(inFlight.size).toBe(UNKNOWN);
  // The process has no room, so these lanes wait before they read.
  await scheduler.open(lanesOf([...ofMany('a'), ...ofMany('b')]));
  await scheduler.open(lanesOf(['one@c']));
  const isOfC = (id: string) => id.startsWith('one@c ');
  let ended = 0;
  for (const [id, end] of [...inFlight]) {
    if ([...inFlight.keys()].some(isOfC)) break;
    inFlight.delete(id);
    end();
    ended++;
    await settle();
  }
  // Each organization has at most two turns before: one to read a page, and one to claim.
  expect(ended).toBeLessThanOrEqual(6);
  expect([...inFlight.keys()].some(isOfC)).toBe(true);
  scheduler.pause();
});

test('room that a lane without its permit does not use goes to another one', async () => {
  const { scheduler, permits, inFlight } = openScheduler(undefined, {
    attempted: false,
    failuresOf: (id) => (id.startsWith('slowed') ? 5 : 0),
  });
  permits.take = async () => ({
    isTaken: false,
    token: '',
    consecutiveFailures: 5,
    pauseMs: 0,
    otherMs: 60_000,
  });
  const accept = (id: string) => scheduler.accept([deliveryOf(id, `${id} new`)]);
  const end = (id: string) => {
    inFlight.get(id)?.();
    inFlight.delete(id);
  };
  await scheduler.open(lanesOf(['slowed-1', 'slowed-2']));
  for (let index = 0; index < 4; index++) await accept(`empty-${index}@one`);
  await settle();
  for (const id of [...inFlight.keys()]) if (id.startsWith('slowed')) end(id);
  await settle();
  const open = (name: string, count: number) =>
    scheduler.open(lanesOf(Array.from({ length: count }, (_, index) => `${index}@${name}`)));
  await open('one', 24);
  await open('two', 25);
  await settle();
  expect(inFlight.size).toBe(UNKNOWN);
  // The two lanes ask for their permits again, and wait for room before the third one.
  vi.advanceTimersByTime(1000);
  await settle();
  await accept('honest');
  end('empty-0@one new');
  await settle();
  expect([...inFlight.keys()]).toContain('honest new');
  scheduler.pause();
});

test('the more lanes there are, the smaller their pages', async () => {
  const { scheduler, pages } = openScheduler();
  await scheduler.open(lanesOf(['first']));
  await settle();
  expect(pages.at(-1)).toBe(200);
  await scheduler.open(lanesOf(Array.from({ length: 10_000 }, (_, index) => `lane ${index}`)));
  await settle();
  expect(pages.at(-1)).toBe(20);
  scheduler.pause();
});

test.each([
  [true, 12],
  [false, 4],
])(
  'learns about a receiver from attempts, not from skipped deliveries (attempted: %s)',
  async (attempted, most) => {
    const { scheduler, inFlight, endAll } = openScheduler(undefined, { attempted });
    await scheduler.open(lanesOf(['a']));
    await settle();
    expect(inFlight.size).toBe(4);
    endAll();
    await settle();
    expect(inFlight.size).toBe(most);
    scheduler.pause();
  },
);

test('a permit that is granted during a shutdown is given back before the shutdown ends', async () => {
  const { scheduler, inFlight, endAll, permits } = openScheduler(undefined, { failuresOf: () => 5 });
  const asked = Promise.withResolvers<Parameters<typeof permits.take>[0]>();
  const granted = Promise.withResolvers<void>();
  const givenBack: string[] = [];
  permits.take = async (request) => {
    asked.resolve(request);
    await granted.promise;
    return { isTaken: true, token: 'permit', consecutiveFailures: 5, pauseMs: 0, otherMs: 0 };
  };
  permits.giveBack = async (_id, token) => void givenBack.push(token);
  await scheduler.open(lanesOf(['slowed']));
  await settle();
  expect(inFlight.size).toBe(4);
  endAll();
  await asked.promise;

  scheduler.pause();
  const stopped = scheduler.stop().then(() => [...givenBack]);
  await settle();
  granted.resolve();
  expect(await stopped).toEqual(['permit']);
});
