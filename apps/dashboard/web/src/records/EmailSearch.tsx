import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Field } from '../components/Field.tsx';
import '../components/Filters.css';

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
    <Form
      className="filters"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(entered.trim() === '' ? undefined : entered.trim());
      }}
    >
      <Field
        label="E-mail of the patient"
        type="search"
        inputMode="email"
        autoComplete="off"
        maxLength={320}
        value={entered}
        onChange={setEntered}
      />
      <Button type="submit">Search</Button>
      {email !== undefined && <Button onPress={clear}>Show all</Button>}
    </Form>
  );
};
