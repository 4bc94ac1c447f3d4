import type { WebhookSubscription } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, Form, Switch } from 'react-aria-components';
import { api } from '../api/client.ts';
import { useFieldErrors } from '../api/problems.ts';
import { Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';
import { EventsField } from './EventsField.tsx';
import { subscriptionsQuery } from './requests.ts';

const DeleteSubscription = ({ subscription: { _id, url } }: { subscription: WebhookSubscription }) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.webhookSubscriptions.delete(_id)),
    async onSuccess() {
      queries.setQueryData(subscriptionsQuery.queryKey, (all) => all?.filter((each) => each._id !== _id));
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: ['subscriptions', _id] });
    },
  });
  return (
    <>
      <Button className="danger" onPress={() => setOpen(true)}>
        Delete
      </Button>
      <PageDialog title="Delete this subscription?" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          <p>
            <code>{url}</code> receives no more events. Its secret is gone for ever.
          </p>
          <Problem error={request.error} />
          <DialogButtons
            danger
            submit="Delete"
            isPending={request.isPending}
            onCancel={() => setOpen(false)}
          />
        </Form>
      </PageDialog>
    </>
  );
};

/** URL, events and whether the subscription is enabled. */
export const Settings = ({ subscription }: { subscription: WebhookSubscription }) => {
  const queries = useQueryClient();
  const [url, setUrl] = useState(subscription.url);
  const [events, setEvents] = useState(subscription.events);
  const [active, setActive] = useState(subscription.active);
  const request = useMutation({
    mutationFn: () =>
      withPrompts(() =>
        api.webhookSubscriptions.update(subscription._id, { url: url.trim(), events, active }),
      ),
    onSuccess: (saved) => queries.setQueryData(['subscriptions', saved._id], saved),
  });
  return (
    <>
      <Form
        className="form"
        validationErrors={useFieldErrors(request.error)}
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        <Problem error={request.error} />
        <Field label="URL" name="url" type="url" isRequired value={url} onChange={setUrl} />
        <EventsField value={events} onChange={setEvents} />
        <Switch className="check" isSelected={active} onChange={setActive}>
          <span className="switch" aria-hidden="true" />
          Active
        </Switch>
        <div className="buttons">
          <Button type="submit" className="primary" isPending={request.isPending}>
            Save
          </Button>
          <span role="status">{request.isSuccess && 'Saved'}</span>
        </div>
      </Form>
      <h2>Delete</h2>
      <DeleteSubscription subscription={subscription} />
    </>
  );
};
