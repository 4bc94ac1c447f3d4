import type { CreatedWebhookSubscription } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { CopyText } from '../components/CopyText.tsx';
import { Choose, Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { EventsField } from './EventsField.tsx';
import type { EventEntry } from './event-families.ts';
import { clinicsQuery } from './requests.ts';

const CreateForm = ({
  onCreated,
  onCancel,
}: {
  onCreated(created: CreatedWebhookSubscription): void;
  onCancel(): void;
}) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const [clinicId, setClinicId] = useState<string>();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventEntry[]>([]);
  const chosen = clinicId ?? clinics[0]?._id;
  const request = useMutation({
    mutationFn: () =>
      withPrompts(() => api.webhookSubscriptions.create({ clinicId: chosen ?? '', url: url.trim(), events })),
    onSuccess: onCreated,
  });
  return (
    <ActionForm request={request}>
      <Problem error={request.error} />
      <Choose
        label="Clinic"
        value={chosen}
        choices={clinics.map(({ _id, name }) => ({ value: _id, label: name ?? _id }))}
        onChange={setClinicId}
      />
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

/** Creates a subscription and shows its secret once. The secret leaves the page with the dialog. */
export const NewSubscription = () => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<CreatedWebhookSubscription>();
  const close = () => {
    setOpen(false);
    setCreated(undefined);
    void queries.invalidateQueries({ queryKey: ['subscriptions'] });
  };
  return (
    <>
      <Button className="primary" onPress={() => setOpen(true)}>
        New subscription
      </Button>
      <PageDialog title={created ? 'Keep this secret' : 'New subscription'} isOpen={isOpen} onClose={close}>
        {created === undefined ? (
          <CreateForm onCreated={setCreated} onCancel={close} />
        ) : (
          <>
            <p>The receiver verifies signatures with this secret. It is shown only once: copy it now.</p>
            <CopyText label="Secret" text={created.secret} />
            <div className="buttons">
              <Button className="primary" onPress={close}>
                Done
              </Button>
            </div>
          </>
        )}
      </PageDialog>
    </>
  );
};
