import { clock } from '@chairside/domain';
import {
  type Deliveries,
  distinctLanes,
  type LaneRef,
  type NewDelivery,
  type QueuedDelivery,
} from '@chairside/mongodb/dispatch';
import type { Permits } from '../delivery/attempt-permits.ts';
import type { Deliver } from '../delivery/deliver.ts';
import { Admission } from './admission.ts';
import {
  beginRest,
  type Claim,
  deadlineOf,
  enqueue,
  findStale,
  hasRoom,
  type InHand,
  isClear,
  isFresh,
  isRequestedNext,
  isSlowed,
  type Lane,
  learn,
  markArrived,
  markUnread,
  markWithheld,
  readyIn,
  speedOf,
  takePage,
  use,
} from './lane.ts';
import { LanePermits } from './lane-permits.ts';
import { createLaneRegistry, type LaneRegistry, type OpenLanes, RENEW_INTERVAL_MS } from './lane-registry.ts';
import { Lanes } from './lanes.ts';
import { type Action, nextAction, type Room, waitsFor } from './next-action.ts';
import { createQueuePages, type QueuePages } from './queue-pages.ts';
import { WaitingLanes } from './waiting-lanes.ts';

/** How often claims that have waited too long are looked for. */
const STALE_CHECK_INTERVAL_MS = 500;
/** How often one delivery is tried during an outage. */
const PROBE_INTERVAL_MS = 1000;
/** How long a lane rests after one of its database operations failed. */
const REST_MS = 1000;
/**
 * The assumed size of a body, in bytes, if the delivery has no `bodyBytes`: the size limit of a request body of the
 * api.
 */
const UNKNOWN_BYTES = 256 * 1024;

export type SchedulerOptions = {
  worker: string;
  lanes: OpenLanes;
  deliveries: Pick<Deliveries, 'insert' | 'lanesOf' | 'queued' | 'requested'>;
  permits: Permits;
  deliver: Pick<Deliver, 'claim' | 'send' | 'requeue'>;
  /** Whether only released deliveries leave. All others wait in the database, and are read when they are released. */
  isHolding: boolean;
  /** Whether an outage of this service is declared. Then only one delivery a second is claimed. */
  isOut(): boolean;
  /** The number of dispatchers that share the attempts in flight of each subscription, with this one. */
  dispatchers(): number;
  onError(error: unknown): void;
};

/** The claims that are made with the insert, by the id of the delivery. */
type Reserved = ReadonlyMap<string, InHand>;

