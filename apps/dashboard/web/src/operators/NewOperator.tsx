import type { Operator } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { api } from '../api/client.ts';
import { useFieldErrors } from '../api/problems.ts';
import { Choose, Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { makePassword } from './password.ts';
import { ROLE_CHOICES, roleOf } from './requests.ts';
import { ShownPassword } from './ShownPassword.tsx';

/** An operator who has just been created, with the password that only this page knows. */
type Created = { email: string; password: string };

const CreateForm = ({ onCreated, onCancel }: { onCreated(created: Created): void; onCancel(): void }) => {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Operator['role']>('staff');
  const request = useMutation({
    async mutationFn() {
      const password = makePassword();
      await withPrompts(() => api.operators.create({ email, password, role }));
      onCreated({ email, password });
    },
    gcTime: 0,
  });
  return (
    <Form
      className="form"
      validationErrors={useFieldErrors(request.error)}
      onSubmit={(event) => {
        event.preventDefault();
        request.mutate();
      }}
    >
      <Problem error={request.error} />
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="off"
        autoFocus
        isRequired
        maxLength={320}
        value={email}
        onChange={setEmail}
      />
      <Choose label="Role" value={role} choices={ROLE_CHOICES} onChange={(value) => setRole(roleOf(value))} />
      <p className="quiet">Administrators may do everything. Staff read records and create access tokens.</p>
      <DialogButtons submit="Create" isPending={request.isPending} onCancel={onCancel} />
    </Form>
  );
};

/** Creates an operator and shows the password once. The password leaves the page with the dialog. */
export const NewOperator = () => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<Created>();
  const close = () => {
    setOpen(false);
    setCreated(undefined);
    void queries.invalidateQueries({ queryKey: ['operators'] });
  };
  return (
    <>
      <Button className="primary" onPress={() => setOpen(true)}>
        New operator
      </Button>
      <PageDialog title={created ? 'Copy the password' : 'New operator'} isOpen={isOpen} onClose={close}>
        {created === undefined ? (
          <CreateForm onCreated={setCreated} onCancel={close} />
        ) : (
          <ShownPassword {...created} onClose={close} />
        )}
      </PageDialog>
    </>
  );
};
