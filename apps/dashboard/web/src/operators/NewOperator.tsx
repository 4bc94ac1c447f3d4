import type { Operator } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { DialogButtons } from '../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../components/dialogs/Secret.tsx';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { choicesOf, Field, Select } from '../components/forms/Field.tsx';
import { withPrompts } from '../session/prompts.ts';
import { makePassword, type NewPassword, shownPassword } from './password.ts';
import { ROLE_HINT, ROLES, roleOf } from './roles.ts';

const CreateForm = ({ onCreated, onCancel }: { onCreated(created: NewPassword): void; onCancel(): void }) => {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Operator['role']>('staff');
  const request = useMutation({
    async mutationFn() {
      const password = makePassword();
      await withPrompts(() => api.operators.create({ email, password, role }));
      onCreated({ email, password });
    },
  });
  return (
    <ActionForm request={request}>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="off"
        isRequired
        maxLength={320}
        value={email}
        onChange={setEmail}
      />
      <Select
        label="Role"
        name="role"
        description={ROLE_HINT}
        value={role}
        choices={choicesOf(ROLES)}
        onChange={(value) => setRole(roleOf(value))}
      />
      <DialogButtons submit="Create" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Creates an operator and shows the password once. */
export const NewOperator = () => (
  <SecretDialog<NewPassword>
    name="New operator"
    className="primary"
    title="New operator"
    list="operators"
    form={(onCreated, onCancel) => <CreateForm onCreated={onCreated} onCancel={onCancel} />}
    secret={shownPassword}
  />
);