/**
 * Decides which delivery this process sends next. It has a lane for each subscription with recent work, and limits
 * for each lane and for all together. `nextAction` chooses the action of a lane. The scheduler performs it, and calls
 * `nextAction` again whenever an action has ended.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #lanes = new Lanes();
  readonly #permits: LanePermits;
  readonly #admission: Admission;
  readonly #waiting = new WaitingLanes();
  readonly #pages: QueuePages;
  readonly #registry: LaneRegistry;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #idle = Promise.withResolvers<void>();
  #isStopping = false;

  constructor(options: SchedulerOptions) {
    const { worker, lanes, deliveries, permits, onError } = options;
    this.#options = options;
    this.#permits = new LanePermits(permits, {
      onFree: (lane) => this.#advanceOrYield(lane),
      onFailures: (lane, failures) => this.#learnFailures(lane, failures),
      onError: (lane, error) => this.#rest(lane, error),
    });
    this.#admission = new Admission(options);
    this.#pages = createQueuePages(deliveries, () => this.#lanes.size, options.isHolding);
    this.#registry = createLaneRegistry(worker, lanes, () => this.#closeIdle(), onError);
    this.#timers = [
      setInterval(() => this.#returnStale(), STALE_CHECK_INTERVAL_MS),
      setInterval(() => void this.#probe(), PROBE_INTERVAL_MS),
    ];
  }

  /**
   * Stores new deliveries and adds them to their lanes. If nothing waits before a delivery and there is room, the
   * delivery is inserted with its claim.
   *
   * @returns resolves when the deliveries are stored and their lanes are open in the database
   */
  async accept(deliveries: readonly NewDelivery[]): Promise<void> {
    const { worker } = this.#options;
    const sendable = deliveries.filter(({ skip }) => skip === undefined);
    const lanes = distinctLanes(sendable);
    const token = crypto.randomUUID();
    const now = clock.now();
    const queued = sendable.map(
      ({ skip: _skip, claim: _claim, redeliveryOf: _redeliveryOf, ...delivery }): QueuedDelivery => ({
        ...delivery,
        createdTime: now,
      }),
    );
    const reserved = this.#reserve(queued, token);
    const claim = { token, worker, claimedAt: now };
    const [stored, opened] = await Promise.allSettled([
      this.#options.deliveries.insert(
        deliveries.map((delivery) => (reserved.has(delivery._id) ? { ...delivery, claim } : delivery)),
        now,
      ),
      this.#registry.open(lanes),
    ]);
    this.#place(queued, reserved, stored.status === 'fulfilled' ? stored.value : undefined);
    for (const lane of lanes) this.#advance(this.#lanes.of(lane));
    for (const result of [stored, opened]) if (result.status === 'rejected') throw result.reason;
    // Opens the lanes again, because a lane may have been closed while the deliveries were being stored.
    await this.#registry.open(lanes);
    if (stored.status === 'fulfilled' && stored.value.size > 0) await this.#openOthers(stored.value, lanes);
  }

  /**
   * Opens the lanes of deliveries that another process has stored for other subscriptions, which have been replaced since.
   * That process may have died before it opened them.
   */
  async #openOthers(ids: ReadonlySet<string>, open: readonly LaneRef[]): Promise<void> {
    const isOpen = new Set(open.map(({ subscriptionId }) => subscriptionId));
    const lanes = await this.#options.deliveries.lanesOf([...ids]);
    const others = lanes.filter(({ subscriptionId }) => !isOpen.has(subscriptionId));
    if (others.length > 0) await this.open(others);
  }

  /**
   * Opens these lanes and reads their backlogs. Resolves when the lanes are open in the database.
   */
  async open(refs: readonly LaneRef[]): Promise<void> {
    for (const ref of refs) this.#lanes.of(ref);
    try {
      await this.#registry.open(refs);
    } finally {
      // The lanes advance even if the database fails, because they are open in memory and retry after a rest.
      for (const ref of refs) {
        const lane = this.#lanes.of(ref);
        markArrived(lane);
        // Some of its deliveries may have been released.
        if (this.#options.isHolding) lane.isWithheld = false;
        this.#advance(lane);
      }
    }
  }

  /** Continues after an outage. */
  resume(): void {
    for (const lane of this.#waiting.takeAll()) this.#advance(lane);
  }

  /** Tries the held lanes again, after a stop was lifted. */
  release(): void {
    for (const lane of this.#lanes.all()) {
      if (!lane.isWithheld) continue;
      lane.isWithheld = false;
      this.#advance(lane);
    }
  }

  /** Begins no further attempt, and returns waiting claims to the queue. */
  pause(): void {
    this.#isStopping = true;
    this.#permits.pause();
    for (const timer of this.#timers) clearInterval(timer);
    for (const lane of this.#lanes.all()) {
      for (const held of readyIn(lane)) void this.#return(lane, held);
      if (lane.inHand.size === 0) this.#permits.giveBack(lane);
    }
  }

  /** The number of lanes whose deliveries may not leave now. */
  get withheld(): number {
    return [...this.#lanes.all()].filter(({ isWithheld }) => isWithheld).length;
  }

  /** See {@link Admission}. */
  get load(): number {
    return this.#admission.load;
  }

  /**
   * Call after `pause`. Resolves when all attempts have ended, all outcomes are stored, and the lanes are handed over.
   */
  async stop(): Promise<void> {
    if (!this.#admission.isIdle) await this.#idle.promise;
    await this.#permits.stop();
    await this.#registry.handOver().catch(this.#options.onError);
  }

  /** Performs all actions that the lane can do now. Returns whether there were any. */
  #advance(lane: Lane): boolean {
    if (this.#isStopping) return false;
    let hasActed = false;
    for (;;) {
      const action = nextAction(lane, this.#roomOf(lane));
      if (action === undefined) break;
      this.#perform(lane, action);
      hasActed = true;
    }
    const wants = waitsFor(lane, this.#roomOf(lane));
    if (wants.attempt) this.#waiting.add(lane, 'attempt');
    if (wants.claim) this.#waiting.add(lane, speedOf(lane));
    return hasActed;
  }

  /** Advances a lane. If it does not need the room after all, another lane gets it. */
  #advanceOrYield(lane: Lane): void {
    if (!this.#advance(lane)) this.#resume();
  }

  #perform(lane: Lane, action: Action): void {
    switch (action.kind) {
      case 'send':
        return void this.#send(lane, action.held);
      case 'claim':
        return void this.#claimNext(lane).then((held) => held && this.#makeReady(lane, held));
      case 'read':
        return void this.#read(lane);
      case 'takePermit':
        return void this.#permits.take(lane, isRequestedNext(lane)).then(() => this.#advanceOrYield(lane));
      case 'givePermitBack':
        this.#permits.giveBack(lane);
    }
  }

  async #read(lane: Lane): Promise<void> {
    lane.backlog = 'reading';
    try {
      const { page, isAll } = await this.#pages.read({
        subscriptionId: lane.subscriptionId,
        isSlowed: isSlowed(lane),
      });
      takePage(lane, page, isAll);
      if (this.#options.isHolding && page.length === 0) markWithheld(lane);
    } catch (error) {
      lane.backlog = 'unread';
      this.#rest(lane, error);
    }
    this.#advanceOrYield(lane);
  }

  /** Claims the first delivery of the page. Returns undefined if nothing was claimed. */
  async #claimNext(lane: Lane): Promise<InHand | undefined> {
    const queued = lane.page.shift();
    // A delivery that was inserted with its claim may also be in a page that was read at the same time.
    if (queued === undefined || lane.inHand.has(queued._id)) return undefined;
    const claimedAt = performance.now();
    const held = this.#hold(lane, queued);
    try {
      const delivery = await this.#options.deliver.claim(queued);
      if (delivery !== undefined) {
        held.claim = { delivery, claimedAt, readyAt: performance.now() };
        return held;
      }
    } catch (error) {
      this.#rest(lane, error);
    }
    this.#leave(lane, queued._id);
    return undefined;
  }

  #makeReady(lane: Lane, held: InHand): void {
    const isBarred = isSlowed(lane) && lane.permit.state !== 'held';
    if (this.#isStopping || isBarred) return void this.#return(lane, held);
    this.#admission.move(held, 'ready');
    this.#advance(lane);
  }

  /** Makes the attempt of a claim. Returns the claim to the queue if it is too old or the process is stopping. */
  async #send(lane: Lane, held: InHand): Promise<void> {
    const { deliver, onError } = this.#options;
    const claim = held.claim as Claim;
    const startedAt = performance.now();
    if (this.#isStopping || !isFresh(claim, startedAt)) return this.#return(lane, held);
    this.#admission.move(held, 'sending');
    try {
      const when = { deadline: deadlineOf(claim, lane.permit), permit: this.#permits.use(lane) };
      const { attempted, isWithheld, timedOut, failures, requeued, stored } = await deliver.send(
        claim.delivery,
        when,
      );
      void this.#untilStored(stored);
      if (isWithheld) this.#withhold(lane);
      if (attempted) learn(lane, timedOut, performance.now() - startedAt);
      this.#learnFailures(lane, failures);
      if (requeued.length > 0) await this.open(requeued).catch(onError);
      // `open` may have read a page in between. The page does not contain this delivery, because the delivery
      // counts as claimed until `#leave`.
      if (requeued.some(({ subscriptionId }) => subscriptionId === lane.subscriptionId)) markUnread(lane);
    } catch (error) {
      this.#rest(lane, error);
    }
    this.#leave(lane, claim.delivery._id);
  }

  /** Returns the claims that wait for their attempts to the queue. The lane claims nothing more until it is released. */
  #withhold(lane: Lane): void {
    markWithheld(lane);
    for (const held of readyIn(lane)) void this.#return(lane, held);
  }

  /** If the subscription is slowed down now, the claims that wait for their attempts are returned to the queue. */
  #learnFailures(lane: Lane, failures: number): void {
    lane.failures = failures;
    if (!isSlowed(lane) || lane.permit.state === 'held') return;
    for (const held of readyIn(lane)) void this.#return(lane, held);
  }

  /** Counts an outcome until it is stored. Meanwhile, a delivery that succeeded occupies no slot of its lane. */
  async #untilStored(stored: Promise<void>): Promise<void> {
    await this.#admission.untilStored(stored.catch(this.#options.onError));
    this.#resume();
  }

  /** Returns a claim to the queue. */
  async #return(lane: Lane, held: InHand): Promise<void> {
    const { delivery } = held.claim as Claim;
    this.#admission.move(held, 'returning');
    await this.#options.deliver.requeue(delivery).catch(this.#options.onError);
    markUnread(lane);
    this.#leave(lane, delivery._id);
  }

  #roomOf({ organizationId }: Lane): Room {
    return this.#admission.roomOf(organizationId);
  }

  #hold(lane: Lane, { _id, organizationId, bodyBytes = UNKNOWN_BYTES }: QueuedDelivery): InHand {
    const held = this.#admission.claim(organizationId, speedOf(lane), bodyBytes);
    lane.inHand.set(_id, held);
    return held;
  }

  /**
   * Removes a delivery that has ended, is requeued or could not be claimed. Then its lane can continue, and so can a
   * lane that waits for room.
   */
  #leave(lane: Lane, id: string): void {
    const held = lane.inHand.get(id);
    if (held !== undefined) this.#admission.release(held);
    lane.inHand.delete(id);
    use(lane, performance.now());
    if (this.#isStopping) this.#permits.giveBack(lane);
    this.#resume();
    this.#advance(lane);
  }

  #resume(): void {
    if (this.#isStopping && this.#admission.isIdle) this.#idle.resolve();
    this.#waiting.resume(this.#admission, (lane) => this.#advance(lane));
  }

  #rest(lane: Lane, error: unknown): void {
    this.#options.onError(error);
    if (!beginRest(lane)) return;
    setTimeout(() => {
      lane.backlog = 'unread';
      this.#advance(lane);
    }, REST_MS);
  }

  /** Reserves claims for the deliveries that may be claimed on insert: nothing waits before them, and there is room. */
  #reserve(deliveries: readonly QueuedDelivery[], token: string): Reserved {
    const claimedAt = performance.now();
    const reserved = new Map<string, InHand>();
    for (const delivery of deliveries) {
      const lane = this.#lanes.of(delivery);
      const room = this.#roomOf(lane);
      const mayHold =
        !this.#isStopping && !this.#options.isHolding && room.mayClaim[speedOf(lane)] && hasRoom(lane, room);
      if (!mayHold || !isClear(lane) || lane.inHand.has(delivery._id)) continue;
      const held = this.#hold(lane, delivery);
      held.claim = { delivery: { ...delivery, token }, claimedAt, readyAt: claimedAt };
      reserved.set(delivery._id, held);
    }
    return reserved;
  }

  /** @param known the ids of deliveries that had been stored before; undefined if storing failed */
  #place(
    deliveries: readonly QueuedDelivery[],
    reserved: Reserved,
    known: ReadonlySet<string> | undefined,
  ): void {
    for (const delivery of deliveries) {
      const lane = this.#lanes.of(delivery);
      const held = reserved.get(delivery._id);
      if (held?.claim !== undefined) held.claim.readyAt = performance.now();
      if (known === undefined) {
        // The delivery may be stored despite the error.
        if (held !== undefined) void this.#return(lane, held);
      } else if (known.has(delivery._id)) {
        markUnread(lane);
        if (held !== undefined) this.#leave(lane, delivery._id);
      } else if (held !== undefined) this.#makeReady(lane, held);
      else if (this.#options.isHolding) markWithheld(lane);
      else enqueue(lane, delivery, this.#pages.size());
    }
  }

  #returnStale(): void {
    for (const lane of this.#lanes.all())
      for (const held of findStale(lane, performance.now())) void this.#return(lane, held);
  }

  /**
   * During an outage, tries one delivery. Each try uses the waiting lane with a page whose last try is the longest ago,
   * because a single receiver may be shut down permanently.
   */
  async #probe(): Promise<void> {
    if (!this.#options.isOut() || this.#isStopping) return;
    const waiting = this.#waiting.all();
    const unread = waiting.find(({ page, backlog }) => page.length === 0 && backlog === 'unread');
    if (unread !== undefined) this.#advance(unread);
    const known = waiting.filter(({ page }) => page.length > 0);
    const [lane] = known.toSorted((one, other) => one.triedAt - other.triedAt);
    if (lane === undefined) return;
    lane.triedAt = performance.now();
    if (isSlowed(lane) && !(await this.#takePermitInOutage(lane))) return;
    const held = await this.#claimNext(lane);
    if (held !== undefined) await this.#send(lane, held);
  }

  /** @returns whether the lane may try a delivery. In an outage, a lane that is slowed down does not wait for its pause. */
  async #takePermitInOutage(lane: Lane): Promise<boolean> {
    if (lane.inHand.size > 0 || !['free', 'waiting'].includes(lane.permit.state)) return false;
    await this.#permits.take(lane, true);
    return !isSlowed(lane) || lane.permit.state === 'held';
  }

  #closeIdle(): string[] {
    return this.#lanes.closeIdle(RENEW_INTERVAL_MS, (lane) => {
      markUnread(lane);
      this.#advance(lane);
    });
  }
}
