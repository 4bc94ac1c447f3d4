import type { WebhookSubscription } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../../api/client.ts';
import { ConfirmAction } from '../../components/dialogs/ConfirmAction.tsx';
import { Leaving } from '../../components/dialogs/Leaving.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { FormEnd } from '../../components/forms/FormEnd.tsx';
import { Saved } from '../../components/forms/Saved.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { useIfShown } from '../../components/states/if-shown.ts';
import { Note } from '../../components/states/Note.tsx';
import { offerUndo } from '../../components/undo/undo.ts';
import { changeSeen, undoOwn } from '../../session/seen-change.ts';
import { showStored, subscriptionsQuery } from '../../subscriptions/requests.ts';
import { EventsField } from './EventsField.tsx';
import {
  changesOf,
  conflictsOf,
  editOf,
  type Fields,
  followed,
  isSameIn,
  losesHeaders,
  undoableOf,
} from './edit.ts';
import { ReplaceSecret } from './Replacement.tsx';
import { HeadersField, PayloadField } from './SentFields.tsx';
import '../../components/forms/Switch.css';

const DeleteSubscription = ({ subscription: { _id, url } }: { subscription: WebhookSubscription }) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const ifShown = useIfShown();
  const leave = async () => {
    queries.setQueryData(subscriptionsQuery.queryKey, (all) => all?.filter((each) => each._id !== _id));
    await ifShown(() => navigate({ to: '/webhooks', ignoreBlocker: true }));
    queries.removeQueries({ queryKey: ['subscriptions', _id] });
  };
  return (
    <ConfirmAction
      danger
      name="Delete"
      submit="Delete"
      cancel="Keep it"
      title="Delete this subscription?"
      act={() => api.webhookSubscriptions.delete(_id)}
      onDone={leave}
    >
      <p>
        <code>{url}</code> receives no more events. Its secret is deleted. This cannot be undone.
      </p>
    </ConfirmAction>
  );
};

/** Edits the URL, the events and the state of a subscription, or deletes it. */
export const Settings = ({ subscription }: { subscription: WebhookSubscription }) => {
  const queries = useQueryClient();
  const [typed, setEdit] = useState(() => editOf(subscription));
  const edit = followed(typed, subscription);
  if (edit !== typed) setEdit(edit);
  const { fields } = edit;
  const change = (changed: Partial<Fields>) => setEdit({ ...edit, fields: { ...fields, ...changed } });
  const conflicts = conflictsOf(edit, subscription);
  const keep = (stored: WebhookSubscription) => showStored(queries, stored);
  const { _id } = subscription;
  const request = useMutation({
    async mutationFn() {
      const changes = changesOf(edit);
      if (Object.keys(changes).length === 0) return { saved: subscription };
      return changeSeen(
        () => api.webhookSubscriptions.get(_id).withResponse(),
        // The operator decides about a conflict only after the page has shown it.
        (stored) => String(conflictsOf(edit, stored)) === String(conflicts),
        (ifMatch) => api.webhookSubscriptions.update(_id, changes, { ifMatch }),
      );
    },
    async onSuccess(result) {
      const stored = 'saved' in result ? result.saved : result.theirs;
      await keep(stored);
      if ('theirs' in result) return;
      setEdit(editOf(stored));
      const offer = undoableOf(edit, subscription.state);
      if (offer === undefined) return;
      const { restored, ...words } = offer;
      offerUndo({
        ...words,
        undo: async () =>
          keep(
            await undoOwn(
              () => api.webhookSubscriptions.get(_id).withResponse(),
              (read) => isSameIn(read, stored, restored),
              (read) => isSameIn(read, { ...stored, ...restored }, restored),
              (ifMatch) => api.webhookSubscriptions.update(_id, restored, { ifMatch }),
            ),
          ),
      });
    },
  });
  const isChanged = Object.keys(changesOf(edit)).length > 0;
  const isSaved = request.data !== undefined && 'saved' in request.data;
  return (
    <div className="stack">
      <Leaving
        isChanged={isChanged}
        staysAt={(next, current) =>
          next.pathname === current.pathname && next.search.tab === current.search.tab
        }
      />
      <ActionForm request={request}>
        {conflicts.length > 0 && (
          <Note tone="warning" role="alert">
            <p>Somebody else has changed this meanwhile. Saving replaces their version:</p>
            <ul>
              {conflicts.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Note>
        )}
        <Field
          label="URL"
          name="url"
          type="url"
          isRequired
          value={fields.url}
          onChange={(url) => change({ url: url.trim() })}
        />
        <EventsField value={fields.events} onChange={(events) => change({ events })} />
        <PayloadField value={fields.payload} onChange={(payload) => change({ payload })} />
        <HeadersField
          value={fields.headers}
          isOtherOrigin={losesHeaders(edit)}
          onChange={(headers) => change({ headers })}
        />
        <label className="check">
          <input
            type="checkbox"
            // biome-ignore lint/a11y/useAriaPropsForRole: the state of a native check box is known
            role="switch"
            className="hidden"
            checked={fields.active}
            onChange={({ target }) => change({ active: target.checked })}
          />
          <span className="switch" aria-hidden="true" />
          Active
        </label>
        <FormEnd {...(isSaved && { message: <Saved /> })}>
          <Button
            isDisabled={!isChanged}
            onPress={() => {
              setEdit(editOf(subscription));
              request.reset();
            }}
          >
            Discard
          </Button>
          <Button type="submit" className="primary" isPending={request.isPending}>
            Save
          </Button>
        </FormEnd>
      </ActionForm>
      <ReplaceSecret subscription={subscription} />
      <Card title="Delete" end={<DeleteSubscription subscription={subscription} />}>
        <p>The receiver gets no more events, and the secret is deleted. This cannot be undone.</p>
      </Card>
    </div>
  );
};
