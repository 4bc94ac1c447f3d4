import { Check, Checks, toggled } from '../components/forms/Check.tsx';
import { useClinicChoices } from './requests.ts';

/** Check boxes for the clinics of a provider or a procedure, or those that a key or a token is for. */
export const ClinicsField = ({
  description,
  value,
  onChange,
}: {
  description: string;
  value: readonly string[];
  onChange(value: string[]): void;
}) => (
  <Checks label="Clinics" name="clinicIds" description={description}>
    <div className="families">
      {useClinicChoices().map(({ value: clinicId, label }) => (
        <Check
          key={clinicId}
          name="clinicIds"
          isChecked={value.includes(clinicId)}
          onChange={(isChosen) => onChange(toggled(value, clinicId, isChosen))}
        >
          {label}
        </Check>
      ))}
    </div>
  </Checks>
);
