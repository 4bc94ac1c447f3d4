import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Field } from './Field.tsx';
import { ID_HINT, isId } from './id.ts';
import './Filters.css';
import './Problem.css';

/**
 * A field for the id of a record. An empty field removes the filter.
 *
 * @param props.value the id in the address. If the component also has this value as its `key`, the field follows the
 *   address
 */
export const IdFilter = ({
  label,
  submit = 'Find',
  value,
  onChange,
}: {
  label: string;
  submit?: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
}) => {
  const [id, setId] = useState(value ?? '');
  const [isRefused, setRefused] = useState(false);
  const apply = () => {
    const entered = id.trim();
    const isUsable = entered === '' || isId(entered);
    setRefused(!isUsable);
    if (isUsable) onChange(entered === '' ? undefined : entered);
  };
  const enter = (entered: string) => {
    setId(entered);
    setRefused(false);
  };
  return (
    <>
      <Form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <Field label={label} type="search" maxLength={128} value={id} onChange={enter} />
        <Button type="submit">{submit}</Button>
      </Form>
      {isRefused && (
        <p role="alert" className="problem">
          {ID_HINT}
        </p>
      )}
    </>
  );
};
