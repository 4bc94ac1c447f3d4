import { Select } from '../components/Field.tsx';
import { useClinicChoices } from './requests.ts';

/** Limits a list to one clinic. */
export const ClinicFilter = ({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange(clinicId: string | undefined): void;
}) => (
  <Select label="Clinic" any="All clinics" value={value} choices={useClinicChoices()} onChange={onChange} />
);
