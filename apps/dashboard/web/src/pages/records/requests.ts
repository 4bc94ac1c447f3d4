import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { PAGE_SIZE } from '../../api/page-size.ts';
import { saveFile } from '../../api/save-file.ts';
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

/** The most records of a part of the page of a patient: the largest page of the api. */
const MAX_RECORDS = 1000;
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
