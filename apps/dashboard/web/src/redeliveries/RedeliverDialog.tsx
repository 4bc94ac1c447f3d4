import type { WebhookRedelivery, WebhookSubscription } from '@chairside/client';
import { OUTCOMES } from '@chairside/client/words';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { problemOf, UnusableInput } from '../api/problems.ts';
import { DialogButtons, leave, PageDialog } from '../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../components/forms/ActionForm.tsx';
import { localOf, TimeField, timeOf } from '../components/forms/TimeField.tsx';
import { Note } from '../components/states/Note.tsx';
import { Problem } from '../components/states/Problem.tsx';
import { Chip } from '../components/texts/Chip.tsx';
import { countText } from '../components/texts/numbers.ts';
import { Receiver } from '../components/texts/Receiver.tsx';
import { UNSUCCESSFUL } from '../deliveries/unsuccessful.ts';
import { withPrompts } from '../session/prompts.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { isOpen, type Range, redeliverableQuery, redeliveriesQuery } from './requests.ts';
import { progressOf, stateOf } from './words.ts';
import './RedeliverDialog.css';

const DAY = 24 * 60 * 60_000;
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const NOTHING = 'Nothing is left to send again in this range.';

/** What would be sent again, in words, and whether that is nothing. */
const useCount = (subscriptionId: string | undefined, range: Range): { text: string; isNothing: boolean } => {
  const { data, error } = useQuery(redeliverableQuery(subscriptionId, range));
  if (error !== null) return { text: 'The deliveries of this range could not be counted.', isNothing: false };
  if (data === undefined) return { text: 'Counting…', isNothing: false };
  const parts = data.flatMap(({ subscriptionIds: { length }, isMore }, index) => {
    const outcome = UNSUCCESSFUL[index];
    if (outcome === undefined || (length === 0 && !isMore)) return [];
    return [`${countText(length)}${isMore ? ' or more' : ''} ${OUTCOMES[outcome].toLowerCase()}`];
  });
  if (parts.length === 0) return { text: NOTHING, isNothing: true };
  const receivers = new Set(data.flatMap(({ subscriptionIds }) => subscriptionIds)).size;
  const of =
    subscriptionId === undefined && receivers > 1 ? `, of ${countText(receivers)} subscriptions` : '';
  return { text: `In this range: ${parts.join(', ')}${of}.`, isNothing: false };
};

/** The most disabled subscriptions that a dialog names. */
const MAX_NAMED = 3;

/** Says that subscriptions are disabled: what is sent again does not activate them. */
const StillDisabled = ({ subscriptionId }: { subscriptionId: string | undefined }) => {
  const { data = [] } = useQuery(subscriptionsQuery);
  const disabled = data.filter(
    ({ _id, state }) => state === 'disabled' && (subscriptionId === undefined || _id === subscriptionId),
  );
  if (disabled.length === 0) return null;
  return (
    <Note tone="warning">
      {subscriptionId === undefined ? (
        <>
          {disabled.slice(0, MAX_NAMED).map((each) => (
            <p key={each._id}>
              <SubscriptionLink subscription={each} /> is still disabled.
            </p>
          ))}
          {disabled.length > MAX_NAMED && (
            <p>{countText(disabled.length - MAX_NAMED)} more are still disabled.</p>
          )}
          <p>Activate what should get new events.</p>
        </>
      ) : (
        <p>This subscription is still disabled. Activate it, so that it gets new events.</p>
      )}
    </Note>
  );
};

const SubscriptionLink = ({ subscription: { _id, url } }: { subscription: WebhookSubscription }) => (
  <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: _id }}>
    <Receiver url={url} />
  </Link>
);

/** The bulk redeliveries that began, and the failure after which no more were begun. */
type Started = { redeliveries: readonly WebhookRedelivery[]; failure?: unknown };

/** The bulk redeliveries as they are now, and the failure of a read. */
const useProgress = (started: Started | undefined) => {
  const redeliveries = started?.redeliveries ?? [];
  const lists = useQueries({
    queries: redeliveries.map((each) => redeliveriesQuery(each.subscriptionId)),
  });
  const error = lists.find((list) => list.error !== null)?.error;
  const current = redeliveries.map(
    (each, index) => lists[index]?.data?.data.find(({ _id }) => _id === each._id) ?? each,
  );
  return { current, error };
};

