import type { Evidence, StoredDelivery } from './evidence.ts';

/** A table of two columns. */
export const table = (rows: readonly (readonly [string, string | number])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${String(value).padStart(8)}`).join('\n');
};

const counted = <T>(items: readonly T[], nameOf: (item: T) => string): [string, number][] =>
  [...Map.groupBy(items, nameOf)]
    .map(([name, own]): [string, number] => [name, own.length])
    .sort(([left], [right]) => left.localeCompare(right));

/** What was written, sent and seen, in figures. */
export const totalsOf = ({
  answered,
  refused,
  events,
  deliveries,
  seen,
  disablings,
  storedBulks,
}: Evidence): [string, string | number][] => {
  const seenIds = new Set(seen.map(({ deliveryId }) => deliveryId));
  const isUnsent = ({ _id, status }: StoredDelivery) => status === 'interrupted' && !seenIds.has(_id);
  return [
    ['writes answered 200', answered.length],
    ['requests not answered 200', refused.length],
    ...counted(refused, ({ status }) => `  ${status ?? 'no answer'}`),
    ['events', events.length],
    ['POSTs that receivers saw', seen.length],
    ['Deliveries', deliveries.length],
    ...counted(deliveries, ({ kind }) => `  of kind ${kind}`),
    ...counted(deliveries, ({ status, cause }) => `  ${status}${cause === undefined ? '' : `, ${cause}`}`),
    ['times that a subscription was disabled', disablings.length],
    ['redeliveries of many', storedBulks.length],
    ['  Deliveries that they made', storedBulks.reduce((sum, { made }) => sum + made, 0)],
    ['interrupted that no receiver saw', deliveries.filter(isUnsent).length],
  ];
};
