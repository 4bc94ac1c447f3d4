import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { api } from '../api/client.ts';
import { useFieldErrors } from '../api/problems.ts';
import { Field } from '../components/Field.tsx';
import { DialogButtons, PageDialog } from '../components/PageDialog.tsx';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

const DAY = 24 * 60 * 60_000;

/** A time as `<input type="datetime-local">` has it, in the reader's zone. */
const localOf = (time: number): string => {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const timeOf = (local: string): string => new Date(local).toISOString();

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
          since: timeOf(since),
          ...(until !== '' && { until: timeOf(until) }),
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
        <Form
          className="form"
          validationErrors={useFieldErrors(request.error)}
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate();
          }}
        >
          <p>Deliveries that failed, were interrupted or were skipped in this range are sent again.</p>
          <Problem error={request.error} />
          <Field
            label="From"
            name="since"
            type="datetime-local"
            isRequired
            value={since}
            onChange={setSince}
          />
          <Field
            label="Until"
            name="until"
            type="datetime-local"
            description="Without it: until now."
            value={until}
            onChange={setUntil}
          />
          <DialogButtons submit="Redeliver" isPending={request.isPending} onCancel={() => setOpen(false)} />
        </Form>
      </PageDialog>
    </>
  );
};