/** The bulk redeliveries of several subscriptions, with their progress until it is final. */
const Results = ({
  current,
  error,
  failure,
  onClose,
}: {
  current: readonly WebhookRedelivery[];
  error: unknown;
  failure: unknown;
  onClose(): void;
}) => {
  const { data: subscriptions = [] } = useQuery(subscriptionsQuery);
  return (
    <>
      <p className="quiet">
        {current.some(isOpen)
          ? 'You can close this dialog: the redelivery continues. The tab Redeliveries of a subscription shows it, and stops it.'
          : 'The tab Redeliveries of a subscription keeps this result for 30 days.'}
      </p>
      {failure !== undefined && (
        <Note tone="warning" role="alert">
          <p>Only these were begun: {problemOf(failure).message}</p>
        </Note>
      )}
      <Problem error={error} />
      <ul className="redelivered">
        {current.map((each) => {
          const [label, tone] = stateOf(each);
          const subscription = subscriptions.find(({ _id }) => _id === each.subscriptionId);
          return (
            <li key={each._id}>
              <Chip tone={tone}>{label}</Chip>
              <span>
                {subscription === undefined ? (
                  <Receiver url={each.subscriptionId} />
                ) : (
                  <SubscriptionLink subscription={subscription} />
                )}
                <span className="quiet small">{progressOf(each)}</span>
                {subscription?.state === 'disabled' && (
                  <span className="small">
                    It is still disabled. Activate it, so that it gets new events.
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      <div className="buttons dialog-buttons">
        <Button className="primary" onPress={() => leave(onClose)}>
          Close
        </Button>
      </div>
    </>
  );
};

const RangeForm = ({
  subscriptionId,
  submit,
  onStarted,
  onClose,
}: {
  subscriptionId: string | undefined;
  submit: string;
  onStarted(started: Started): void;
  onClose(): void;
}) => {
  const queries = useQueryClient();
  const [since, setSince] = useState(() => localOf(Date.now() - DAY));
  const [until, setUntil] = useState('');
  const range = { since: timeOf(since), until: until === '' ? undefined : timeOf(until) };
  /** The subscriptions with something to redeliver; all of them if there are too many deliveries to count. */
  const concerned = async (): Promise<string[]> => {
    if (subscriptionId !== undefined) return [subscriptionId];
    const counted = await queries.fetchQuery(redeliverableQuery(undefined, range));
    if (!counted.some(({ isMore }) => isMore))
      return [...new Set(counted.flatMap(({ subscriptionIds }) => subscriptionIds))];
    return (await queries.fetchQuery(subscriptionsQuery)).map(({ _id }) => _id);
  };
  const request = useMutation({
    async mutationFn() {
      const fields = {
        since: range.since ?? '',
        ...(until !== '' && { until: range.until ?? '' }),
        unrepaired: true,
      };
      const ids = await concerned();
      if (ids.length === 0) throw new UnusableInput(NOTHING);
      const redeliveries: WebhookRedelivery[] = [];
      try {
        for (const id of ids)
          redeliveries.push(await withPrompts(() => api.webhookSubscriptions.redeliver(id, fields)));
      } catch (failure) {
        // Another press of the button would begin the others a second time.
        if (redeliveries.length === 0) throw failure;
        return { redeliveries, failure };
      }
      return { redeliveries };
    },
    async onSuccess(started) {
      await queries.invalidateQueries({ queryKey: ['redeliveries'] });
      onStarted(started);
    },
  });
  const { text, isNothing } = useCount(subscriptionId, range);
  return (
    <ActionForm request={request} isReady={!isNothing}>
      <p>
        Deliveries that failed, were interrupted or were skipped in this range are sent again, except those
        that were redelivered with success since. Repair the receiver before: otherwise they would fail again.
      </p>
      <StillDisabled subscriptionId={subscriptionId} />
      <TimeField
        label="From"
        name="since"
        description={`Times are in your time zone, ${timeZone}.`}
        isRequired
        value={since}
        onChange={setSince}
      />
      <TimeField
        label="Until"
        name="until"
        description="If empty, the range ends now."
        value={until}
        onChange={setUntil}
      />
      <p role="status" className="quiet">
        {text}
      </p>
      {/* The button stays while the number is unknown, also after a change of the range. */}
      <DialogButtons
        submit={isNothing ? undefined : submit}
        cancel={isNothing ? 'Close' : 'Cancel'}
        onCancel={onClose}
      />
    </ActionForm>
  );
};

/** Redelivers what failed, was interrupted or was skipped in a time range. The number is shown before. */
export const RedeliverDialog = ({
  subscriptionId,
  onStarted,
  onClose,
}: {
  subscriptionId: string;
  onStarted(): void;
  onClose(): void;
}) => (
  <PageDialog title="Redeliver a time range" onClose={onClose}>
    <RangeForm
      subscriptionId={subscriptionId}
      submit="Redeliver"
      onStarted={() => {
        onClose();
        onStarted();
      }}
      onClose={onClose}
    />
  </PageDialog>
);

/** What the dialog does, in words: until it is begun, while it runs, and in the end. */
const recoverTitle = (redeliveries: readonly WebhookRedelivery[] | undefined): string => {
  if (redeliveries === undefined) return 'Recover what failed';
  if (redeliveries.some(isOpen)) return 'Recovering what failed';
  const sum = (name: 'made' | 'succeeded') =>
    redeliveries.reduce((total, each) => total + (each[name] ?? 0), 0);
  return `Recovered ${countText(sum('succeeded'))} of ${countText(sum('made'))} deliveries`;
};

/** The same for all subscriptions. The dialog shows the number before and the result after. */
export const RecoverDialog = ({ onClose }: { onClose(): void }) => {
  const [started, setStarted] = useState<Started>();
  const { current, error } = useProgress(started);
  return (
    <PageDialog title={recoverTitle(started && current)} onClose={onClose}>
      {started === undefined ? (
        <RangeForm subscriptionId={undefined} submit="Recover" onStarted={setStarted} onClose={onClose} />
      ) : (
        <Results current={current} error={error} failure={started.failure} onClose={onClose} />
      )}
    </PageDialog>
  );
};
