import type {
  Deliveries,
  Lanes as LaneStore,
  LogClock,
  NewDelivery,
  QueuedDelivery,
} from '@chairside/mongodb';
import { createAccept } from './accept.ts';
import { createCapacity } from './capacity.ts';
import type { Deliver } from './deliver.ts';
import {
  type Claim,
  deadlineOf,
  hasRoom,
  hasSlot,
  isFresh,
  isIdleFor,
  type Lane,
  learn,
  newLane,
  speedOf,
  takeStale,
  use,
} from './lane.ts';
import { createOpenLanes, RENEW_INTERVAL } from './open-lanes.ts';
import { createPages } from './pages.ts';
import { createWaiting } from './waiting.ts';

/** How often claims that wait for too long are looked for, in milliseconds. */
const CLAIM_CHECK_INTERVAL = 500;
/** While we reach nobody: how often one Delivery is tried, in milliseconds. */
const PROBE_INTERVAL = 1000;
/** How long a lane rests after the database failed it, in milliseconds. */
const REST = 1000;

/** What the body of a Delivery counts for that does not say its size, in bytes: the largest that a write can make. */
const UNKNOWN_BYTES = 256 * 1024;

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
  const capacity = createCapacity(isOut);
  const waiting = createWaiting(capacity, (lane) => pump(lane));
  const pages = createPages(deliveries, () => lanes.size);
  let stopping = false;
  let whenIdle = () => {};

  const hasRoomFor = (lane: Lane): boolean => hasRoom(lane, capacity.isCrowded());
  const mayClaim = (lane: Lane): boolean => capacity.mayClaim(speedOf(lane));

  const take = (lane: Lane, { _id, bodyBytes = UNKNOWN_BYTES }: QueuedDelivery): void => {
    lane.inHand.set(_id, capacity.claim(speedOf(lane), bodyBytes));
  };
  const leave = (lane: Lane, id: string): void => {
    lane.inHand.get(id)?.();
    lane.inHand.delete(id);
    use(lane, performance.now());
    next();
    pump(lane);
  };

  /** Something has ended: goes on with whoever waited for that. */
  const next = (): void => {
    if (stopping && capacity.isIdle()) whenIdle();
    waiting.goOn();
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
      const { page, more } = await pages.read(lane.subscriptionId);
      lane.page = page.filter(({ _id }) => !lane.inHand.has(_id));
      if (more) lane.more = true;
    } catch (error) {
      rest(lane, error);
    }
    lane.reading = false;
    // Another one takes the room that this one did not need after all.
    if (!pump(lane)) next();
  };

  const claimNext = async (lane: Lane): Promise<Claim | undefined> => {
    const queued = lane.page.shift() as QueuedDelivery;
    // The page may have been read while this one was being stored, and have it twice.
    if (lane.inHand.has(queued._id)) return undefined;
    const claimedAt = performance.now();
    take(lane, queued);
    try {
      const delivery = await deliver.claim(queued);
      if (delivery !== undefined) return { delivery, claimedAt, readyAt: performance.now() };
    } catch (error) {
      rest(lane, error);
    }
    leave(lane, queued._id);
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
    const attemptHasEnded = capacity.attempt();
    lane.underWay++;
    try {
      const { attempted, timedOut, unsent, stored } = await deliver.send(claim.delivery, deadlineOf(claim));
      void keep(stored);
      if (unsent) lane.more = true;
      if (attempted) learn(lane, timedOut, performance.now() - begun);
    } catch (error) {
      rest(lane, error);
    }
    lane.underWay--;
    attemptHasEnded();
    leave(lane, claim.delivery._id);
  };

  /** A success holds no slot while it is stored: the receiver waits for nothing more. */
  const keep = async (stored: Promise<void>): Promise<void> => {
    const isStored = capacity.outcome();
    await stored.catch(onError);
    isStored();
    next();
  };

  /** @returns whether anything was begun, claimed or read */
  const pump = (lane: Lane): boolean => {
    let hasGoneOn = false;
    if (stopping) return hasGoneOn;
    while (lane.ready.length > 0 && hasSlot(lane, capacity.isCrowded()) && capacity.mayBegin()) {
      void begin(lane, lane.ready.shift() as Claim);
      hasGoneOn = true;
    }
    while (lane.page.length > 0 && hasRoomFor(lane) && mayClaim(lane)) {
      void claimNext(lane).then((claim) => claim && hold(lane, claim));
      hasGoneOn = true;
    }
    if (lane.ready.length > 0 && !capacity.mayBegin()) waiting.toBegin(lane);
    const isToRead = lane.page.length === 0 && lane.more && !lane.reading && !lane.resting;
    // Who could not claim leaves what waits in the database, unless a probe needs to know of something.
    const mayRead = mayClaim(lane) || isOut();
    if (isToRead && mayRead) {
      void readPage(lane);
      hasGoneOn = true;
    } else if ((isToRead || lane.page.length > 0) && !mayClaim(lane)) waiting.toClaim(lane);
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
    const all = waiting.all();
    const unread = all.find(({ page, more }) => page.length === 0 && more);
    if (unread !== undefined) pump(unread);
    // Another one each time: the first may be gone for good.
    const known = all.filter(({ page }) => page.length > 0);
    const [lane] = known.toSorted((one, other) => one.triedAt - other.triedAt);
    if (lane === undefined) return;
    lane.triedAt = performance.now();
    const claim = await claimNext(lane);
    if (claim !== undefined) await begin(lane, claim);
  };
  const probeTimer = setInterval(() => {
    if (isOut() && !stopping) void probe();
  }, PROBE_INTERVAL);

  return {
    accept: createAccept({
      worker,
      deliveries,
      openLanes,
      hands: {
        laneOf,
        mayClaim: (lane) => !stopping && hasRoomFor(lane) && mayClaim(lane),
        take,
        leave,
        hold,
        giveBack,
        pump,
        pageSize: pages.size,
      },
    }),

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

    resume: waiting.goOnAll,

    pause() {
      stopping = true;
      clearInterval(claimTimer);
      clearInterval(probeTimer);
      for (const lane of lanes.values()) for (const claim of lane.ready.splice(0)) void giveBack(lane, claim);
    },

    async stop() {
      if (!capacity.isIdle()) {
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      }
      await openLanes.handOver().catch(onError);
    },
  };
};
