import type { Appointment, Patient } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

/** The most ids of one request. */
export const MAX_IDS = 200;

type OfPatients = readonly Pick<Appointment, 'patientId'>[] | undefined;
type Wanted = 'name' | 'phone';

/** Reads some fields of patients by their ids. One request reads up to 200 patients, and leaves one audit entry. */
export const readPatients = async <T>(
  ids: readonly string[],
  fields: readonly Wanted[],
  read: (patient: Pick<Patient, Wanted>) => T,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, T>> => {
  const found = new Map<string, T>();
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const filter = { _ids: ids.slice(from, from + MAX_IDS), fields };
    const patients = await withPrompts(() => api.patients.list(filter, { signal }).toArray());
    for (const patient of patients) found.set(patient._id, read(patient));
  }
  return found;
};

/** Some fields of the patients of some records, by their ids. The result is discarded with the page. */
const patientsQuery = <T>(
  records: OfPatients,
  fields: readonly Wanted[],
  read: (patient: Pick<Patient, Wanted>) => T,
) => {
  const all = (records ?? []).map(({ patientId }) => patientId);
  const ids = [...new Set(all)].filter((id) => id !== undefined).sort();
  return queryOptions({
    queryKey: ['names', fields, ids],
    queryFn: ({ signal }) => readPatients(ids, fields, read, signal),
    enabled: ids.length > 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
};

/** The names of patients by their ids. */
export type Names = ReadonlyMap<string, string>;

/** The names of the patients of some records. */
export const namesQuery = (records: OfPatients) => patientsQuery(records, ['name'], ({ name }) => name ?? '');

/** The names and phone numbers of the patients of some records. */
export const phonesQuery = (records: OfPatients) =>
  patientsQuery(records, ['name', 'phone'], ({ name, phone }) => ({ name, phone }));

/** A patient by name, or by the end of the id if there is no name. An ellipsis until the names are read. */
export const patientText = (patientId: string | undefined, names: Names | undefined): string => {
  if (patientId === undefined) return 'No patient';
  return names === undefined ? '…' : names.get(patientId) || `Patient …${patientId.slice(-4)}`;
};
