import type { ApiKey, ApiKeyWithSecret } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretFormDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { withPrompts } from '../../session/prompts.ts';

/** For how long the former secret works, in hours, unless another time is entered. */
const OVERLAP = '24';

const RotateForm = ({
  apiKey,
  onRotated,
  onCancel,
}: {
  apiKey: ApiKey;
  onRotated(rotated: ApiKeyWithSecret): void;
  onCancel(): void;
}) => {
  const [hours, setHours] = useState(OVERLAP);
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.apiKeys.rotate(apiKey._id, { overlapHours: Number(hours) })),
    onSuccess: onRotated,
  });
  return (
    <ActionForm request={request}>
      <p>The key gets a new secret. Give it to the program before the present one ends.</p>
      {apiKey.formerSecret !== undefined && <p>The secret before the present one ends at once.</p>}
      <Field
        label="Hours until the present secret ends"
        name="overlapHours"
        type="number"
        isRequired
        description="From 0 to 168. With 0 it ends at once: choose that if it has leaked."
        value={hours}
        onChange={setHours}
      />
      <DialogButtons submit="Rotate" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Gives a key a new secret, and shows it. */
export const RotateKey = ({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) => (
  <SecretFormDialog<ApiKeyWithSecret>
    title={`Rotate ${visibleText(apiKey.name)}`}
    list="keys"
    form={(onRotated, onCancel) => <RotateForm apiKey={apiKey} onRotated={onRotated} onCancel={onCancel} />}
    secret={({ name, secret }) => ({
      title: 'Copy the secret',
      label: 'Secret',
      text: secret,
      explanation: `This is the new secret of “${visibleText(name)}”. You can reveal it later with your password.`,
    })}
    close={onClose}
  />
);
