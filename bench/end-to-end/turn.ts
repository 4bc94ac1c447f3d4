import type { Settled } from '../ledger.ts';
import { patientFields } from '../patient.ts';
import { cpuTimes } from '../processes.ts';
import type { Contestant } from './contestants.ts';
import type { Acknowledged, Load } from './generator-process.ts';
import type { Ground, Subscriptions } from './ground.ts';

/** The results of one contestant in one turn. Times are in milliseconds. */
export type Turn = {
  /** The number of calls with a response of 200, which is the number of events. */
  events: number;
  /** The number of calls with another response, by status and message. */
  others: Readonly<Record<string, number>>;
  /** Events per second, from the first response to the last arrival. */
  perSecond: number;
  /** The time from the first call to the last response of 200. */
  loadTime: number;
  /** The times from the call to its response. In an open loop, they start when the call was due. */
  responseTimes: number[];
  /** The times from the response to each arrival. */
  delays: number[];
  /** The times from the call, or from the time at which it was due, to each arrival. */
  wholeDelays: number[];
  /** The CPU time of each process in this turn, until every outcome was stored. */
  cpu: Readonly<Record<string, number>>;
  /** The number of deliveries of patients whose call had no response of 200. */
  withoutResponse: number;
};

const highest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);
const lowest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);

/** Waits for the deliveries of these calls, and adds them to the totals of the run. */
export const settle = async (
  { ledger, totals }: Ground,
  acknowledged: readonly Acknowledged[],
  subscriptions: Subscriptions,
): Promise<Settled> => {
  for (const { recordId, at } of acknowledged) ledger.wrote(recordId, at, subscriptions);
  const settled = await ledger.settle();
  totals.due += acknowledged.length * subscriptions;
  totals.lost += settled.lost;
  totals.doubled += settled.doubled;
  for (const [outcome, times] of settled.ended)
    totals.ended.set(outcome, (totals.ended.get(outcome) ?? 0) + times);
  return settled;
};

/**
 * Makes the generator POST patients of a clinic, and waits until all events are delivered and all outcomes are
 * stored.
 */
export const takeTurn = async (
  ground: Ground,
  { url, processes: own }: Contestant,
  subscriptions: Subscriptions,
  load: Pick<Load, 'connections' | 'pace'>,
): Promise<Turn> => {
  const { generator, service, authorizations, clinics, processes } = ground;
  const measured = { ...own, ...processes };
  const pids = Object.values(measured);
  const body = JSON.stringify(patientFields(clinics[subscriptions]));
  const before = cpuTimes(pids);
  const { acknowledged, others } = await generator.ask({ url, body, authorizations, ...load });
  const settled = await settle(ground, acknowledged, subscriptions);
  await service.untilDone();
  const after = cpuTimes(pids);
  // This call also receives deliveries of patients whose call had no response of 200.
  const rest = await settle(ground, [], subscriptions);

  const arrivals = [...settled.arrivals.values()].flat().map(({ at }) => at);
  const responses = acknowledged.map(({ at }) => at);
  const { length: events } = acknowledged;
  return {
    events,
    others,
    perSecond: (events * 1000) / (highest(arrivals) - lowest(responses)),
    loadTime: highest(responses) - lowest(acknowledged.map(({ from }) => from)),
    responseTimes: acknowledged.map(({ from, at }) => at - from),
    delays: settled.delays,
    wholeDelays: acknowledged.flatMap(({ recordId, from }) =>
      (settled.arrivals.get(recordId) ?? []).map(({ at }) => at - from),
    ),
    cpu: Object.fromEntries(
      Object.keys(measured).map((name, index) => [name, (after[index] ?? 0) - (before[index] ?? 0)]),
    ),
    withoutResponse: settled.withoutResponse + rest.withoutResponse,
  };
};
