import type { ProgramTokenWithSecret } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ClinicsField } from '../../clinics/ClinicsField.tsx';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { withPrompts } from '../../session/prompts.ts';

/** The lifetime of a new token, in days. */
const LIFETIME = '90';

const CreateForm = ({
  onCreated,
  onCancel,
}: {
  onCreated(created: ProgramTokenWithSecret): void;
  onCancel(): void;
}) => {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState(LIFETIME);
  const [clinicIds, setClinicIds] = useState<string[]>([]);
  const request = useMutation({
    mutationFn: () =>
      withPrompts(() =>
        api.sessions.createToken({
          name,
          access: 'webhooks',
          lifetimeDays: Number(lifetime),
          ...(clinicIds.length > 0 && { clinicIds }),
        }),
      ),
    onSuccess: onCreated,
  });
  return (
    <ActionForm request={request}>
      <p>A program with this token manages webhooks, and can read patient data in events.</p>
      <Field
        label="Name"
        name="name"
        isRequired
        maxLength={200}
        description="What the token is for."
        value={name}
        onChange={setName}
      />
      <Field
        label="Days until it ends"
        name="lifetimeDays"
        type="number"
        isRequired
        description="From 1 to 365."
        value={lifetime}
        onChange={setLifetime}
      />
      <ClinicsField
        description="Without a selection, the token is for all clinics."
        value={clinicIds}
        onChange={setClinicIds}
      />
      <DialogButtons submit="Create" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Creates a program token and shows it once. */
export const NewProgramToken = () => (
  <SecretDialog<ProgramTokenWithSecret>
    name="New program token"
    title="New program token"
    list="programTokens"
    form={(onCreated, onCancel) => <CreateForm onCreated={onCreated} onCancel={onCancel} />}
    secret={({ name, token }) => ({
      title: 'Copy the token',
      label: 'Program token',
      text: token,
      explanation: `This is the token “${name}”. It is shown only once. Whoever has it can read patient data in events.`,
    })}
  />
);
