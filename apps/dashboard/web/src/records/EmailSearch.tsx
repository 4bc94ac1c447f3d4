import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useHandOver } from '../components/hand-over.ts';
import { isId } from '../components/id.ts';
import { Search } from '../components/Search.tsx';
import { PATIENT_FIELD } from '../find/patient-field.ts';

/**
 * Finds patients by e-mail address or id. The e-mail address stays in the state of this page, so that no link and no
 * browser history contains it.
 */
export const EmailSearch = ({
  email,
  onChange,
}: {
  /** The e-mail address that the list is restricted to. */
  email: string | undefined;
  onChange(email: string | undefined): void;
}) => {
  const navigate = useNavigate();
  const [entered, setEntered] = useState('');
  const set = (text: string, found: string | undefined) => {
    setEntered(text);
    onChange(found);
  };
  useHandOver(PATIENT_FIELD, (text) => set(text, text));
  const find = (text: string) => {
    if (isId(text))
      return void navigate({
        to: '/records/$kind/$recordId',
        params: { kind: 'patients', recordId: text },
      });
    onChange(text === '' ? undefined : text);
  };
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
      {email !== undefined && (
        <Button className="compact" onPress={() => set('', undefined)}>
          Show all
        </Button>
      )}
    </>
  );
};
