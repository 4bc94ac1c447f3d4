import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { Receiver } from './receiver.ts';
import type { Arrival } from './receiver-process.ts';

/** After so long without any arrival what is missing is lost, in milliseconds. */
const PATIENCE = 120_000;

/** What was written and answered 200, and what has arrived of it. */
export type Ledger = {
  /** Notes a write that was answered; `at` is the moment of the answer. */
  wrote(recordId: string, at: number): void;
  /** Waits for the events of all writes, and compares. */
  settle(): Promise<Settled>;
};

/**
 * `lost`: answered writes without a final Delivery. `ended`: those that did not arrive, but whose Delivery says why, by
 * outcome and cause. `delays`: milliseconds from the answer to the arrival.
 */
export type Settled = { lost: number; doubled: number; ended: Map<string, number>; delays: number[] };

/** How the Deliveries of these records' events ended, by outcome and cause. */
const outcomesOf = async (database: Db, recordIds: readonly string[]): Promise<Map<string, number>> => {
  const events = await database
    .collection('events')
    .find({ recordId: { $in: [...recordIds] } }, { projection: { _id: 1 } })
    .toArray();
  const deliveries = await database
    .collection('deliveries')
    .find({ eventId: { $in: events.map(({ _id }) => _id) }, finalTime: { $exists: true } })
    .toArray();
  const ended = new Map<string, number>();
  for (const { status, cause } of deliveries) {
    const outcome = cause === undefined ? status : `${status} (${cause})`;
    ended.set(outcome, (ended.get(outcome) ?? 0) + 1);
  }
  return ended;
};

/** @param receiver gets the events of every write in the ledger, once each */
export const openLedger = (receiver: Receiver, database: Db): Ledger => {
  let written: { recordId: string; at: number }[] = [];
  return {
    wrote: (recordId, at) => written.push({ recordId, at }),
    async settle() {
      const arrived = new Map<string, Arrival[]>();
      const eventIds = new Set<string>();
      let doubled = 0;
      const missing = () =>
        [...Map.groupBy(written, ({ recordId }) => recordId)].reduce(
          (sum, [recordId, writes]) =>
            sum + Math.max(0, writes.length - (arrived.get(recordId)?.length ?? 0)),
          0,
        );
      for (let lastArrival = performance.now(); ; await sleep(200)) {
        for (const arrival of await receiver.take()) {
          lastArrival = performance.now();
          if (eventIds.has(arrival.eventId)) doubled++;
          eventIds.add(arrival.eventId);
          arrived.set(arrival.recordId, [...(arrived.get(arrival.recordId) ?? []), arrival]);
        }
        if (missing() === 0 || performance.now() - lastArrival > PATIENCE) break;
      }
      const delays = written.flatMap(({ recordId, at }) => {
        const [first] = arrived.get(recordId) ?? [];
        return first === undefined ? [] : [first.at - at];
      });
      const unseen = written.map(({ recordId }) => recordId).filter((recordId) => !arrived.has(recordId));
      const ended = await outcomesOf(database, unseen);
      const explained = [...ended.values()].reduce((sum, times) => sum + times, 0);
      const lost = missing() - explained;
      written = [];
      return { lost, doubled, ended, delays };
    },
  };
};
