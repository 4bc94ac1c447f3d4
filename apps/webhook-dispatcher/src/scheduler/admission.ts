import { createTally, type Tally } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import type { InHand, Speed } from './lane.ts';
import type { Room } from './next-action.ts';

/** Maximum number of attempts in flight in one process. */
const MAX_ATTEMPTS = 600;
/**
 * Maximum number of deliveries that a process has claimed and that have not ended, by the speed of their receivers.
 * Slow and unknown receivers together may have 500 of the 600 attempts, so at least 100 remain for fast ones.
 */
const MAX_CLAIMED: Readonly<Record<Speed, number>> = { fast: 1000, unknown: 200, slow: 300 };
/**
 * Maximum number of bytes of claimed event bodies, by the speed of their receivers. A claim holds its body until its
 * attempt has ended. The last claim may exceed the limit by one body.
 */
const MAX_BODY_BYTES: Readonly<Record<Speed, number>> = {
  fast: 16 * 1024 * 1024,
  unknown: 8 * 1024 * 1024,
  slow: 8 * 1024 * 1024,
};
/** Which part of the attempts, the claims and the bytes the receivers of one organization may have. */
const SHARE_OF_ORGANIZATION = 1 / 2;
/** Maximum number of outcomes that wait to be stored. When it is reached, no attempt begins. */
const MAX_UNSTORED = 1000;

const isBelow = (tally: Tally, max: number, organizationId: string): boolean =>
  tally.total() < max && tally.of(organizationId) < max * SHARE_OF_ORGANIZATION;

/** Which part of a limit is used: by all together, or by an organization of its share. */
const used = (tally: Tally, max: number): number =>
  Math.max(tally.total() / max, tally.highest() / (max * SHARE_OF_ORGANIZATION));

const createTallies = (): Readonly<Record<Speed, Tally>> => ({
  fast: createTally(),
  unknown: createTally(),
  slow: createTally(),
});

/** Counts the claims, attempts and outcomes of this process, and decides what it has room for. */
export class Admission {
  readonly #isOut: () => boolean;
  readonly #dispatchers: () => number;
  /** By organization. */
  readonly #claimed = createTallies();
  readonly #bytes = createTallies();
  readonly #sending = createTally();
  #unstored = 0;

  /**
   * @param options.isOut whether an outage of this service is declared
   * @param options.dispatchers the number of dispatchers that share the attempts of a subscription, with this one
   */
  constructor({ isOut, dispatchers }: { isOut: () => boolean; dispatchers: () => number }) {
    this.#isOut = isOut;
    this.#dispatchers = dispatchers;
  }

  /**
   * Whether one more attempt may begin.
   *
   * @param organizationId default: an organization that has no attempt in flight
   */
  mayBegin(organizationId = ''): boolean {
    return (
      !this.#isOut() && isBelow(this.#sending, MAX_ATTEMPTS, organizationId) && this.#unstored < MAX_UNSTORED
    );
  }

