import { type BusyInterval, type BusyPlace, BusyTimes } from '@chairside/domain';
import type { Occupied } from '../src/index.ts';

/** Blocks and appointments as a test writes them. */
export type Given = Pick<Occupied, 'blocks'> & { appointments: readonly BusyInterval[] };

/** The same as a search reads them. */
export const occupiedBy = ({ blocks, appointments }: Given, place: BusyPlace): Occupied => {
  const busy = new BusyTimes(place);
  for (const each of appointments) busy.add(each);
  return { blocks, busy };
};
