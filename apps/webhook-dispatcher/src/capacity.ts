import type { ResourceLimit } from '@chairside/domain';
import type { Speed } from './lane.ts';

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

/** How much this process has in hand, and whether it may take more. */
export type Capacity = {
  /** Whether one more may be claimed for a receiver of this speed. */
  mayClaim(speed: Speed): boolean;
  /** Whether one more attempt may begin. */
  mayBegin(): boolean;
  /** Whether so much is claimed for slow receivers that each must leave room to the others. */
  isCrowded(): boolean;
  /** Whether nothing is claimed and every outcome is stored. */
  isIdle(): boolean;
  /** Takes note that a Delivery with a body of this size is claimed; returns what to call when it is not any more. */
  claim(speed: Speed, bodyBytes: number): () => void;
  /** The same for an attempt. */
  attempt(): () => void;
  /** The same for an outcome that is not stored. */
  outcome(): () => void;
};

/** @param isOut whether we reach nobody: then nothing is claimed and no attempt begins */
export const createCapacity = (isOut: () => boolean): Capacity => {
  const count = { fast: 0, unknown: 0, slow: 0, attempts: 0, unstored: 0 };
  const bytes: Record<Speed, number> = { fast: 0, unknown: 0, slow: 0 };
  const add = (name: keyof typeof count): (() => void) => {
    count[name]++;
    return () => void count[name]--;
  };
  return {
    mayClaim: (speed) =>
      count[speed] < MAX_CLAIMED[speed] && bytes[speed] < MAX_BODY_BYTES[speed] && !isOut(),
    mayBegin: () => count.attempts < MAX_ATTEMPTS && count.unstored < MAX_UNSTORED && !isOut(),
    isCrowded: () => count.slow >= MAX_CLAIMED.slow / 2 || bytes.slow >= MAX_BODY_BYTES.slow / 2,
    isIdle: () => count.fast + count.unknown + count.slow + count.unstored === 0,
    claim(speed, bodyBytes) {
      const end = add(speed);
      bytes[speed] += bodyBytes;
      return () => {
        end();
        bytes[speed] -= bodyBytes;
      };
    },
    attempt: () => add('attempts'),
    outcome: () => add('unstored'),
  };
};

export const capacityLimits: readonly ResourceLimit[] = [
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
