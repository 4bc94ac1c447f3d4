import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Field } from '../components/Field.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { Problem } from '../components/Problem.tsx';

/** The shortest password that the api accepts, in characters. */
const MIN_LENGTH = 12;

/** Changes the operator's own password, which ends all other sessions. */
export const ChangePassword = ({ onChanged }: { onChanged(): void }) => {
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const request = useMutation({
    mutationFn: () => api.sessions.changePassword({ password, newPassword }).then(() => undefined),
    onSuccess() {
      setPassword('');
      setNewPassword('');
      onChanged();
    },
  });
  return (
    <ActionForm request={request}>
      <Problem error={request.error} />
      <PasswordField label="Current password" value={password} onChange={setPassword} />
      <Field
        label="New password"
        name="newPassword"
        type="password"
        autoComplete="new-password"
        isRequired
        minLength={MIN_LENGTH}
        description={`At least ${MIN_LENGTH} characters.`}
        value={newPassword}
        onChange={setNewPassword}
      />
      <div className="buttons">
        <Button type="submit" className="primary" isPending={request.isPending}>
          Change password
        </Button>
        <span role="status">
          {request.isSuccess && 'Your password is changed. Your other sessions have ended.'}
        </span>
      </div>
    </ActionForm>
  );
};
