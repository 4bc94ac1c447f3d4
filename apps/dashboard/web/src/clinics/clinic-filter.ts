import type { Filter } from '../components/lists/Filters.tsx';
import { useClinicChoices } from './requests.ts';

/** Limits a list to one clinic. */
export const useClinicFilter = (value: string | undefined, isPinned = false): Filter => ({
  name: 'clinicId',
  label: 'Clinic',
  any: 'All clinics',
  value,
  choices: useClinicChoices(),
  isPinned,
});