  /**
   * Whether one more delivery may be claimed for a receiver of this speed.
   *
   * @param organizationId default: an organization that has claimed nothing
   */
  mayClaim(speed: Speed, organizationId = ''): boolean {
    return (
      !this.#isOut() &&
      isBelow(this.#claimed[speed], MAX_CLAIMED[speed], organizationId) &&
      isBelow(this.#bytes[speed], MAX_BODY_BYTES[speed], organizationId)
    );
  }

  roomOf(organizationId: string): Room {
    const mayClaim = (speed: Speed) => this.mayClaim(speed, organizationId);
    return {
      isOut: this.#isOut(),
      mayBegin: this.mayBegin(organizationId),
      mayClaim: { fast: mayClaim('fast'), unknown: mayClaim('unknown'), slow: mayClaim('slow') },
      dispatchers: this.#dispatchers(),
      isCrowded: this.#isCrowded(organizationId),
    };
  }

  /** An organization that has claimed much leaves room before the others do. */
  #isCrowded(organizationId: string): boolean {
    const isAbove = (tally: Tally, max: number): boolean => {
      const hasMuch = tally.of(organizationId) >= max / 4;
      return tally.total() >= (hasMuch ? max / 2 : (max * 3) / 4);
    };
    return isAbove(this.#claimed.slow, MAX_CLAIMED.slow) || isAbove(this.#bytes.slow, MAX_BODY_BYTES.slow);
  }

  /**
   * The highest share of its limits that the process uses, from 0 to 1. One slow receiver uses little of it, because the
   * attempts of one subscription are limited.
   */
  get load(): number {
    const [claimed, bytes] = [this.#claimed, this.#bytes];
    return Math.max(
      used(this.#sending, MAX_ATTEMPTS),
      this.#unstored / MAX_UNSTORED,
      // Claims for fast receivers are made ahead, so they are no sign of load.
      ...(['slow', 'unknown'] as const).flatMap((speed) => [
        used(claimed[speed], MAX_CLAIMED[speed]),
        used(bytes[speed], MAX_BODY_BYTES[speed]),
      ]),
    );
  }

  /** Whether nothing is in hand and every outcome is stored. */
  get isIdle(): boolean {
    const { fast, unknown, slow } = this.#claimed;
    return fast.total() + unknown.total() + slow.total() + this.#unstored === 0;
  }

  /** Counts a delivery that is being claimed for a receiver of this speed, with a body of this size in bytes. */
  claim(organizationId: string, speed: Speed, bytes: number): InHand {
    this.#claimed[speed].add(organizationId, 1);
    this.#bytes[speed].add(organizationId, bytes);
    return { stage: 'claiming', organizationId, speed, bytes };
  }

  move(held: InHand, stage: InHand['stage']): void {
    this.#sending.add(held.organizationId, Number(stage === 'sending') - Number(held.stage === 'sending'));
    held.stage = stage;
  }

  /** Stops counting a delivery that has ended, is back in the queue, or could not be claimed. */
  release(held: InHand): void {
    this.#claimed[held.speed].add(held.organizationId, -1);
    this.#bytes[held.speed].add(held.organizationId, -held.bytes);
    if (held.stage === 'sending') this.#sending.add(held.organizationId, -1);
  }

  /** Counts an outcome until it is stored. */
  async untilStored(stored: Promise<void>): Promise<void> {
    this.#unstored++;
    await stored;
    this.#unstored--;
  }
}

export const admissionLimits: readonly ResourceLimit[] = [
  {
    id: 'attempts',
    part: 'Webhooks',
    resource: 'Attempts in flight',
    value: MAX_ATTEMPTS,
    unit: 'in each process',
    beyond: 'the delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'claims_of_slow',
    part: 'Webhooks',
    resource: 'Deliveries claimed for slow receivers, whose attempts take a second or more on average',
    value: MAX_CLAIMED.slow,
    unit: 'in each process',
    beyond: 'the delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'claims_of_unknown',
    part: 'Webhooks',
    resource: 'Deliveries claimed for unknown receivers, to which the process has completed no attempt yet',
    value: MAX_CLAIMED.unknown,
    unit: 'in each process',
    beyond: 'the delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'bodies_claimed',
    part: 'Webhooks',
    resource:
      'Event bodies of deliveries claimed for fast receivers (the limit for slow receivers, and the one for unknown receivers, is half of this)',
    value: MAX_BODY_BYTES.fast / 2 ** 20,
    unit: 'MiB in each process',
    beyond: 'the delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'attempts_of_organization',
    part: 'Webhooks',
    resource: 'Attempts and deliveries claimed for receivers of one organization, of each of these limits',
    value: SHARE_OF_ORGANIZATION * 100,
    unit: '% in each process',
    beyond: 'the delivery waits; organizations take turns',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'outcomes',
    part: 'Webhooks',
    resource: 'Outcomes that wait to be stored',
    value: MAX_UNSTORED,
    unit: 'in each process',
    beyond: 'no attempt begins',
    metric: 'chairside_deliveries_queued',
  },
];
