import type { CreatedWebhookSubscription } from '@chairside/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useClinicChoices } from '../clinics/requests.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Field, Select } from '../components/Field.tsx';
import { DialogButtons } from '../components/PageDialog.tsx';
import { Problem } from '../components/Problem.tsx';
import { SecretDialog } from '../components/Secret.tsx';
import type { EventEntry } from '../event-log/event-families.ts';
import { withPrompts } from '../session/prompts.ts';
import { EventsField } from './EventsField.tsx';

const CreateForm = ({
  onCreated,
  onCancel,
}: {
  onCreated(created: CreatedWebhookSubscription): void;
  onCancel(): void;
}) => {
  const clinics = useClinicChoices();
  const [clinicId, setClinicId] = useState<string>();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventEntry[]>([]);
  const chosen = clinicId ?? clinics[0]?.value;
  const request = useMutation({
    mutationFn: () =>
      withPrompts(() => api.webhookSubscriptions.create({ clinicId: chosen ?? '', url: url.trim(), events })),
    onSuccess: onCreated,
  });
  return (
    <ActionForm request={request}>
      <Problem error={request.error} />
      <Select label="Clinic" value={chosen} choices={clinics} onChange={setClinicId} />
      <Field
        label="URL"
        name="url"
        type="url"
        isRequired
        description="The receiver: an https address that the public internet can reach."
        value={url}
        onChange={setUrl}
      />
      <EventsField value={events} onChange={setEvents} />
      <DialogButtons submit="Create" isPending={request.isPending} onCancel={onCancel} />
    </ActionForm>
  );
};

/** Creates a subscription and shows its secret once. */
export const NewSubscription = () => (
  <SecretDialog<CreatedWebhookSubscription>
    name="New subscription"
    className="primary"
    title="New subscription"
    list="subscriptions"
    form={(onCreated, onCancel) => <CreateForm onCreated={onCreated} onCancel={onCancel} />}
    secret={({ secret }) => ({
      title: 'Keep this secret',
      label: 'Secret',
      text: secret,
      explanation: 'The receiver verifies signatures with this secret. It is shown only once: copy it now.',
    })}
  />
);
