import type { ApiKeyWithSecret } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { problemOf } from '../../api/problems.ts';
import { ClinicsField } from '../../clinics/ClinicsField.tsx';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { TimeField, timeOf } from '../../components/forms/TimeField.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Snippet } from '../../components/texts/CopyText.tsx';
import { withPrompts } from '../../session/prompts.ts';
import type { KeyFields } from './change.ts';
import { ScopesField } from './ScopesField.tsx';
import { isReadScope, type Scope } from './scopes.ts';

/** The rate limit of a new key, in requests per minute. */
const RATE_LIMIT = '600';

/** A new key, and the failure of adding its write scopes. */
type Made = ApiKeyWithSecret & { failure?: unknown };

/**
 * Creates a key. The api creates keys that can only read, so write scopes are added in a second request, which needs the
 * same confirmation of the password. If the second request fails, the key exists and can only read: its secret is shown
 * nevertheless.
 */
const create = async ({ scopes, clinicIds, expiryTime, ...fields }: KeyFields): Promise<Made> => {
  const reads = scopes.filter(isReadScope);
  const sent = {
    ...fields,
    scopes: reads,
    ...(clinicIds.length > 0 && { clinicIds: [...clinicIds] }),
    ...(expiryTime !== undefined && { expiryTime }),
  };
  const made = await withPrompts(() => api.apiKeys.create(sent));
  if (reads.length === scopes.length) return made;
  try {
    await withPrompts(() => api.apiKeys.update(made._id, { scopes: [...scopes] }));
    return made;
  } catch (failure) {
    return { ...made, failure };
  }
};

const CreateForm = ({ onCreated, onCancel }: { onCreated(created: Made): void; onCancel(): void }) => {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [clinicIds, setClinicIds] = useState<readonly string[]>([]);
  const [rateLimit, setRateLimit] = useState(RATE_LIMIT);
  const [end, setEnd] = useState('');
  const request = useMutation({
    mutationFn: () =>
      create({ name, scopes, clinicIds, rateLimit: Number(rateLimit), expiryTime: timeOf(end) }),
    onSuccess: onCreated,
  });
  return (
    <ActionForm request={request}>
      <Field
        label="Name"
        name="name"
        isRequired
        maxLength={200}
        description="What the key is for."
        value={name}
        onChange={setName}
      />
      <ScopesField value={scopes} onChange={setScopes} />
      <ClinicsField
        description="Without a selection, the key is for all clinics, also for those that are added later."
        value={clinicIds}
        onChange={setClinicIds}
      />
      <Field
        label="Requests per minute"
        name="rateLimit"
        type="number"
        isRequired
        description="600 suits most programs."
        value={rateLimit}
        onChange={setRateLimit}
      />
      <TimeField
        label="Ends"
        name="expiryTime"
        description="Without a time, the key has no end."
        value={end}
        onChange={setEnd}
      />
      <DialogButtons submit="Create" onCancel={onCancel} />
    </ActionForm>
  );
};

/**
 * A first call with a key, to paste into a terminal. `curl --user` would add a colon to the key. The key is not in the
 * arguments of a process.
 */
const FIRST_CALL = `printf 'Authorization: Basic %s' "$(printf %s "$CHAIRSIDE_API_KEY" | base64 | tr -d '\\n')" |
  curl -sS -H @- "$CHAIRSIDE_URL/api/clinics"`;

/** Creates a key and shows its secret. */
export const NewKey = () => (
  <SecretDialog<Made>
    name="New key"
    className="primary"
    title="New key"
    list="keys"
    form={(onCreated, onCancel) => <CreateForm onCreated={onCreated} onCancel={onCancel} />}
    secret={({ name, secret, failure }) => ({
      title: 'Copy the secret',
      label: 'Secret',
      text: secret,
      explanation: `This is the secret of “${name}”. You can reveal it later with your password.`,
      help: (
        <>
          {failure !== undefined && (
            <Note tone="warning" role="alert">
              <p>
                The key was created, but it can only read: {problemOf(failure).message} Add the write scopes
                with Edit.
              </p>
            </Note>
          )}
          <Snippet title="For the developer: a first call">{FIRST_CALL}</Snippet>
          <p className="small quiet">
            <code>CHAIRSIDE_API_KEY</code> is this secret, and <code>CHAIRSIDE_URL</code> is the address of
            the API, which is not that of this dashboard.
          </p>
        </>
      ),
    })}
  />
);
