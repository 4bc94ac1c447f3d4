import type { WebhookRedelivery } from '@chairside/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { Problem } from '../layout/Problem.tsx';
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
    refetchInterval: (query) =>
      query.state.data?.data.some(({ state }) => state === 'running') ? liveInterval(query) : false,
  });

const Row = ({
  redelivery: { state, made, gone, since, until, createdTime },
}: {
  redelivery: WebhookRedelivery;
}) => (
  <tr>
    <td>
      <Time value={createdTime} />
    </td>
    <td>
      <Time value={since} /> to <Time value={until} />
    </td>
    <td>
      <span className={`outcome ${state === 'done' ? 'succeeded' : 'sending'}`}>
        {state === 'done' ? 'Done' : 'Running'}
      </span>
    </td>
    <td>
      {made} created{gone > 0 && `, ${gone} without an event`}
    </td>
  </tr>
);

/** The bulk redeliveries of a subscription with their progress. */
export const Redeliveries = ({ subscriptionId }: { subscriptionId: string }) => {
  const { data, error, isPending } = useQuery(redeliveriesQuery(subscriptionId));
  return (
    <>
      <Problem error={error} />
      {isPending && <p role="status">Loading redeliveries…</p>}
      {data?.data.length === 0 && <p className="empty">No time range was redelivered yet.</p>}
      {data !== undefined && data.data.length > 0 && (
        <ScrollTable label="Table of redeliveries" columns={['Requested', 'Range', 'State', 'Progress']}>
          {data.data.map((redelivery) => (
            <Row key={redelivery._id} redelivery={redelivery} />
          ))}
        </ScrollTable>
      )}
    </>
  );
};
