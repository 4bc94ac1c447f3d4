import type { CreatedWebhookSubscription, WebhookSubscription } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { ConfirmAction } from '../../components/dialogs/ConfirmAction.tsx';
import { DialogButtons } from '../../components/dialogs/PageDialog.tsx';
import { SecretDialog } from '../../components/dialogs/Secret.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { withPrompts } from '../../session/prompts.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { waitsToReplace } from '../../subscriptions/states.ts';

/** The subscription that replaces this one, or is to replace it. */
const useReplacement = ({ _id }: WebhookSubscription): WebhookSubscription | undefined =>
  useQuery(subscriptionsQuery).data?.find(({ replaces }) => replaces === _id);

const CreateForm = ({
  subscriptionId,
  onMade,
  onCancel,
}: {
  subscriptionId: string;
  onMade(made: CreatedWebhookSubscription): void;
  onCancel(): void;
}) => {
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.webhookSubscriptions.replace(subscriptionId)),
    onSuccess: onMade,
  });
  return (
    <ActionForm request={request}>
      <p>
        A second subscription with a new secret is created. It gets no events until you switch to it, so
        nothing changes now.
      </p>
      <DialogButtons submit="Create the secret" onCancel={onCancel} />
    </ActionForm>
  );
};

/** Begins to replace the secret of a subscription. */
export const ReplaceSecret = ({ subscription }: { subscription: WebhookSubscription }) => {
  const replacement = useReplacement(subscription);
  if (replacement !== undefined) return null;
  return (
    <Card
      title="Signing secret"
      end={
        <SecretDialog<CreatedWebhookSubscription>
          name="Replace the secret"
          title="Replace the secret"
          list="subscriptions"
          form={(onMade, onCancel) => (
            <CreateForm subscriptionId={subscription._id} onMade={onMade} onCancel={onCancel} />
          )}
          secret={({ secret }) => ({
            title: 'Keep the new secret',
            label: 'Secret',
            text: secret,
            explanation:
              'Let the receiver accept it beside the old one. It is shown only once: copy it now. This page then leads on to the test and the switch.',
          })}
        />
      }
    >
      <p>Replace it if it may be known to others, or regularly. No event is lost, and none is sent twice.</p>
    </Card>
  );
};

const Linked = ({ id, children }: { id: string; children: string }) => (
  <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: id }}>
    {children}
  </Link>
);

/** Whether the last attempt of a pending replacement succeeded. It was a test, because it gets no events. */
const isTested = ({ lastStatusCode = 0 }: WebhookSubscription): boolean =>
  lastStatusCode >= 200 && lastStatusCode < 300;

/** What to do with a replacement that has not been switched to. */
const Pending = ({ subscription, replaces }: { subscription: WebhookSubscription; replaces: string }) => {
  const queries = useQueryClient();
  return (
    <Note
      tone="info"
      label="Replacement"
      {...(isTested(subscription) && {
        actions: (
          <ConfirmAction
            name="Switch"
            submit="Switch"
            cancel="Not yet"
            title="Switch to this subscription?"
            act={() => api.webhookSubscriptions.update(subscription._id, { active: true })}
            onDone={() => queries.invalidateQueries({ queryKey: ['subscriptions'] })}
          >
            <p>
              From now on this subscription gets the events, signed with the new secret. What is queued for
              the other one is still sent with the old secret. This cannot be undone.
            </p>
          </ConfirmAction>
        ),
      })}
    >
      <p className="strong">
        It gets no events yet: it is to replace <Linked id={replaces}>another subscription</Linked>.
      </p>
      <p>
        {isTested(subscription)
          ? 'The receiver has accepted a test with the new secret. Switch to it.'
          : 'Let the receiver accept both secrets, then send a test. When it has succeeded, switch.'}
      </p>
    </Note>
  );
};

/** A subscription that is replaced, is to be replaced, or replaces another: what to do next. */
export const Replacement = ({ subscription }: { subscription: WebhookSubscription }) => {
  const { _id, replaces, replacedBy, disabledTime } = subscription;
  const replacement = useReplacement(subscription);
  if (replacedBy !== undefined)
    return (
      <Note tone="idle" label="Replacement">
        <p className="strong">
          Replaced <Time value={disabledTime} /> by <Linked id={replacedBy}>another subscription</Linked>.
        </p>
        <p>
          What was queued is still sent, with the old secret. When no delivery is queued any more, delete this
          subscription under Settings, and let the receiver forget the old secret.
        </p>
      </Note>
    );
  if (replaces !== undefined && waitsToReplace(subscription))
    return <Pending key={_id} subscription={subscription} replaces={replaces} />;
  if (replacement === undefined) return null;
  return (
    <Note
      tone="info"
      label="Replacement"
      actions={
        <Link className="button" to="/webhooks/$subscriptionId" params={{ subscriptionId: replacement._id }}>
          Continue
        </Link>
      }
    >
      <p className="strong">A subscription with a new secret is to replace this one.</p>
      <p>Test the new one, and switch to it. Until then, this one gets the events.</p>
    </Note>
  );
};
