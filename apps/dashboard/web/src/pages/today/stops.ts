import type { Column, Item } from './columns.ts';

/** What can have the focus in the grid: its column, and the time at which it is. */
export type Stop = { id: string; column: number; at: number };

/** The id of the link to the appointments that a card stands for besides its own. */
export const moreId = (appointmentId: string): string => `more ${appointmentId}`;

/** The id of the link to a canceled appointment in a free time. It may be in two of them. */
export const canceledId = (appointmentId: string, start: number): string => `${start} ${appointmentId}`;

const idsOf = (item: Item): string[] => {
  if (item.is === 'free')
    return item.canceled.map(({ appointment }) => canceledId(appointment._id, item.start));
  if (item.is !== 'card') return [];
  const { _id } = item.appointment;
  return item.more.length === 0 ? [_id] : [_id, moreId(_id)];
};

/** What can have the focus, in the order of columns and times. */
export const stopsOf = (columns: readonly Column[]): Stop[] =>
  columns.flatMap(({ items }, column) =>
    items.flatMap((item) => idsOf(item).map((id) => ({ id, column, at: item.start }))),
  );

/**
 * The stop to which an arrow key leads: the next one in the column, or the nearest one in time in the next column that has
 * any.
 */
export const stopAfter = (stops: readonly Stop[], from: number, key: string): number => {
  const start = stops[from];
  if (start === undefined) return from;
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const next = from + (key === 'ArrowDown' ? 1 : -1);
    return stops[next]?.column === start.column ? next : from;
  }
  const columns = stops
    .map(({ column }) => column)
    .filter((column) => (key === 'ArrowRight' ? column > start.column : column < start.column));
  if (columns.length === 0) return from;
  const target = key === 'ArrowRight' ? Math.min(...columns) : Math.max(...columns);
  const distance = ({ at }: Stop): number => Math.abs(at - start.at);
  return stops.reduce(
    (best, stop, index) =>
      stop.column === target &&
      (stops[best]?.column !== target || distance(stop) < distance(stops[best] as Stop))
        ? index
        : best,
    from,
  );
};
