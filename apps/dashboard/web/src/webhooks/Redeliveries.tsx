import type { WebhookRedelivery } from '@chairside/client';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { Badge } from '../components/Badge.tsx';
import { ConfirmAction } from '../components/ConfirmAction.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { withPrompts } from '../session/prompts.ts';

const redeliveriesQuery = (subscriptionId: string) =>
  queryOptions({
    queryKey: ['redeliveries', subscriptionId],
    queryFn: (context) =>
      withPrompts(() =>
        api.webhookSubscriptions
          .redeliveries(subscriptionId, { pageSize: 20, ...liveRequest(context) })
          .page(),
      ),
    refetchInterval: (query) => (query.state.data?.data.some(isOpen) ? liveInterval(query) : false),
  });

/** Whether its numbers may still change. */
const isOpen = ({ state, waiting = 0 }: WebhookRedelivery): boolean => state === 'running' || waiting > 0;

/** The label and the badge of a redelivery. It is green only if every delivery succeeded. */
const stateOf = ({ state, waiting = 0, failed = 0, succeeded }: WebhookRedelivery): [string, string] => {
  if (state === 'running') return ['Running', 'sending'];
  if (waiting > 0) return ['Sending', 'sending'];
  if (failed > 0) return [`${failed} failed`, 'failed'];
  // Earlier versions did not count what succeeded.
  const isKnown = succeeded !== undefined;
  return state === 'done' ? ['Done', isKnown ? 'succeeded' : 'skipped'] : ['Stopped', 'skipped'];
};

const progressOf = ({ made, waiting, succeeded, failed, gone }: WebhookRedelivery): string => {
  const parts = [
    `${made} created`,
    ...(succeeded === undefined
      ? ['outcomes not recorded']
      : [`${waiting} waiting`, `${succeeded} succeeded`, `${failed} failed`]),
    ...(gone > 0 ? [`${gone} without an event`] : []),
  ];
  return parts.join(', ');
};

const Stop = ({ redelivery: { _id, subscriptionId } }: { redelivery: WebhookRedelivery }) => {
  const queries = useQueryClient();
  return (
    <ConfirmAction
      name="Stop"
      title="Stop this redelivery?"
      act={() => api.webhookSubscriptions.stopRedelivery(subscriptionId, _id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['redeliveries', subscriptionId] })}
    >
      <p>No further deliveries are created. Those that were created are still sent.</p>
    </ConfirmAction>
  );
};

const Row = ({ redelivery }: { redelivery: WebhookRedelivery }) => {
  const { state, since, until, createdTime } = redelivery;
  const [label, look] = stateOf(redelivery);
  return (
    <tr>
      <td>
        <Time value={createdTime} />
      </td>
      <td>
        <Time value={since} /> to <Time value={until} />
      </td>
      <td>
        <Badge look={look}>{label}</Badge>
      </td>
      <td>{progressOf(redelivery)}</td>
      <td className="actions">{state === 'running' && <Stop redelivery={redelivery} />}</td>
    </tr>
  );
};

/** The bulk redeliveries of a subscription with their progress. */
export const Redeliveries = ({ subscriptionId }: { subscriptionId: string }) => {
  const { data, error, isPending } = useQuery(redeliveriesQuery(subscriptionId));
  return (
    <>
      <Problem error={error} />
      {isPending && <p role="status">Loading redeliveries…</p>}
      {data?.data.length === 0 && <p className="empty">No time range has been redelivered yet.</p>}
      {data !== undefined && data.data.length > 0 && (
        <ScrollTable
          label="Table of redeliveries"
          columns={['Requested', 'Range', 'State', 'Progress', { hidden: 'Actions' }]}
        >
          {data.data.map((redelivery) => (
            <Row key={redelivery._id} redelivery={redelivery} />
          ))}
        </ScrollTable>
      )}
    </>
  );
};
