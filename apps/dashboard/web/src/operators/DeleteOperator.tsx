import type { Operator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { api } from '../api/client.ts';
import { Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

/** Deletes an operator after the e-mail address was typed. */
export const DeleteOperator = ({ operator: { _id, email } }: { operator: Operator }) => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.operators.delete(_id)).then(() => undefined),
    async onSuccess() {
      setOpen(false);
      await queries.invalidateQueries({ queryKey: ['operators'] });
    },
  });
  const open = () => {
    setTyped('');
    request.reset();
    setOpen(true);
  };
  return (
    <>
      <Button className="danger" aria-label={`Delete ${email}`} onPress={open}>
        Delete
      </Button>
      <PageDialog title={`Delete ${email}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed === email) request.mutate();
          }}
        >
          <p>
            All sessions and access tokens of this operator end at once. This cannot be undone. The audit log
            keeps what the operator did.
          </p>
          <Problem error={request.error} />
          <Field
            label={`Type ${email} to confirm`}
            autoComplete="off"
            autoFocus
            value={typed}
            onChange={setTyped}
          />
          <DialogButtons
            danger
            submit="Delete"
            isPending={request.isPending}
            isDisabled={typed !== email}
            onCancel={() => setOpen(false)}
          />
        </Form>
      </PageDialog>
    </>
  );
};
