import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { ActionForm } from '../components/ActionForm.tsx';
import { Field } from '../components/Field.tsx';
import { Problem } from '../components/Problem.tsx';
import { type Found, findById } from './find.ts';
import '../components/Filters.css';

/** One field for the id of a delivery, an event or a request. */
export const IdSearch = ({ onFound }: { onFound(found: Found): void }) => {
  const [id, setId] = useState('');
  const request = useMutation({ mutationFn: () => findById(id.trim()), onSuccess: onFound });
  return (
    <>
      <ActionForm request={request} isReady={id.trim() !== ''} className="filters">
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
      </ActionForm>
      <Problem error={request.error} />
    </>
  );
};
