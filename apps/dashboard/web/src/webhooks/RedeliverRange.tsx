import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { DialogButton } from '../components/DialogButton.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../components/Problem.tsx';
import { localOf, TimeField, timeOf } from '../components/TimeField.tsx';
import { withPrompts } from '../session/prompts.ts';

const DAY = 24 * 60 * 60_000;

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
      <p>Deliveries that failed, were interrupted or were skipped in this range are sent again.</p>
      <Problem error={request.error} />
      <TimeField label="From" name="since" isRequired value={since} onChange={setSince} />
      <TimeField
        label="Until"
        name="until"
        description="If empty, the range ends now."
        value={until}
        onChange={setUntil}
      />
      <DialogButtons submit="Redeliver" isPending={request.isPending} onCancel={onClose} />
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
  <DialogButton name="Redeliver…">
    {(close) => (
      <PageDialog title="Redeliver a time range" onClose={close}>
        <RangeForm subscriptionId={subscriptionId} onStarted={onStarted} onClose={close} />
      </PageDialog>
    )}
  </DialogButton>
);
