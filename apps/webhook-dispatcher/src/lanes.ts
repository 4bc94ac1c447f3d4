import type { Deliveries, Lanes as LaneStore } from '@chairside/mongodb';
import type { Delivered } from './deliver.ts';

/** The most attempts under way for one subscription, and for all, in one process. */
const MAX_ATTEMPTS_PER_LANE = 20;
const MAX_ATTEMPTS = 400;
/** The most outcomes that wait to be stored: beyond it no attempt begins. */
const MAX_UNSTORED = 1000;
/** How many ids a lane reads at once. */
const PAGE = 200;
/** How often open lanes are renewed and idle ones closed, in milliseconds. */
const RENEW_INTERVAL = 10_000;
/** While we reach nobody: how often one Delivery is tried, in milliseconds. */
const PROBE_INTERVAL = 1000;
/** How long a lane rests after the database failed it, in milliseconds. */
const REST = 1000;

type Lane = {
  subscriptionId: string;
  page: string[];
  underWay: Set<string>;
  /** Shrinks when the receiver keeps timing out, grows back when it answers. */
  cap: number;
  /** Whether there may be Deliveries that are not in the page. */
  more: boolean;
  reading: boolean;
  usedAt: number;
};

/** Who may send now: a lane for each subscription, a cap for each and for all. */
export type Lanes = {
  /** Opens lanes or wakes open ones; resolves when the database knows of them. */
  open(subscriptionIds: readonly string[]): Promise<void>;
  /** Goes on after an outage. */
  resume(): void;
  /** Starts nothing more, resolves when what is under way has ended, and hands what waits to other processes. */
  stop(): Promise<void>;
};

export type LanesOptions = {
  worker: string;
  lanes: LaneStore;
  deliveries: Pick<Deliveries, 'queued'>;
  /** Claims and sends one Delivery. */
  deliver(id: string): Promise<Delivered>;
  /** Whether we reach nobody: then nothing is claimed but one Delivery a second. */
  isOut(): boolean;
  onError(error: unknown): void;
};

export const createLanes = (options: LanesOptions): Lanes => {
  const { worker, lanes: store, deliveries, deliver, isOut, onError } = options;
  const lanes = new Map<string, Lane>();
  /** Lanes that could send if the process were not at its cap or without a way out, first come first served. */
  const waiting = new Set<Lane>();
  let attempts = 0;
  let unstored = 0;
  let stopping = false;
  let whenIdle = () => {};
  /** Opening and closing reach the database in turn, so that a lane is never open here and closed there. */
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };

  const readPage = async (lane: Lane): Promise<void> => {
    lane.reading = true;
    lane.more = false;
    try {
      const ids = await deliveries.queued(lane.subscriptionId, PAGE);
      lane.page = ids.filter((id) => !lane.underWay.has(id));
      if (ids.length === PAGE) lane.more = true;
    } catch (error) {
      onError(error);
      lane.more = true;
      await new Promise((resolve) => setTimeout(resolve, REST));
    } finally {
      lane.reading = false;
    }
    pump(lane);
  };

  const run = async (lane: Lane, id: string): Promise<void> => {
    lane.underWay.add(id);
    attempts++;
    try {
      const { timedOut, unsent, stored } = await deliver(id);
      void keep(stored);
      if (unsent) lane.more = true;
      lane.cap = timedOut ? Math.max(1, lane.cap >> 1) : Math.min(MAX_ATTEMPTS_PER_LANE, lane.cap + 1);
    } catch (error) {
      onError(error);
      lane.more = true;
      await new Promise((resolve) => setTimeout(resolve, REST));
    } finally {
      lane.underWay.delete(id);
      attempts--;
      lane.usedAt = Date.now();
    }
    next();
    pump(lane);
  };

  /** A success holds no slot while it is stored: the receiver waits for nothing more. */
  const keep = async (stored: Promise<void>): Promise<void> => {
    unstored++;
    await stored.catch(onError);
    unstored--;
    next();
  };

  /** Something has ended: goes on with whoever waited for that. */
  const next = (): void => {
    if (stopping && attempts + unstored === 0) whenIdle();
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    pump(first);
  };

  const pump = (lane: Lane): void => {
    while (!stopping && lane.underWay.size < lane.cap) {
      if (lane.page.length === 0) {
        if (lane.more && !lane.reading) void readPage(lane);
        return;
      }
      if (attempts >= MAX_ATTEMPTS || unstored >= MAX_UNSTORED || isOut()) {
        waiting.add(lane);
        return;
      }
      void run(lane, lane.page.shift() as string);
    }
  };

  const renew = async (): Promise<void> => {
    const idle = [...lanes.values()].filter(
      ({ more, page, underWay, usedAt }) =>
        !more && page.length === 0 && underWay.size === 0 && Date.now() - usedAt >= RENEW_INTERVAL,
    );
    for (const { subscriptionId } of idle) lanes.delete(subscriptionId);
    if (idle.length > 0)
      await store.close(
        worker,
        idle.map(({ subscriptionId }) => subscriptionId),
      );
    await store.keepOpen(worker, [...lanes.keys()]);
  };
  const timer = setInterval(() => inTurn(renew).catch(onError), RENEW_INTERVAL);

  const resume = (): void => {
    const held = [...waiting];
    waiting.clear();
    for (const lane of held) pump(lane);
  };
  const probeTimer = setInterval(() => {
    if (!isOut() || stopping) return;
    const lane = [...waiting].find(({ page }) => page.length > 0);
    if (lane === undefined) return;
    // Another one the next time: the first may be gone for good.
    waiting.delete(lane);
    waiting.add(lane);
    void run(lane, lane.page.shift() as string);
  }, PROBE_INTERVAL);

  const openNew = async (subscriptionIds: readonly string[]): Promise<void> => {
    const fresh = subscriptionIds.filter((id) => !lanes.has(id));
    if (fresh.length === 0) return;
    await store.keepOpen(worker, fresh);
    for (const subscriptionId of fresh) {
      lanes.set(subscriptionId, {
        subscriptionId,
        page: [],
        underWay: new Set(),
        cap: MAX_ATTEMPTS_PER_LANE,
        more: false,
        reading: false,
        usedAt: Date.now(),
      });
    }
  };

  return {
    async open(subscriptionIds) {
      const areOpen = () => subscriptionIds.every((id) => lanes.has(id));
      if (!areOpen()) await inTurn(() => openNew(subscriptionIds));
      for (const id of subscriptionIds) {
        const lane = lanes.get(id);
        if (lane === undefined) continue;
        lane.more = true;
        lane.usedAt = Date.now();
        pump(lane);
      }
    },

    resume,

    async stop() {
      stopping = true;
      clearInterval(timer);
      clearInterval(probeTimer);
      if (attempts + unstored > 0) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      }
      await inTurn(() => store.handOver(worker));
    },
  };
};
