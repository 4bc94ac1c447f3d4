import type { Evidence, StoredDelivery } from './evidence.ts';
import { tellingsOf } from './judge-notices.ts';
import { TOLD } from './limits.ts';

/** Formats a table of two columns. */
export const table = (rows: readonly (readonly [string, string | number])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${String(value).padStart(8)}`).join('\n');
};

const counted = <T>(items: readonly T[], nameOf: (item: T) => string): [string, number][] =>
  [...Map.groupBy(items, nameOf)]
    .map(([name, own]): [string, number] => [name, own.length])
    .sort(([left], [right]) => left.localeCompare(right));

/** The totals of a run. */
export const totalsOf = ({
  acknowledged,
  refused,
  events,
  deliveries,
  seen,
  disablings,
  switches,
  bookings,
  storedBulks,
  sync,
  downs,
  notices,
}: Evidence): [string, string | number][] => {
  const starved = downs.filter(({ how }) => how === 'starved').map(({ from, until }) => until - from);
  const seenIds = new Set(seen.map(({ deliveryId }) => deliveryId));
  const isUnsent = ({ _id, status }: StoredDelivery) => status === 'interrupted' && !seenIds.has(_id);
  const waits = tellingsOf(notices).map(({ at, toldAt }) => toldAt - at);
  return [
    ['writes with response 200', acknowledged.length],
    ['requests with another response or none', refused.length],
    ...counted(refused, ({ status }) => `  ${status ?? 'no response'}`),
    ['events', events.length],
    ['POSTs that receivers saw', seen.length],
    ['deliveries', deliveries.length],
    ...counted(deliveries, ({ kind }) => `  of kind ${kind}`),
    ...counted(deliveries, ({ status, cause }) => `  ${status}${cause === undefined ? '' : `, ${cause}`}`),
    ['disablings of subscriptions', disablings.length],
    ['switches to a new secret', switches.length],
    ['bookings and moves', bookings.occupations.length],
    ['  refused', bookings.refusals.length],
    ['records that two systems sync in the end', sync.service.length],
    ['owners of killed receivers who were told', waits.length],
    ['  within a minute, faults included', waits.filter((wait) => wait <= TOLD).length],
    ['  the last one after seconds', (Math.max(0, ...waits) / 1000).toFixed(1)],
    ['mails with notices', notices.stored.length],
    ['  copies that the mail server took', notices.taken.length],
    ['bulk redeliveries', storedBulks.length],
    ['  deliveries that they created', storedBulks.reduce((sum, { made }) => sum + made, 0)],
    ['interrupted deliveries that no receiver saw', deliveries.filter(isUnsent).length],
    [
      'seconds in which the machine was too busy',
      Math.round(starved.reduce((sum, ms) => sum + ms, 0) / 1000),
    ],
  ];
};
