import { setTimeout as sleep } from 'node:timers/promises';
import type { Receiver } from './receiver.ts';
import type { Arrival } from './receiver-process.ts';

/** After so long without any arrival what is missing is lost, in milliseconds. */
const PATIENCE = 120_000;

/** What was written and answered 200, and what has arrived of it. */
export type Ledger = {
  /** Notes a write that was answered; `at` is the moment of the answer. */
  wrote(recordId: string, at: number): void;
  /** Waits for the events of all writes, and compares. */
  settle(): Promise<{ lost: number; doubled: number; delays: number[] }>;
};

/** @param receiver gets the events of every write in the ledger, once each */
export const openLedger = (receiver: Receiver): Ledger => {
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
      const lost = missing();
      written = [];
      return { lost, doubled, delays };
    },
  };
};
