import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Receiver } from './receiver.ts';
import type { Arrival } from './receiver-process.ts';

/** After so long without any arrival, what is missing is lost; in milliseconds. */
const PATIENCE = 120_000;
/** How often the receiver is asked, in milliseconds. */
const INTERVAL = 200;

/** Which writes were answered with 200, and what has arrived of them. */
export type Ledger = {
  /**
   * Notes a write that was answered.
   *
   * @param at the moment of the answer
   * @param deliveries how many subscriptions get its event
   */
  wrote(recordId: string, at: number, deliveries?: number): void;
  /** Waits for the deliveries of all writes since the last call, and compares. */
  settle(): Promise<Settled>;
};

export type Settled = {
  /** Deliveries of answered writes that did not arrive and have no outcome. */
  lost: number;
  /** Deliveries that arrived more than once. */
  doubled: number;
  /** Deliveries that arrived, but of writes that were not answered with 200. */
  unanswered: number;
  /** Deliveries that did not arrive but have an outcome, by outcome and cause. */
  ended: Map<string, number>;
  /** Milliseconds from the answer to each arrival. */
  delays: number[];
  /** What has arrived, by the id of the record. */
  arrivals: ReadonlyMap<string, readonly Arrival[]>;
};

/** How the deliveries of these records ended that the receiver has not seen, by outcome and cause. */
const outcomesOf = async (
  database: Db,
  recordIds: readonly string[],
  seen: ReadonlySet<string>,
): Promise<Map<string, number>> => {
  const events = await database
    .collection('events')
    .find({ recordId: { $in: [...recordIds] } }, { projection: { _id: 1 } })
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
 * @param receiver gets every delivery of the writes in the ledger
 * @param patience after so many milliseconds without any arrival, what is missing is lost
 */
export const openLedger = (receiver: Receiver, database: Db, patience: number = PATIENCE): Ledger => {
  let written: { recordId: string; at: number; deliveries: number }[] = [];
  /** Of all times, so that a delivery that arrives again later is noticed. */
  const seen = new Set<string>();
  return {
    wrote: (recordId, at, deliveries = 1) => void written.push({ recordId, at, deliveries }),
    async settle() {
      const arrivals = new Map<string, Arrival[]>();
      let doubled = 0;
      const missingOf = ({ recordId, deliveries }: (typeof written)[number]) =>
        Math.max(0, deliveries - (arrivals.get(recordId)?.length ?? 0));
      const missing = () => written.reduce((sum, write) => sum + missingOf(write), 0);
      for (let lastArrival = performance.now(); ; await sleep(INTERVAL)) {
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
      const answered = new Set(written.map(({ recordId }) => recordId));
      const unanswered = [...arrivals]
        .filter(([recordId]) => !answered.has(recordId))
        .reduce((sum, [, each]) => sum + each.length, 0);
      written = [];
      return { lost, doubled, unanswered, ended, delays, arrivals };
    },
  };
};
