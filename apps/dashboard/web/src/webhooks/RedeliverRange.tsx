import type { WebhookDelivery, WebhookDeliveryFilter } from '@chairside/client';
import { OUTCOMES } from '@chairside/client/words';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { DialogButton } from '../components/DialogButton.tsx';
import { countText } from '../components/numbers.ts';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { localOf, TimeField, timeOf } from '../components/TimeField.tsx';
import { withPrompts } from '../session/prompts.ts';

const DAY = 24 * 60 * 60_000;
/** The outcomes that are sent again. */
const REPEATED = ['failed', 'skipped', 'interrupted'] as const satisfies WebhookDelivery['outcome'][];
/** The most deliveries of an outcome that are counted before. The redelivery itself has no such limit. */
const MAX_COUNTED = 500;

type Range = { since: string | undefined; until: string | undefined };
/** A number of deliveries, and whether there may be more. */
type Counted = { count: number; isMore: boolean };

/** How many deliveries of a range would be sent again, by outcome. */
const countsQuery = (subscriptionId: string, { since, until }: Range) =>
  queryOptions({
    queryKey: ['redeliverable', subscriptionId, since, until],
    queryFn: ({ signal }) =>
      Promise.all(
        REPEATED.map(async (outcome): Promise<Counted> => {
          const filter = {
            webhookSubscriptionId: subscriptionId,
            outcome,
            since,
            ...(until !== undefined && { until }),
          } as WebhookDeliveryFilter;
          const list = api.webhookDeliveries.list(filter, { pageSize: MAX_COUNTED, signal });
          const { data, nextCursor } = await withPrompts(() => list.page());
          return { count: data.length, isMore: nextCursor !== undefined };
        }),
      ),
    enabled: since !== undefined,
  });

const Counts = ({ subscriptionId, range }: { subscriptionId: string; range: Range }) => {
  const { data, error } = useQuery(countsQuery(subscriptionId, range));
  const parts = (data ?? []).flatMap(({ count, isMore }, index) => {
    const outcome = REPEATED[index];
    if (outcome === undefined || count === 0) return [];
    return [`${countText(count)}${isMore ? ' or more' : ''} ${OUTCOMES[outcome].toLowerCase()}`];
  });
  const text =
    error !== null
      ? 'The deliveries of this range could not be counted.'
      : data === undefined
        ? 'Counting…'
        : parts.length === 0
          ? 'No delivery of this range failed, was skipped or was interrupted.'
          : `In this range: ${parts.join(', ')}.`;
  return (
    <p role="status" className="quiet">
      {text}
    </p>
  );
};

const RangeForm = ({
  subscriptionId,
  onStarted,
  onClose,
}: {
  subscriptionId: string;
  onStarted(): void;
  onClose(): void;
}) => {
  const queries = useQueryClient();
  const [since, setSince] = useState(() => localOf(Date.now() - DAY));
  const [until, setUntil] = useState('');
  const request = useMutation({
    mutationFn: () =>
      withPrompts(() =>
        api.webhookSubscriptions.redeliver(subscriptionId, {
          since: timeOf(since) ?? '',
          ...(until !== '' && { until: timeOf(until) ?? '' }),
        }),
      ),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries({ queryKey: ['redeliveries', subscriptionId] });
      onStarted();
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
      <Counts
        subscriptionId={subscriptionId}
        range={{ since: timeOf(since), until: until === '' ? undefined : timeOf(until) }}
      />
      <DialogButtons submit="Redeliver" onCancel={onClose} />
    </ActionForm>
  );
};

/** Redelivers the deliveries that failed, were interrupted or were skipped in a time range. */
export const RedeliverRange = ({
  subscriptionId,
  onStarted,
}: {
  subscriptionId: string;
  onStarted(): void;
}) => (
  <DialogButton name="Redeliver…" icon={<RotateCw aria-hidden="true" />}>
    {(close) => (
      <PageDialog title="Redeliver a time range" onClose={close}>
        <RangeForm subscriptionId={subscriptionId} onStarted={onStarted} onClose={close} />
      </PageDialog>
    )}
  </DialogButton>
);
