import { useClinicChoices } from '../clinics/requests.ts';
import { Check, Checks, toggled } from '../components/forms/Check.tsx';

/** Check boxes for the clinics of a provider or a procedure. */
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
      {useClinicChoices().map((clinic) => (
        <Check
          key={clinic.value}
          name="clinicIds"
          isChecked={value.includes(clinic.value)}
          onChange={(isChosen) => onChange(toggled(value, clinic.value, isChosen))}
        >
          {clinic.label}
        </Check>
      ))}
    </div>
  </Checks>
);
