import {
  type ClaimedDelivery,
  distinctLanes,
  type NewDelivery,
  type QueuedDelivery,
} from '@chairside/mongodb/dispatch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Scheduler, type SchedulerOptions } from './scheduler.ts';

const SUBSCRIPTIONS = 300;
/** How long the faults last, and how long the deliveries may take to end afterwards, in seconds. */
const [TROUBLE, END] = [10, 600];
const STEP = 50;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'setInterval'] }));
afterEach(() => void vi.useRealTimers());

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const pass = async () => {
  vi.advanceTimersByTime(STEP);
  for (let round = 0; round < 6; round++) await new Promise(setImmediate);
};

/** A generator of numbers between 0 and 1. The same seed gives the same numbers. */
const randomOf = (seed: number) => {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
};

/**
 * The current faults: the share of database operations that fail, their delay in milliseconds, whether there is an
 * outage of the service, and the share of deliveries whose data cannot be read.
 */
type Trouble = { failing: number; delay: number; out: boolean; unreadable: number };

/** A database in memory that may be slow, fail, or fail after it has executed an operation. */
const openDatabase = (random: () => number, trouble: Trouble) => {
  const stored = new Map<
    string,
    QueuedDelivery & { status: 'queued' | 'sending' | 'done'; token?: string }
  >();
  let tokens = 0;

  const ask = async <T>(work: () => T): Promise<T> => {
    await sleep(trouble.delay * random());
    const fails = random() < trouble.failing;
    if (fails && random() < 0.5) throw new Error('unreachable');
    const result = work();
    if (fails) throw new Error('unreachable');
    await sleep(trouble.delay * random());
    return result;
  };
  const insist = async (work: () => void): Promise<void> => {
    while (!(await ask(() => [work()]).catch(() => undefined))) await sleep(1000);
  };

  const finish = ({ _id, token }: ClaimedDelivery) =>
    insist(() => {
      const found = stored.get(_id);
      if (found?.token === token) stored.set(_id, { ...found, status: 'done' });
    });
  const release = ({ _id, token }: ClaimedDelivery) =>
    insist(() => {
      const found = stored.get(_id);
      if (found?.token === token && found.status === 'sending')
        stored.set(_id, { ...found, status: 'queued' });
    });
  const claim = async (delivery: QueuedDelivery) => {
    const claimed = { ...delivery, token: String(tokens++) };
    try {
      return await ask(() => {
        if (stored.get(delivery._id)?.status !== 'queued') return undefined;
        stored.set(delivery._id, { ...claimed, status: 'sending' });
        return claimed;
      });
    } catch (error) {
      await release(claimed);
      throw error;
    }
  };

  const lanes: SchedulerOptions['lanes'] = {
    keepOpen: () => ask(() => {}),
    close: () => ask(() => {}),
    handOver: async () => {},
  };
  const deliveries: SchedulerOptions['deliveries'] = {
    insert: (fresh, createdTime) =>
      ask(() => {
        const there = new Set(fresh.filter(({ _id }) => stored.has(_id)).map(({ _id }) => _id));
        for (const { claim, ...delivery } of fresh.filter(({ _id }) => !there.has(_id)))
          stored.set(delivery._id, {
            ...delivery,
            createdTime,
            ...(claim ? { status: 'sending', token: claim.token } : { status: 'queued' }),
          });
        return there;
      }),
    lanesOf: (ids) => ask(() => distinctLanes(ids.flatMap((id) => stored.get(id) ?? []))),
    requested: async () => [],
    queued: (id, limit) =>
      ask(() =>
        [...stored.values()]
          .filter(({ subscriptionId, status }) => subscriptionId === id && status === 'queued')
          .slice(0, limit)
          .map(({ status, token, ...delivery }) => delivery),
      ),
  };
  return { stored, lanes, deliveries, claim, finish, release };
};

/** The failures after which a subscription is slowed down, and the number of its first attempts that fail. */
const [SLOWED, FAILING_ATTEMPTS] = [5, 12];
const isFailing = (subscriptionId: string): boolean => Number(subscriptionId) % 5 === 0;

