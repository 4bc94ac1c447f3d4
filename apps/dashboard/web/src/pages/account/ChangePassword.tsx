import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../../api/client.ts';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { FormEnd } from '../../components/forms/FormEnd.tsx';
import { NewPasswordField } from '../../components/forms/NewPasswordField.tsx';
import { PasswordField } from '../../components/forms/PasswordField.tsx';
import { withFactor } from '../../session/factor.ts';

/** Changes the operator's own password, which ends all other sessions. */
export const ChangePassword = ({ onChanged }: { onChanged(): void }) => {
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const request = useMutation({
    mutationFn: () =>
      withFactor((answer) => api.sessions.changePassword({ password, newPassword, ...answer })).then(
        () => undefined,
      ),
    onSuccess() {
      setPassword('');
      setNewPassword('');
      onChanged();
    },
  });
  return (
    <ActionForm request={request}>
      <PasswordField label="Current password" value={password} onChange={setPassword} />
      <NewPasswordField
        label="New password"
        name="newPassword"
        value={newPassword}
        onChange={setNewPassword}
      />
      <FormEnd
        {...(request.isSuccess && {
          message: <p role="status">Your password is changed. Your other sessions have ended.</p>,
        })}
      >
        <Button type="submit" className="primary" isPending={request.isPending}>
          Change password
        </Button>
      </FormEnd>
    </ActionForm>
  );
};
