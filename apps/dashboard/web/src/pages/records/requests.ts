import type { Appointment, CalendarBlock, Clinic } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { PAGE_SIZE } from '../../api/page-size.ts';
import { saveFile } from '../../api/save-file.ts';
import { type Day, dayAfter, startOf } from '../../clinics/days.ts';
import type { Kind } from '../../records/kinds.ts';
import { type AnyRecord, recordsOf } from '../../records/record.ts';
import { withPrompts } from '../../session/prompts.ts';
import { describe } from './descriptions.ts';
import type { RecordSearch } from './search.ts';

/** The filters of the address that the list of this kind has. */
const filtersOf = (
  kind: Kind,
  { clinicId, patientId, startTime, endTime, updatedSince, status }: RecordSearch,
) => {
  const { filters } = describe(kind);
  return {
    ...(filters.includes('clinicId') && { clinicId }),
    ...(filters.includes('patientId') && { patientId }),
    ...(filters.includes('time') && { startTime, endTime }),
    ...(filters.includes('updatedSince') && { updatedSince }),
    ...(filters.includes('status') && { status }),
  };
};

/** One page of records. It is read only at the request of a person, because reads leave audit entries. */
export const recordsQuery = (kind: Kind, { cursor, ...search }: RecordSearch) => {
  const filter = filtersOf(kind, search);
  return queryOptions({
    queryKey: ['records', kind, filter, cursor],
    queryFn: ({ signal }) =>
      withPrompts(() => recordsOf(kind).list(filter, { pageSize: PAGE_SIZE, signal }).page(cursor)),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
};

/** The most records of a day sheet, or of a part of the page of a patient: the largest page of the api. */
const MAX_RECORDS = 1000;
/** The most ids of one request for names. */
const MAX_IDS = 200;

/** The appointments and blocks of a day, and whether there are more appointments. */
type DayOfAppointments = { appointments: Appointment[]; blocks: CalendarBlock[]; isCut: boolean };

/**
 * The appointments and blocks of a day, in the zones of the clinics. It is read only at the request of a person, because reads
 * leave audit entries.
 *
 * @param clinics undefined until they are read
 */
export const dayQuery = (day: Day, clinics: readonly Clinic[] | undefined, clinicId: string | undefined) =>
  queryOptions({
    queryKey: ['day', day, clinicId, clinics?.map(({ timezone }) => timezone)],
    async queryFn({ signal }): Promise<DayOfAppointments> {
      const zones = (clinics ?? []).map(({ timezone }) => timezone);
      const starts = zones.map((zone) => startOf(day, zone));
      const ends = zones.map((zone) => startOf(dayAfter(day, 1), zone));
      if (starts.length === 0) return { appointments: [], blocks: [], isCut: false };
      const filter = {
        startTime: new Date(Math.min(...starts)),
        endTime: new Date(Math.max(...ends)),
        ...(clinicId !== undefined && { clinicId }),
      };
      const [{ data, nextCursor }, blocks] = await withPrompts(() =>
        Promise.all([
          api.appointments.list(filter, { pageSize: MAX_RECORDS, signal }).page(),
          api.calendarBlocks.list(filter, { signal }).toArray(),
        ]),
      );
      return { appointments: data, blocks, isCut: nextCursor !== undefined };
    },
    enabled: clinics !== undefined,
    refetchOnWindowFocus: false,
  });

/** The names of patients by their ids. */
export type Names = ReadonlyMap<string, string>;

/**
 * The names of the patients of some appointments. One request reads up to 200 names, and leaves one audit entry. The
 * names are discarded with the page.
 */
export const namesQuery = (appointments: readonly Pick<Appointment, 'patientId'>[] | undefined) => {
  const all = (appointments ?? []).map(({ patientId }) => patientId);
  const ids = [...new Set(all)].filter((id) => id !== undefined).sort();
  return queryOptions({
    queryKey: ['names', ids],
    async queryFn({ signal }): Promise<Names> {
      const names = new Map<string, string>();
      for (let from = 0; from < ids.length; from += MAX_IDS) {
        const filter = { _ids: ids.slice(from, from + MAX_IDS), fields: ['name'] as const };
        const found = await withPrompts(() => api.patients.list(filter, { signal }).toArray());
        for (const { _id, name } of found) names.set(_id, name ?? '');
      }
      return names;
    },
    enabled: ids.length > 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
};

/** Appointments or invoices of a patient, the oldest first, and whether there are more. */
type OfPatient = { records: AnyRecord[]; isCut: boolean };

/** The first appointments or invoices of a patient. */
export const ofPatientQuery = (kind: 'appointments' | 'invoices', patientId: string) =>
  queryOptions({
    queryKey: ['ofPatient', kind, patientId],
    async queryFn({ signal }): Promise<OfPatient> {
      const list = recordsOf(kind).list({ patientId }, { pageSize: MAX_RECORDS, signal });
      const { data, nextCursor } = await withPrompts(() => list.page());
      return { records: data, isCut: nextCursor !== undefined };
    },
    refetchOnWindowFocus: false,
  });

/**
 * Saves what is stored about a patient as a file. A download can neither ask for a sign-in nor show a refusal, so the session
 * is checked before it begins.
 *
 * @throws {ChairsideError} if the session cannot be checked
 */
export const saveExport = async (patientId: string): Promise<void> => {
  await withPrompts(() => api.sessions.current());
  saveFile(`/downloads/patients/${patientId}`);
};
