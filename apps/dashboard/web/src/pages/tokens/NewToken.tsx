import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createAccessToken } from '../../api/session-calls.ts';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { PasswordField } from '../../components/forms/PasswordField.tsx';
import { withFactor } from '../../session/factor.ts';
import { withPrompts } from '../../session/prompts.ts';

const CreateForm = ({ onCreated, onCancel }: { onCreated(token: string): void; onCancel(): void }) => {
  const [password, setPassword] = useState('');
  const request = useMutation({
    mutationFn: () => withPrompts(() => withFactor((answer) => createAccessToken(answer ?? { password }))),
    onSuccess: onCreated,
  });
  return (
    <ActionForm request={request}>
      <p>A program with this token can do what you can do. It can also write records.</p>
      <p>Enter your password to create a token.</p>
      <PasswordField autoFocus value={password} onChange={setPassword} />
      <DialogButtons submit="Create" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Creates an access token after the operator has entered the password, and shows the token once. */
export const NewToken = () => (
  <SecretDialog<string>
    name="New access token"
    className="primary"
    title="New access token"
    list="sessions"
    form={(onCreated, onCancel) => <CreateForm onCreated={onCreated} onCancel={onCancel} />}
    secret={(token) => ({
      title: 'Copy the token',
      label: 'Access token',
      text: token,
      explanation:
        'The token is shown only once. It ends after 60 minutes without use, and after 12 hours at the latest.',
    })}
  />
);