/** A scheduler over receivers and a database that may fail. The first attempts at some receivers fail. */
const openWorld = (random: () => number) => {
  const trouble: Trouble = { failing: 0, delay: 2, out: false, unreadable: 0 };
  const { stored, lanes, deliveries, claim, finish, release } = openDatabase(random, trouble);
  const attempts = new Map<string, number>();
  const failures = new Map<string, number>();
  /** The holders of permits, and the attempts in flight of each subscription. */
  const permits = new Map<string, string>();
  const inFlight = new Map<string, number>();
  let mostAtOnce = 0;
  let tokens = 0;
  const failuresOf = (id: string): number => failures.get(id) ?? 0;
  const isSlowed = (id: string): boolean => failuresOf(id) >= SLOWED;
  const count = (id: string, change: number): number => {
    const now = (inFlight.get(id) ?? 0) + change;
    inFlight.set(id, now);
    return now;
  };
  /** @returns whether the attempt fails */
  const countAttempt = (id: string): boolean => {
    const fails = isFailing(id) && failuresOf(id) < FAILING_ATTEMPTS;
    failures.set(id, fails ? failuresOf(id) + 1 : 0);
    return fails;
  };
  const endPermit = (id: string, token: string | undefined): void => {
    if (permits.get(id) === token) permits.delete(id);
  };

  const send: SchedulerOptions['deliver']['send'] = async (delivery, { permit }) => {
    const { subscriptionId } = delivery;
    try {
      return await sendIn(delivery, permit);
    } finally {
      endPermit(subscriptionId, permit);
    }
  };
  const sendNothing = async (delivery: ClaimedDelivery) => {
    await release(delivery);
    const nothing = { attempted: false, isWithheld: false, timedOut: false, stored: Promise.resolve() };
    return { ...nothing, failures: failuresOf(delivery.subscriptionId), requeued: [delivery] };
  };
  const respond = async (subscriptionId: string, permit: string | undefined): Promise<void> => {
    const pace = Number(subscriptionId) % 7 === 0 ? 2500 : 50;
    const atOnce = count(subscriptionId, 1);
    if (permit !== undefined) mostAtOnce = Math.max(mostAtOnce, atOnce);
    await sleep(trouble.out ? 10 : pace);
    count(subscriptionId, -1);
  };
  const sendIn = async (delivery: ClaimedDelivery, permit: string | undefined) => {
    const { subscriptionId } = delivery;
    if (random() < trouble.unreadable) {
      await release(delivery);
      throw new Error('unreadable');
    }
    if (isSlowed(subscriptionId) && permit === undefined) return sendNothing(delivery);
    await respond(subscriptionId, permit);
    const ended = {
      attempted: true,
      isWithheld: false,
      timedOut: false,
      failures: failuresOf(subscriptionId),
      requeued: [],
      stored: Promise.resolve(),
    };
    if (trouble.out && random() < 0.95) {
      await release(delivery);
      return { ...ended, requeued: [delivery] };
    }
    attempts.set(delivery._id, (attempts.get(delivery._id) ?? 0) + 1);
    if (trouble.out) {
      trouble.out = false;
      scheduler.resume();
    }
    const fails = countAttempt(subscriptionId);
    const stored = finish(delivery);
    if (fails || permit !== undefined) await stored;
    return { ...ended, failures: failuresOf(subscriptionId), stored };
  };

  const scheduler = new Scheduler({
    worker: 'w',
    isHolding: false,
    lanes,
    deliveries,
    deliver: { claim, send, requeue: release },
    permits: {
      async take({ subscriptionId }) {
        await sleep(trouble.delay * random());
        if (random() < trouble.failing) throw new Error('unreachable');
        const token = String(tokens++);
        const isTaken = isSlowed(subscriptionId) && !permits.has(subscriptionId);
        if (isTaken) permits.set(subscriptionId, token);
        const consecutiveFailures = failuresOf(subscriptionId);
        return { isTaken, token, consecutiveFailures, pauseMs: 0, otherMs: isTaken ? 0 : 30_000 };
      },
      giveBack: async (subscriptionId, token) => endPermit(subscriptionId, token),
    },
    isOut: () => trouble.out,
    dispatchers: () => 1,
    onError() {},
  });
  return { scheduler, stored, attempts, trouble, permits, mostAtOnce: () => mostAtOnce };
};

test.each([1, 2, 3])(
  'sends each delivery once despite failures and delays, and leaves nothing after a stop (seed %i)',
  async (seed) => {
    const random = randomOf(seed);
    const { scheduler, stored, attempts, trouble, permits, mostAtOnce } = openWorld(random);
    let made = 0;
    const make = (): NewDelivery => {
      const subscription = Math.floor(SUBSCRIPTIONS * random() ** 2);
      return {
        _id: String(made++),
        organizationId: String(subscription % 5),
        clinicId: 'c',
        subscriptionId: String(subscription),
        eventId: 'e',
        event: 'patient.created',
        kind: 'event',
      };
    };
    /** Accepts deliveries. If this fails, tries again after a second, like the sweep. */
    const accept = async (fresh: readonly NewDelivery[]): Promise<void> => {
      await scheduler.accept(fresh).catch(() => sleep(1000).then(() => accept(fresh)));
    };

    for (let time = 0; time < TROUBLE * 1000; time += STEP) {
      if (random() < 0.05) trouble.failing = random() < 0.5 ? 0 : random() / 2;
      if (random() < 0.05) trouble.delay = random() < 0.7 ? 2 : 600 * random();
      if (random() < 0.05) trouble.unreadable = random() < 0.7 ? 0 : 0.2;
      if (random() < 0.02) trouble.out = true;
      void accept(Array.from({ length: Math.floor(40 * random()) }, make));
      await pass();
    }
    Object.assign(trouble, { failing: 0, delay: 2, unreadable: 0 });
    const isDone = () =>
      stored.size === made && [...stored.values()].every(({ status }) => status === 'done');
    for (let time = 0; time < END * 1000 && !isDone(); time += STEP) await pass();
    expect([...stored.values()].filter(({ status }) => status !== 'done')).toEqual([]);
    expect(attempts.size).toBe(made);
    expect([...attempts].filter(([, count]) => count !== 1)).toEqual([]);

    scheduler.pause();
    let isStopped = false;
    void scheduler.stop().then(() => {
      isStopped = true;
    });
    await pass();
    expect(isStopped).toBe(true);
    // At a subscription that is slowed down, the attempt of a permit is alone, and no permit is left.
    expect([mostAtOnce(), permits.size]).toEqual([1, 0]);
  },
);
