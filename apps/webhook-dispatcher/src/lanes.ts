import type {
  Deliveries,
  Lanes as LaneStore,
  LogClock,
  NewDelivery,
  QueuedDelivery,
} from '@chairside/mongodb';
import type { Deliver } from './deliver.ts';
import {
  type Claim,
  deadlineOf,
  enqueue,
  hasRoom,
  hasSlot,
  isClear,
  isFresh,
  isIdleFor,
  type Lane,
  learn,
  newLane,
  PAGE,
  takeStale,
  use,
} from './lane.ts';
import { createOpenLanes, RENEW_INTERVAL } from './open-lanes.ts';

/** The most attempts under way in one process. */
const MAX_ATTEMPTS = 400;
/** From so many on it is crowded: slow receivers leave room to others. */
const CROWD = 200;
/** The most Deliveries that a process has claimed and not ended. */
const MAX_CLAIMED = 1000;
/** The most outcomes that wait to be stored: beyond it no attempt begins. */
const MAX_UNSTORED = 1000;
/** How often claims that wait for too long are looked for, in milliseconds. */
const CLAIM_CHECK_INTERVAL = 500;
/** While we reach nobody: how often one Delivery is tried, in milliseconds. */
const PROBE_INTERVAL = 1000;
/** How long a lane rests after the database failed it, in milliseconds. */
const REST = 1000;

/** Who may send now: a lane for each subscription, a cap for each and for all. */
export type Lanes = {
  /**
   * Stores new Deliveries and sends them. Those for which there is room are claimed as they are stored.
   *
   * @param clock a recent time of the database
   * @returns resolves when they are stored and the database knows that their lanes are open
   */
  accept(deliveries: readonly NewDelivery[], clock: LogClock): Promise<void>;
  /** Has the lanes of these subscriptions look for what waits; resolves when the database knows that they are open. */
  open(subscriptionIds: readonly string[]): Promise<void>;
  /** Goes on after an outage. */
  resume(): void;
  /** From now on no attempt begins: what is accepted waits for another process. */
  pause(): void;
  /** After `pause`: resolves when what is under way has ended and what waits is in the hands of other processes. */
  stop(): Promise<void>;
};

export type LanesOptions = {
  worker: string;
  lanes: LaneStore;
  deliveries: Pick<Deliveries, 'insert' | 'queued'>;
  deliver: Deliver;
  /** Whether we reach nobody: then nothing is claimed but one Delivery a second. */
  isOut(): boolean;
  onError(error: unknown): void;
};

