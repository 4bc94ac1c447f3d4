import type { ResourceLimit } from '@chairside/domain';
import type { InHand, Speed } from './lane.ts';
import type { Room } from './next-action.ts';

/** The most attempts under way in one process. */
const MAX_ATTEMPTS = 600;
/**
 * The most Deliveries that a process has claimed and not ended, by how fast their receivers are. The slow and the unknown
 * cannot take all attempts: a hundred are left to the fast, however many others hang.
 */
const MAX_CLAIMED: Readonly<Record<Speed, number>> = { fast: 1000, unknown: 200, slow: 300 };
/**
 * The bytes of event bodies, by how fast their receivers are, from which on nothing more is claimed: a claim holds its
 * body until its attempt has ended. The last claim may exceed the limit by one body.
 */
const MAX_BODY_BYTES: Readonly<Record<Speed, number>> = {
  fast: 16 * 1024 * 1024,
  unknown: 8 * 1024 * 1024,
  slow: 8 * 1024 * 1024,
};
/** The most outcomes that wait to be stored: beyond it no attempt begins. */
const MAX_UNSTORED = 1000;

/** Counts what this process has in hand, and says what it has room for. */
export class Admission {
  readonly #isOut: () => boolean;
  readonly #claimed: Record<Speed, number> = { fast: 0, unknown: 0, slow: 0 };
  readonly #bytes: Record<Speed, number> = { fast: 0, unknown: 0, slow: 0 };
  #sending = 0;
  #unstored = 0;

  /** @param isOut whether an outage of this service is declared */
  constructor(isOut: () => boolean) {
    this.#isOut = isOut;
  }

  get room(): Room {
    const isOut = this.#isOut();
    const [claimed, bytes] = [this.#claimed, this.#bytes];
    const mayClaim = (speed: Speed) =>
      !isOut && claimed[speed] < MAX_CLAIMED[speed] && bytes[speed] < MAX_BODY_BYTES[speed];
    return {
      isOut,
      mayBegin: !isOut && this.#sending < MAX_ATTEMPTS && this.#unstored < MAX_UNSTORED,
      mayClaim: { fast: mayClaim('fast'), unknown: mayClaim('unknown'), slow: mayClaim('slow') },
      isCrowded: claimed.slow >= MAX_CLAIMED.slow / 2 || bytes.slow >= MAX_BODY_BYTES.slow / 2,
    };
  }

  /** Whether nothing is in hand and every outcome is stored. */
  get isIdle(): boolean {
    const { fast, unknown, slow } = this.#claimed;
    return fast + unknown + slow + this.#unstored === 0;
  }

  /** Counts a delivery that is being claimed for a receiver of this speed, with a body of this size in bytes. */
  claim(speed: Speed, bytes: number): InHand {
    this.#claimed[speed]++;
    this.#bytes[speed] += bytes;
    return { stage: 'claiming', speed, bytes };
  }

  move(held: InHand, stage: InHand['stage']): void {
    this.#sending += Number(stage === 'sending') - Number(held.stage === 'sending');
    held.stage = stage;
  }

  /** Counts a delivery no more that is not in hand any longer. */
  release(held: InHand): void {
    this.#claimed[held.speed]--;
    this.#bytes[held.speed] -= held.bytes;
    if (held.stage === 'sending') this.#sending--;
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
    resource: 'Attempts under way',
    value: MAX_ATTEMPTS,
    unit: 'in each process',
    beyond: 'the Delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'claims_of_slow',
    part: 'Webhooks',
    resource: 'Deliveries claimed for slow receivers',
    value: MAX_CLAIMED.slow,
    unit: 'in each process',
    beyond: 'the Delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'claims_of_unknown',
    part: 'Webhooks',
    resource: 'Deliveries claimed for receivers that have not answered yet',
    value: MAX_CLAIMED.unknown,
    unit: 'in each process',
    beyond: 'the Delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'bodies_claimed',
    part: 'Webhooks',
    resource:
      'Event bodies of claimed Deliveries: to fast receivers, and half of it each to slow and to unknown ones',
    value: MAX_BODY_BYTES.fast / 2 ** 20,
    unit: 'MiB in each process',
    beyond: 'the Delivery waits',
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
