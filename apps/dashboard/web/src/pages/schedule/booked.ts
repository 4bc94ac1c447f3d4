import type { Appointment } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { isExpected } from '../../records/appointments.ts';
import { MAX_IDS, readPatients } from '../../records/names.ts';
import { firstPages } from '../../session/first-pages.ts';
import { type Closing, timeOf } from './closing.ts';

const FIELDS = ['startTime', 'endTime', 'status', 'patientId', 'providerId', 'procedures'] as const;
type BookedAppointment = Pick<Appointment, '_id' | (typeof FIELDS)[number]>;

/** The largest page of the api. */
const PAGE_SIZE = 1000;
/** The most pages of appointments that one check reads. */
const MAX_PAGES = 20;
/** A patient as a list of booked patients shows one. */
export type Person = { name?: string | undefined; phone?: string | undefined };

/** The appointments in a time that closes, in the order of their starts. */
export type Booked = {
  appointments: BookedAppointment[];
  /** The first of their patients by their ids. */
  people: ReadonlyMap<string, Person>;
  /** The start of the last appointment that was looked at, if there are more than one check reads. */
  checkedUntil?: string | undefined;
};

/**
 * Reads who is booked in a time that closes. Reads leave audit entries.
 *
 * @throws {ChairsideError}
 */
export const readBooked = async (closing: Closing, signal?: AbortSignal): Promise<Booked> => {
  const { clinicId, providerId, from, to } = closing;
  const filter = {
    clinicId,
    ...(providerId !== null && { providerId }),
    startTime: new Date(from).toISOString(),
    ...(to !== undefined && { endTime: new Date(to).toISOString() }),
    fields: FIELDS,
  };
  const list = api.appointments.list(filter, { pageSize: PAGE_SIZE, signal });
  const { rows, isCut } = await firstPages(list, MAX_PAGES);
  const appointments = rows.filter((each) => isExpected(each) && closing.isClosed(timeOf(each)));
  const ids = [...new Set(appointments.map(({ patientId }) => patientId))].filter((id) => id !== undefined);
  const people = await readPatients(ids.slice(0, MAX_IDS), ['name', 'phone'], (person) => person, signal);
  return { appointments, people, checkedUntil: isCut ? rows.at(-1)?.startTime : undefined };
};

/**
 * Who is booked in a time that closes, for a preview.
 *
 * @param key what the closing follows from
 */
export const bookedQuery = (closing: Closing | undefined, key: readonly unknown[]) =>
  queryOptions({
    queryKey: ['schedule', 'booked', ...key],
    queryFn: ({ signal }) => (closing === undefined ? undefined : readBooked(closing, signal)),
    enabled: closing !== undefined,
    // Appointments change at any time, and names do not outlast the page.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