export const createLanes = (options: LanesOptions): Lanes => {
  const { worker, deliveries, deliver, isOut, onError } = options;
  const lanes = new Map<string, Lane>();
  /** Lanes that could go on if the process were not at its cap or without a way out, first come first served. */
  const waiting = new Set<Lane>();
  let attempts = 0;
  let claims = 0;
  let unstored = 0;
  let stopping = false;
  let whenIdle = () => {};

  const canBegin = () => attempts < MAX_ATTEMPTS && unstored < MAX_UNSTORED && !isOut();
  const canClaim = () => claims < MAX_CLAIMED && !isOut();

  const take = (lane: Lane, id: string): void => {
    lane.inHand.add(id);
    claims++;
  };
  const leave = (lane: Lane, id: string): void => {
    lane.inHand.delete(id);
    claims--;
    use(lane, performance.now());
    next();
    pump(lane);
  };

  /** Something has ended: goes on with whoever waited for that. */
  const next = (): void => {
    if (stopping && claims + unstored === 0) whenIdle();
    if (!canBegin()) return;
    // Until one goes on: that leaves no more room than has just become free.
    for (const lane of [...waiting]) {
      waiting.delete(lane);
      if (pump(lane)) return;
    }
  };

  const rest = (lane: Lane, error: unknown): void => {
    onError(error);
    lane.more = true;
    if (lane.resting) return;
    lane.resting = true;
    setTimeout(() => {
      lane.resting = false;
      pump(lane);
    }, REST);
  };

  const readPage = async (lane: Lane): Promise<void> => {
    lane.reading = true;
    lane.more = false;
    try {
      const found = await deliveries.queued(lane.subscriptionId, PAGE);
      lane.page = found.filter(({ _id }) => !lane.inHand.has(_id));
      if (found.length === PAGE) lane.more = true;
    } catch (error) {
      rest(lane, error);
    }
    lane.reading = false;
    pump(lane);
  };

  const claimNext = async (lane: Lane): Promise<Claim | undefined> => {
    const waiting = lane.page.shift() as QueuedDelivery;
    // The page may have been read while this one was being stored, and have it twice.
    if (lane.inHand.has(waiting._id)) return undefined;
    const claimedAt = performance.now();
    take(lane, waiting._id);
    try {
      const delivery = await deliver.claim(waiting);
      if (delivery !== undefined) return { delivery, claimedAt, readyAt: performance.now() };
    } catch (error) {
      rest(lane, error);
    }
    leave(lane, waiting._id);
    return undefined;
  };

  const giveBack = async (lane: Lane, { delivery }: Claim): Promise<void> => {
    await deliver.giveBack(delivery).catch(onError);
    lane.more = true;
    leave(lane, delivery._id);
  };

  /** Has a claim wait for its attempt. */
  const hold = (lane: Lane, claim: Claim): void => {
    if (stopping) return void giveBack(lane, claim);
    lane.ready.push({ ...claim, readyAt: performance.now() });
    pump(lane);
  };

  const begin = async (lane: Lane, claim: Claim): Promise<void> => {
    if (stopping || !isFresh(claim, performance.now())) return giveBack(lane, claim);
    const begun = performance.now();
    lane.underWay++;
    attempts++;
    try {
      const { timedOut, unsent, stored } = await deliver.send(claim.delivery, deadlineOf(claim));
      void keep(stored);
      if (unsent) lane.more = true;
      learn(lane, timedOut, performance.now() - begun);
    } catch (error) {
      rest(lane, error);
    }
    lane.underWay--;
    attempts--;
    leave(lane, claim.delivery._id);
  };

  /** A success holds no slot while it is stored: the receiver waits for nothing more. */
  const keep = async (stored: Promise<void>): Promise<void> => {
    unstored++;
    await stored.catch(onError);
    unstored--;
    next();
  };

  /** @returns whether anything was begun or claimed */
  const pump = (lane: Lane): boolean => {
    let hasGoneOn = false;
    if (stopping) return hasGoneOn;
    while (lane.ready.length > 0 && hasSlot(lane, attempts >= CROWD) && canBegin()) {
      void begin(lane, lane.ready.shift() as Claim);
      hasGoneOn = true;
    }
    while (lane.page.length > 0 && hasRoom(lane) && canClaim()) {
      void claimNext(lane).then((claim) => claim && hold(lane, claim));
      hasGoneOn = true;
    }
    if ((lane.ready.length > 0 && !canBegin()) || (lane.page.length > 0 && !canClaim())) waiting.add(lane);
    if (lane.page.length === 0 && lane.more && !lane.reading && !lane.resting) {
      // Who could not claim leaves what waits in the database.
      if (claims < MAX_CLAIMED) void readPage(lane);
      else waiting.add(lane);
    }
    return hasGoneOn;
  };

  const laneOf = (subscriptionId: string): Lane => {
    const lane = lanes.get(subscriptionId) ?? newLane(subscriptionId, performance.now());
    lanes.set(subscriptionId, lane);
    use(lane, performance.now());
    return lane;
  };

  const closeIdle = (): string[] => {
    const idle = [...lanes.values()].filter((lane) => isIdleFor(lane, RENEW_INTERVAL, performance.now()));
    const [finished, unsure] = [
      idle.filter(({ hasLooked }) => hasLooked),
      idle.filter((lane) => !lane.hasLooked),
    ];
    // Once more before it is closed: what it might have missed would wait for good.
    for (const lane of unsure) {
      lane.hasLooked = true;
      lane.more = true;
      pump(lane);
    }
    for (const { subscriptionId } of finished) lanes.delete(subscriptionId);
    return finished.map(({ subscriptionId }) => subscriptionId);
  };
  const openLanes = createOpenLanes(worker, options.lanes, closeIdle, onError);

  const claimTimer = setInterval(() => {
    for (const lane of lanes.values())
      for (const claim of takeStale(lane, performance.now())) void giveBack(lane, claim);
  }, CLAIM_CHECK_INTERVAL);

  const probe = async (): Promise<void> => {
    const lane = [...waiting].find(({ page }) => page.length > 0);
    if (lane === undefined) return;
    // Another one the next time: the first may be gone for good.
    waiting.delete(lane);
    waiting.add(lane);
    const claim = await claimNext(lane);
    if (claim !== undefined) await begin(lane, claim);
  };
  const probeTimer = setInterval(() => {
    if (isOut() && !stopping) void probe();
  }, PROBE_INTERVAL);

  /** Those that may be claimed as they are stored: where nothing waits that was there before, as far as there is room. */
  const reserve = (fresh: readonly NewDelivery[], token: string): Map<string, Claim> => {
    const claimedAt = performance.now();
    const reserved = new Map<string, Claim>();
    for (const { skip, redeliveryOf, claim, ...delivery } of fresh) {
      const lane = laneOf(delivery.subscriptionId);
      if (stopping || !isClear(lane) || !hasRoom(lane) || !canClaim() || lane.inHand.has(delivery._id))
        continue;
      take(lane, delivery._id);
      reserved.set(delivery._id, { delivery: { ...delivery, token }, claimedAt, readyAt: claimedAt });
    }
    return reserved;
  };

  return {
    async accept(fresh, { time, readAt }) {
      const sendable = fresh.filter(({ skip }) => skip === undefined);
      const subscriptionIds = [...new Set(sendable.map(({ subscriptionId }) => subscriptionId))];
      const token = crypto.randomUUID();
      const reserved = reserve(sendable, token);
      const claim = { token, worker, claimedAt: new Date(time.getTime() + performance.now() - readAt) };
      const [inserted, opened] = await Promise.allSettled([
        deliveries.insert(
          fresh.map((delivery) => (reserved.has(delivery._id) ? { ...delivery, claim } : delivery)),
          new Date(),
        ),
        openLanes.ensure(subscriptionIds),
      ]);
      for (const delivery of sendable) {
        const lane = laneOf(delivery.subscriptionId);
        const own = reserved.get(delivery._id);
        if (inserted.status === 'rejected') {
          // It may be stored all the same.
          if (own !== undefined) void giveBack(lane, own);
        } else if (inserted.value.has(delivery._id)) {
          lane.more = true;
          if (own !== undefined) leave(lane, delivery._id);
        } else if (own !== undefined) hold(lane, own);
        else enqueue(lane, delivery);
      }
      for (const id of subscriptionIds) pump(laneOf(id));
      for (const result of [inserted, opened]) if (result.status === 'rejected') throw result.reason;
      // Once more, in case that took so long that a lane was closed meanwhile.
      await openLanes.ensure(subscriptionIds);
    },

    async open(subscriptionIds) {
      for (const id of subscriptionIds) laneOf(id);
      try {
        await openLanes.ensure(subscriptionIds);
      } finally {
        // Also if the database fails now.
        for (const id of subscriptionIds) {
          const lane = laneOf(id);
          lane.more = true;
          pump(lane);
        }
      }
    },

    resume() {
      const held = [...waiting];
      waiting.clear();
      for (const lane of held) pump(lane);
    },

    pause() {
      stopping = true;
      clearInterval(claimTimer);
      clearInterval(probeTimer);
      for (const lane of lanes.values()) for (const claim of lane.ready.splice(0)) void giveBack(lane, claim);
    },

    async stop() {
      if (claims + unstored > 0) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      }
      await openLanes.handOver().catch(onError);
    },
  };
};
