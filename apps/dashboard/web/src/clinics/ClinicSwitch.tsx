import type { Clinic } from '@chairside/client';
import { Building2, ChevronsUpDown } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Menu } from '../components/menus/Menu.tsx';
import { Empty } from '../components/states/Empty.tsx';
import { tip } from '../components/texts/tip.ts';
import { visibleText } from '../components/texts/visible-text.ts';
import './ClinicSwitch.css';

const nameOf = ({ name, _id }: Clinic): string => visibleText(name ?? _id);

/** The clinic of the page, with a menu of the others. A practice with one clinic has nothing to choose. */
export const ClinicSwitch = ({
  clinics,
  clinic,
  onChoose,
}: {
  clinics: readonly Clinic[];
  clinic: Clinic | undefined;
  onChoose(clinicId: string): void;
}) => {
  const shown = (
    <>
      <Building2 aria-hidden="true" />
      <span className="clip">{clinic === undefined ? 'Choose a clinic' : nameOf(clinic)}</span>
    </>
  );
  if (clinics.length === 1 && clinic !== undefined) return <span className="clinic-switch">{shown}</span>;
  return (
    <Menu
      label="Clinic"
      align="start"
      button={
        <Button className="subtle clinic-switch" {...tip('Remembered in this browser')}>
          <span className="hidden">Clinic: </span>
          {shown}
          <ChevronsUpDown aria-hidden="true" />
        </Button>
      }
      choice={{
        label: 'Clinic',
        value: clinic?._id ?? '',
        choices: clinics.map((each) => ({ value: each._id, label: nameOf(each) })),
        onChange: onChoose,
      }}
      actions={[]}
    />
  );
};

/** Asks for the clinic, because there are several, and none was chosen in this browser. */
export const ChooseClinic = ({
  clinics,
  isUnknown,
  onChoose,
}: {
  clinics: readonly Clinic[];
  /** Whether the address has a clinic that does not exist. */
  isUnknown: boolean;
  onChoose(clinicId: string): void;
}) => {
  if (clinics.length === 0)
    return (
      <Empty title="No clinic yet">
        <p>The operator of the service creates clinics.</p>
      </Empty>
    );
  return (
    <Empty title={isUnknown ? 'There is no such clinic' : 'Choose a clinic'}>
      <p>
        {isUnknown ? 'The clinic of this address does not exist, or was deleted. ' : ''}
        This browser remembers the clinic that you choose.
      </p>
      <ul className="buttons" aria-label="Clinics">
        {clinics.map((each) => (
          <li key={each._id}>
            <Button onPress={() => onChoose(each._id)}>{nameOf(each)}</Button>
          </li>
        ))}
      </ul>
    </Empty>
  );
};
