import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { localOf, TimeField, timeOf } from '../components/TimeField.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

const DAY = 24 * 60 * 60_000;

/** Sends again what failed, was interrupted or was skipped in a range of time. */
export const RedeliverRange = ({
  subscriptionId,
  onStarted,
}: {
  subscriptionId: string;
  onStarted(): void;
}) => {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [since, setSince] = useState('');
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
      setOpen(false);
      await queries.invalidateQueries({ queryKey: ['redeliveries', subscriptionId] });
      onStarted();
    },
  });
  const open = () => {
    request.reset();
    setSince(localOf(Date.now() - DAY));
    setUntil('');
    setOpen(true);
  };
  return (
    <>
      <Button onPress={open}>Redeliver…</Button>
      <PageDialog title="Redeliver a time range" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ActionForm request={request}>
          <p>Deliveries that failed, were interrupted or were skipped in this range are sent again.</p>
          <Problem error={request.error} />
          <TimeField label="From" name="since" isRequired value={since} onChange={setSince} />
          <TimeField
            label="Until"
            name="until"
            description="Without it: until now."
            value={until}
            onChange={setUntil}
          />
          <DialogButtons submit="Redeliver" isPending={request.isPending} onCancel={() => setOpen(false)} />
        </ActionForm>
      </PageDialog>
    </>
  );
};
