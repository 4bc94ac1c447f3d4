import type { WebhookRedelivery } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ConfirmAction } from '../../components/dialogs/ConfirmAction.tsx';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { redeliveriesQuery } from '../../redeliveries/requests.ts';
import { progressOf, stateOf } from '../../redeliveries/words.ts';

const Stop = ({ redelivery: { _id, subscriptionId } }: { redelivery: WebhookRedelivery }) => {
  const queries = useQueryClient();
  return (
    <ConfirmAction
      name="Stop"
      submit="Stop"
      cancel="Let it run"
      title="Stop this redelivery?"
      act={() => api.webhookSubscriptions.stopRedelivery(subscriptionId, _id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['redeliveries', subscriptionId] })}
    >
      <p>
        No further deliveries are created. Those that were created are still sent. This cannot be undone, but
        you can begin another redelivery.
      </p>
    </ConfirmAction>
  );
};

const COLUMNS: readonly Column<WebhookRedelivery>[] = [
  {
    name: 'State',
    cell(redelivery) {
      const [label, tone] = stateOf(redelivery);
      return <Chip tone={tone}>{label}</Chip>;
    },
    card: '1',
  },
  {
    name: 'Range',
    cell: ({ since, until }) => (
      <>
        <Time value={since} exactly /> to <Time value={until} exactly />
      </>
    ),
    isHeader: true,
    card: '2w',
  },
  {
    name: 'Progress',
    cell: (redelivery) => <span {...tip(progressOf(redelivery))}>{progressOf(redelivery)}</span>,
    grow: 2,
    card: '3w',
  },
  { name: 'Requested', cell: ({ createdTime }) => <Time value={createdTime} />, isNumber: true, card: '1r' },
  {
    name: 'Actions',
    isNameHidden: true,
    cell: (redelivery) => redelivery.state === 'running' && <Stop redelivery={redelivery} />,
    card: '4w',
  },
];

/** The bulk redeliveries of a subscription with their progress. */
export const Redeliveries = ({ subscriptionId }: { subscriptionId: string }) => {
  const query = useQuery(redeliveriesQuery(subscriptionId));
  return (
    <List
      of="redeliveries"
      query={query}
      rows={query.data?.data}
      columns={COLUMNS}
      keyOf={({ _id }) => _id}
      empty={
        <Empty title="No time range has been redelivered yet">
          <p>After an outage of the receiver, “Redeliver…” sends again what failed.</p>
        </Empty>
      }
    />
  );
};
