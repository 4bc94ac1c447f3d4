import type { WebhookRedelivery } from '@chairside/client';
import { OUTCOMES } from '@chairside/client/words';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { problemOf, UnusableInput } from '../api/problems.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Chip } from '../components/Chip.tsx';
import { Note } from '../components/Note.tsx';
import { countText } from '../components/numbers.ts';
import { DialogButtons, leave, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../components/Problem.tsx';
import { Receiver } from '../components/Receiver.tsx';
import { localOf, TimeField, timeOf } from '../components/TimeField.tsx';
import { withPrompts } from '../session/prompts.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { type Range, REPEATED, redeliverableQuery, redeliveriesQuery } from './requests.ts';
import { progressOf, stateOf } from './words.ts';
import './RedeliverDialog.css';

const DAY = 24 * 60 * 60_000;
const NOTHING = 'No delivery of this range failed, was skipped or was interrupted.';

const Counts = ({ subscriptionId, range }: { subscriptionId: string | undefined; range: Range }) => {
  const { data, error } = useQuery(redeliverableQuery(subscriptionId, range));
  const parts = (data ?? []).flatMap(({ subscriptionIds: { length }, isMore }, index) => {
    const outcome = REPEATED[index];
    if (outcome === undefined || length === 0) return [];
    return [`${countText(length)}${isMore ? ' or more' : ''} ${OUTCOMES[outcome].toLowerCase()}`];
  });
  const receivers = new Set(data?.flatMap(({ subscriptionIds }) => subscriptionIds)).size;
  const of =
    subscriptionId === undefined && receivers > 1 ? `, of ${countText(receivers)} subscriptions` : '';
  const text =
    error !== null
      ? 'The deliveries of this range could not be counted.'
      : data === undefined
        ? 'Counting…'
        : parts.length === 0
          ? NOTHING
          : `In this range: ${parts.join(', ')}${of}.`;
  return (
    <p role="status" className="quiet">
      {text}
    </p>
  );
};

/** The bulk redeliveries that began, and the failure after which no more were begun. */
type Started = { redeliveries: readonly WebhookRedelivery[]; failure?: unknown };

/** The bulk redeliveries of several subscriptions, with their progress until it is final. */
const Results = ({ started, onClose }: { started: Started; onClose(): void }) => {
  const { redeliveries, failure } = started;
  const { data: subscriptions = [] } = useQuery(subscriptionsQuery);
  const lists = useQueries({
    queries: redeliveries.map((each) => redeliveriesQuery(each.subscriptionId)),
  });
  const error = lists.find((list) => list.error !== null)?.error;
  return (
    <>
      <p className="quiet">
        You can close this dialog: the redelivery continues. The tab Redeliveries of a subscription shows it,
        and stops it.
      </p>
      {failure !== undefined && (
        <Note tone="warning" role="alert">
          <p>Only these were begun: {problemOf(failure).message}</p>
        </Note>
      )}
      <Problem error={error} />
      <ul className="redelivered">
        {redeliveries.map((each, index) => {
          const current = lists[index]?.data?.data.find(({ _id }) => _id === each._id) ?? each;
          const [label, tone] = stateOf(current);
          const url = subscriptions.find(({ _id }) => _id === each.subscriptionId)?.url;
          return (
            <li key={each._id}>
              <Chip tone={tone}>{label}</Chip>
              <span>
                <Receiver url={url ?? each.subscriptionId} />
                <span className="quiet small">{progressOf(current)}</span>
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
  onStarted,
  onClose,
}: {
  subscriptionId: string | undefined;
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
      const fields = { since: range.since ?? '', ...(until !== '' && { until: range.until ?? '' }) };
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
  return (
    <ActionForm request={request}>
      <p>
        Deliveries that failed, were interrupted or were skipped in this range are sent again. Repair the
        receiver before: otherwise they would fail again.
      </p>
      <TimeField label="From" name="since" isRequired value={since} onChange={setSince} />
      <TimeField
        label="Until"
        name="until"
        description="If empty, the range ends now."
        value={until}
        onChange={setUntil}
      />
      <Counts subscriptionId={subscriptionId} range={range} />
      <DialogButtons submit="Redeliver" onCancel={onClose} />
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
      onStarted={() => {
        onClose();
        onStarted();
      }}
      onClose={onClose}
    />
  </PageDialog>
);

/** The same for all subscriptions. The dialog shows the number before and the result after. */
export const RecoverDialog = ({ onClose }: { onClose(): void }) => {
  const [started, setStarted] = useState<Started>();
  return started === undefined ? (
    <PageDialog title="Recover what failed" onClose={onClose}>
      <RangeForm subscriptionId={undefined} onStarted={setStarted} onClose={onClose} />
    </PageDialog>
  ) : (
    <PageDialog title="What was recovered" onClose={onClose}>
      <Results started={started} onClose={onClose} />
    </PageDialog>
  );
};
