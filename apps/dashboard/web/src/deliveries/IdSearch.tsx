import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Field } from '../components/Field.tsx';
import { Problem } from '../layout/Problem.tsx';
import { type Found, findById } from './find.ts';

/** One field for the id of a delivery, an event or a request. */
export const IdSearch = ({ onFound }: { onFound(found: Found): void }) => {
  const [id, setId] = useState('');
  const request = useMutation({ mutationFn: () => findById(id.trim()), onSuccess: onFound });
  return (
    <>
      <Form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (id.trim() !== '') request.mutate();
        }}
      >
        <Field
          label="Id of a delivery, an event or a request"
          value={id}
          onChange={setId}
          maxLength={100}
          type="search"
        />
        <Button type="submit" isPending={request.isPending}>
          Find
        </Button>
      </Form>
      <Problem error={request.error} />
    </>
  );
};
