import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Receiver } from './receiver.ts';
import type { Arrival } from './receiver-process.ts';

/**
 * The ledger stops waiting after this many milliseconds without any arrival. Missing deliveries without an outcome then
 * count as lost.
 */
const PATIENCE_MS = 120_000;
/** How often the receiver is queried. */
const INTERVAL_MS = 200;

/** Records the writes with a response of 200, and the arrivals of their events. */
export type Ledger = {
  /**
   * Records a write with a response of 200.
   *
   * @param at the time of the response
   * @param deliveries how many subscriptions get its event
   */
  wrote(recordId: string, at: number, deliveries?: number): void;
  /** Waits for the deliveries of all writes since the last call, and compares. */
  settle(): Promise<Settled>;
};

export type Settled = {
  /** The deliveries of recorded writes that did not arrive and have no outcome. */
  lost: number;
  /** The deliveries that arrived more than once. */
  doubled: number;
  /** The deliveries that arrived although their writes had no response of 200. */
  withoutResponse: number;
  /** The deliveries that did not arrive and have an outcome, by outcome and cause. */
  ended: Map<string, number>;
  /** The milliseconds from the response to each arrival. */
  delays: number[];
  /** The arrivals, by the id of the record. */
  arrivals: ReadonlyMap<string, readonly Arrival[]>;
};

/** Counts the deliveries of these records that the receiver has not seen, by outcome and cause. */
const outcomesOf = async (
  database: Db,
  recordIds: readonly string[],
  seen: ReadonlySet<string>,
): Promise<Map<string, number>> => {
  const events = await database
    .collection('events')
    .find({ about: { $in: [...recordIds] } }, { projection: { _id: 1 } })
    .toArray();
  const deliveries = await database
    .collection<{ _id: string; status: string; cause?: string }>('deliveries')
    .find({ eventId: { $in: events.map(({ _id }) => _id) }, finalTime: { $exists: true } })
    .toArray();
  const ended = new Map<string, number>();
  for (const { _id, status, cause } of deliveries) {
    if (seen.has(_id)) continue;
    const outcome = cause === undefined ? status : `${status} (${cause})`;
    ended.set(outcome, (ended.get(outcome) ?? 0) + 1);
  }
  return ended;
};

/**
 * @param receiver the receiver of all deliveries of the recorded writes
 * @param patience the milliseconds without any arrival after which the ledger stops waiting
 */
export const openLedger = (receiver: Receiver, database: Db, patience: number = PATIENCE_MS): Ledger => {
  let written: { recordId: string; at: number; deliveries: number }[] = [];
  /** All arrivals of the whole run, to detect a delivery that arrives again later. */
  const seen = new Set<string>();
  return {
    wrote: (recordId, at, deliveries = 1) => void written.push({ recordId, at, deliveries }),
    async settle() {
      const arrivals = new Map<string, Arrival[]>();
      let doubled = 0;
      const missingOf = ({ recordId, deliveries }: (typeof written)[number]) =>
        Math.max(0, deliveries - (arrivals.get(recordId)?.length ?? 0));
      const missing = () => written.reduce((sum, write) => sum + missingOf(write), 0);
      for (let lastArrival = performance.now(); ; await sleep(INTERVAL_MS)) {
        for (const arrival of await receiver.take()) {
          lastArrival = performance.now();
          if (seen.has(arrival.deliveryId)) {
            doubled++;
            continue;
          }
          seen.add(arrival.deliveryId);
          arrivals.set(arrival.recordId, [...(arrivals.get(arrival.recordId) ?? []), arrival]);
        }
        if (missing() === 0 || performance.now() - lastArrival > patience) break;
      }
      const delays = written.flatMap(({ recordId, at }) =>
        (arrivals.get(recordId) ?? []).map((arrival) => arrival.at - at),
      );
      const incomplete = written.filter((write) => missingOf(write) > 0).map(({ recordId }) => recordId);
      const ended =
        incomplete.length === 0 ? new Map<string, number>() : await outcomesOf(database, incomplete, seen);
      const explained = [...ended.values()].reduce((sum, times) => sum + times, 0);
      const lost = missing() - explained;
      const acknowledged = new Set(written.map(({ recordId }) => recordId));
      const withoutResponse = [...arrivals]
        .filter(([recordId]) => !acknowledged.has(recordId))
        .reduce((sum, [, each]) => sum + each.length, 0);
      written = [];
      return { lost, doubled, withoutResponse, ended, delays, arrivals };
    },
  };
};
