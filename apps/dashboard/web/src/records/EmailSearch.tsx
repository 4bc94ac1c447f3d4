import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Search } from '../components/Search.tsx';

/**
 * Finds patients by e-mail address. The e-mail address stays in the state of this page, so that no link and no browser
 * history contains it.
 */
export const EmailSearch = ({
  email,
  onChange,
}: {
  /** The e-mail address that the list is restricted to. */
  email: string | undefined;
  onChange(email: string | undefined): void;
}) => {
  const [entered, setEntered] = useState('');
  const clear = () => {
    setEntered('');
    onChange(undefined);
  };
  return (
    <>
      <Search
        label="E-mail of the patient"
        submit="Search"
        inputMode="email"
        maxLength={320}
        value={entered}
        onChange={setEntered}
        onSubmit={() => onChange(entered.trim() === '' ? undefined : entered.trim())}
      />
      {email !== undefined && (
        <Button className="compact" onPress={clear}>
          Show all
        </Button>
      )}
    </>
  );
};
