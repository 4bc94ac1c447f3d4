import type { ApiKey } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.ts';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { Secret } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { PasswordField } from '../../components/forms/PasswordField.tsx';
import { useCountdown } from '../../components/texts/use-countdown.ts';
import { withFactor } from '../../session/factor.ts';
import { withPrompts } from '../../session/prompts.ts';

/** How long a revealed secret stays on the page, in seconds. */
const SHOWN = 30;

const Revealed = ({ secret, onClose }: { secret: string; onClose(): void }) => {
  const left = useCountdown(SHOWN, secret);
  useEffect(() => {
    const timer = setTimeout(onClose, SHOWN * 1000);
    return () => clearTimeout(timer);
  }, [onClose]);
  return (
    <Secret label="Secret" text={secret} onClose={onClose}>
      The secret disappears in {left} s.
    </Secret>
  );
};

const Reveal = ({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) => {
  const [password, setPassword] = useState('');
  const [secret, setSecret] = useState<string>();
  const request = useMutation({
    mutationFn: () =>
      withPrompts(() => withFactor((answer) => api.apiKeys.reveal(apiKey._id, { password, ...answer }))),
    onSuccess(revealed) {
      setPassword('');
      setSecret(revealed.secret);
      // Only this component keeps the secret. The result of the request is discarded.
      request.reset();
    },
  });
  if (secret !== undefined) return <Revealed secret={secret} onClose={onClose} />;
  return (
    <ActionForm request={request}>
      <p>Enter your password to show the secret of this key for {SHOWN} seconds.</p>
      <PasswordField autoFocus value={password} onChange={setPassword} />
      <DialogButtons submit="Reveal" onCancel={onClose} />
    </ActionForm>
  );
};

/** Shows the secret of a key for 30 seconds, after the operator has entered the password. */
export const RevealKey = ({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) => (
  <PageDialog title={`Reveal ${apiKey.name}`} onClose={onClose}>
    <Reveal apiKey={apiKey} onClose={onClose} />
  </PageDialog>
);
