import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useHandOver } from '../components/hand-over.ts';
import { isId } from '../components/id.ts';
import { Search } from '../components/Search.tsx';
import { PATIENT_FIELD } from '../find/patient-field.ts';

/**
 * Finds patients by e-mail address, or opens the one with an id. The e-mail address stays in the state of this page, so
 * that no link and no browser history contains it.
 */
export const PatientSearch = ({
  email,
  onChange,
}: {
  /** The e-mail address that the list is restricted to. */
  email: string | undefined;
  onChange(email: string | undefined): void;
}) => {
  const navigate = useNavigate();
  const [entered, setEntered] = useState('');
  const [isRefused, setRefused] = useState(false);
  const find = (text: string) => {
    const isUsable = text === '' || text.includes('@');
    setEntered(text);
    setRefused(!isUsable && !isId(text));
    if (isUsable) onChange(text === '' ? undefined : text);
    else if (isId(text))
      void navigate({ to: '/records/$kind/$recordId', params: { kind: 'patients', recordId: text } });
  };
  useHandOver(PATIENT_FIELD, find);
  return (
    <>
      <Search
        label={PATIENT_FIELD}
        submit="Search"
        inputMode="email"
        maxLength={320}
        value={entered}
        onChange={setEntered}
        onSubmit={() => find(entered.trim())}
      />
      {isRefused && (
        <p role="alert" className="refused">
          Enter an e-mail address or an id. Patients cannot be found by name yet.
        </p>
      )}
      {email !== undefined && (
        <Button className="compact" onPress={() => find('')}>
          Show all
        </Button>
      )}
    </>
  );
};
