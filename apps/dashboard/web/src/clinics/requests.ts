import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Choice } from '../components/forms/Field.tsx';
import { byName } from '../language.ts';
import { withPrompts } from '../session/prompts.ts';
import { isKnownZone } from './zone.ts';

/** The clinics of the organization, in the order of their names. */
export const clinicsQuery = queryOptions({
  queryKey: ['clinics'],
  async queryFn({ signal }) {
    const clinics = await withPrompts(() => api.clinics.list({}, { signal }).toArray());
    return clinics.sort((one, other) => byName(one.name ?? '', other.name ?? ''));
  },
  staleTime: 5 * 60_000,
});

/**
 * Whether a list must wait for the names of clinics. Replacing ids with names would move the content below. If the
 * names cannot be read, the list shows the ids.
 */
export const useWaitForClinics = (): boolean => useQuery(clinicsQuery).isPending;

/** The clinics to choose from, with their names. Empty until the clinics are read. */
export const useClinicChoices = (): Choice[] => {
  const { data = [] } = useQuery(clinicsQuery);
  return data.map(({ _id, name }) => ({ value: _id, label: name ?? _id }));
};

/** Before the first choice of one of several clinics, which has no answer by accident. */
export const withNoClinic = (choices: readonly Choice[]): Choice[] =>
  choices.length > 1 ? [{ value: '', label: 'Choose a clinic' }, ...choices] : [...choices];

/** Returns a function that returns the name of a clinic: its id until the clinics are read. */
export const useClinicNames = (): ((clinicId: string) => string) => {
  const clinics = useClinicChoices();
  return (clinicId) => clinics.find(({ value }) => value === clinicId)?.label ?? clinicId;
};

/** The IANA zone of a clinic; undefined until the clinics are read, or if `clinicId` is undefined. */
export const useClinicZone = (clinicId: string | undefined): string | undefined => {
  const { data = [] } = useQuery(clinicsQuery);
  return data.find(({ _id }) => _id === clinicId)?.timezone;
};

/**
 * The IANA zone that all clinics share, or that of one clinic, for a page that names the zone of its times once.
 * Undefined if they have different zones, or a zone that the browser does not know.
 */
export const useCommonZone = (clinicId: string | undefined): string | undefined => {
  const { data = [] } = useQuery(clinicsQuery);
  const clinics = data.filter(({ _id }) => clinicId === undefined || _id === clinicId);
  const [zone, ...others] = new Set(clinics.map(({ timezone }) => timezone));
  return zone !== undefined && others.length === 0 && isKnownZone(zone) ? zone : undefined;
};
