import type { Operator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { api } from '../api/client.ts';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { makePassword } from './password.ts';
import { ShownPassword } from './ShownPassword.tsx';

/** Sets a new password for an operator who has forgotten it, and shows it once. */
export const ResetPassword = ({ operator: { _id, email } }: { operator: Operator }) => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState<string>();
  const request = useMutation({
    async mutationFn() {
      const made = makePassword();
      await withPrompts(() => api.operators.update(_id, { password: made }));
      setPassword(made);
    },
    gcTime: 0,
  });
  const close = () => {
    setOpen(false);
    setPassword(undefined);
    request.reset();
    void queries.invalidateQueries({ queryKey: ['operators'] });
  };
  return (
    <>
      <Button aria-label={`Reset password of ${email}`} onPress={() => setOpen(true)}>
        Reset password
      </Button>
      <PageDialog
        title={password === undefined ? `Reset the password of ${email}?` : 'Copy the password'}
        isOpen={isOpen}
        onClose={close}
      >
        {password === undefined ? (
          <Form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              request.mutate();
            }}
          >
            <p>The operator gets a new password, and all sessions of the operator end at once.</p>
            <Problem error={request.error} />
            <DialogButtons submit="Reset password" isPending={request.isPending} onCancel={close} />
          </Form>
        ) : (
          <ShownPassword email={email} password={password} onClose={close} />
        )}
      </PageDialog>
    </>
  );
};
