import type { ApiKeyWithSecret } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Field } from '../components/Field.tsx';
import { DialogButtons } from '../components/PageDialog.tsx';
import { Problem } from '../components/Problem.tsx';
import { SecretDialog } from '../components/Secret.tsx';
import { withPrompts } from '../session/prompts.ts';
import { ScopesField } from './ScopesField.tsx';
import { READ_SCOPES } from './scopes.ts';

/** The rate limit of a new key, in requests per minute. */
const RATE_LIMIT = '600';

const CreateForm = ({
  onCreated,
  onCancel,
}: {
  onCreated(created: ApiKeyWithSecret): void;
  onCancel(): void;
}) => {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(READ_SCOPES);
  const [rateLimit, setRateLimit] = useState(RATE_LIMIT);
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.apiKeys.create({ name, scopes, rateLimit: Number(rateLimit) })),
    onSuccess: onCreated,
  });
  return (
    <ActionForm request={request}>
      <Problem error={request.error} />
      <Field
        label="Name"
        name="name"
        isRequired
        maxLength={200}
        description="What the key is for."
        value={name}
        onChange={setName}
      />
      <ScopesField scopes={READ_SCOPES} value={scopes} onChange={setScopes} />
      <p className="quiet">A new key can only read. Add write scopes later with Edit.</p>
      <Field
        label="Requests per minute"
        name="rateLimit"
        type="number"
        isRequired
        value={rateLimit}
        onChange={setRateLimit}
      />
      <DialogButtons submit="Create" isPending={request.isPending} onCancel={onCancel} />
    </ActionForm>
  );
};

/** Creates a key and shows its secret once. */
export const NewKey = () => (
  <SecretDialog<ApiKeyWithSecret>
    name="New key"
    className="primary"
    title="New key"
    list="keys"
    form={(onCreated, onCancel) => <CreateForm onCreated={onCreated} onCancel={onCancel} />}
    secret={({ name, secret }) => ({
      title: 'Copy the secret',
      label: 'Secret',
      text: secret,
      explanation: `This is the secret of “${name}”. You can reveal it later with your password.`,
    })}
  />
);
