import type { ClinicSubscription, WebhookSubscription } from '@chairside/client';
import { createForClinics } from '@chairside/client/every-clinic';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useClinicChoices, withNoClinic } from '../../clinics/requests.ts';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field, Select } from '../../components/forms/Field.tsx';
import { Snippet } from '../../components/texts/CopyText.tsx';
import type { EventEntry } from '../../events/event-families.ts';
import { withPrompts } from '../../session/prompts.ts';
import { EventsField } from './EventsField.tsx';
import { GroupResult } from './GroupResult.tsx';
import { headersOf } from './headers.ts';
import { HeadersField, PayloadField } from './SentFields.tsx';

/** The choice of all clinics. The choice of one clinic begins with {@link ONE}, so that no id can be equal to it. */
const ALL = 'all';
const ONE = 'one ';

/** How a receiver in Node.js verifies a webhook. `body` is the raw body of the request. */
const VERIFY = `import { createVerifier, signatureHeader } from '@chairside/signing';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });
const event = webhooks.unwrap({ body, header: signatureHeader(request) });`;

/** The secret of one subscription, or what was done for each clinic. */
type Made = { secret: string } | { results: readonly ClinicSubscription[] };

/** @throws the first failure, if there is no subscription at all: the form shows it at its fields */
const createEach = async (
  fields: Pick<WebhookSubscription, 'url' | 'events' | 'payload' | 'headers'>,
): Promise<Made> => {
  const results: ClinicSubscription[] = [];
  for await (const result of createForClinics(api, fields)) results.push(result);
  const [first] = results;
  const hasNone = results.every(({ outcome }) => outcome === 'failed' || outcome === 'untried');
  if (hasNone && first?.outcome === 'failed') throw first.error;
  return { results };
};

/** The new secrets by the ids of their subscriptions, as the receiver reads them; empty if there are none. */
const secretsOf = (results: readonly ClinicSubscription[]): string => {
  const created = results.flatMap((result) => (result.outcome === 'created' ? [result.subscription] : []));
  if (created.length === 0) return '';
  return JSON.stringify(Object.fromEntries(created.map(({ _id, secret }) => [_id, secret])));
};

const CreateForm = ({ onMade, onCancel }: { onMade(made: Made): void; onCancel(): void }) => {
  const clinics = useClinicChoices();
  const [choice, setChoice] = useState<string>();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<EventEntry[]>([]);
  const [payload, setPayload] = useState<WebhookSubscription['payload']>('full');
  const [headers, setHeaders] = useState('');
  const one = clinics.map(({ value, label }) => ({ value: ONE + value, label }));
  const all = { value: ALL, label: 'All clinics: one subscription for each' };
  const choices = one.length > 1 ? [...one, all] : one;
  const chosen = choice ?? (one.length === 1 ? one[0]?.value : undefined) ?? '';
  const request = useMutation({
    mutationFn: (): Promise<Made> =>
      withPrompts(() => {
        const fields = { url: url.trim(), events, payload, headers: headersOf(headers) };
        return chosen === ALL
          ? createEach(fields)
          : api.webhookSubscriptions.create({ ...fields, clinicId: chosen.slice(ONE.length) });
      }),
    onSuccess: onMade,
  });
  return (
    <ActionForm request={request}>
      <Select
        label="Clinic"
        value={chosen}
        choices={withNoClinic(choices)}
        name="clinicId"
        isRequired
        onChange={setChoice}
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
      <PayloadField value={payload} onChange={setPayload} />
      <HeadersField value={headers} onChange={setHeaders} />
      <DialogButtons submit="Create" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Creates a subscription, or one for each clinic, and shows the secrets once. */
export const NewSubscription = () => (
  <SecretDialog<Made>
    name="New subscription"
    className="primary"
    title="New subscription"
    list="subscriptions"
    form={(onMade, onCancel) => <CreateForm onMade={onMade} onCancel={onCancel} />}
    secret={(made) =>
      'secret' in made
        ? {
            title: 'Keep this secret',
            label: 'Secret',
            text: made.secret,
            explanation:
              'The receiver verifies signatures with this secret. It is shown only once: copy it now.',
            help: <Snippet title="For the developer: verify in Node.js">{VERIFY}</Snippet>,
          }
        : {
            title: 'One subscription for each clinic',
            label: 'New secrets by subscription',
            text: secretsOf(made.results),
            explanation: <GroupResult results={made.results} />,
          }
    }
  />
);
