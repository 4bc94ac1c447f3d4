import type { WebhookRedelivery } from '@chairside/client';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { Chip, type Tone } from '../components/Chip.tsx';
import { ConfirmAction } from '../components/ConfirmAction.tsx';
import { Empty } from '../components/Empty.tsx';
import { List } from '../components/List.tsx';
import { countText } from '../components/numbers.ts';
import type { Column } from '../components/Table.tsx';
import { Time } from '../components/Time.tsx';
import { tip } from '../components/tip.ts';
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

/** The label and the tone of a redelivery. It is green only if every delivery succeeded. */
const stateOf = ({ state, waiting = 0, failed = 0, succeeded }: WebhookRedelivery): [string, Tone] => {
  if (state === 'running') return ['Running', 'info'];
  if (waiting > 0) return ['Sending', 'info'];
  if (failed > 0) return [`${countText(failed)} failed`, 'bad'];
  // Earlier versions did not count what succeeded.
  const isKnown = succeeded !== undefined;
  return state === 'done' ? ['Done', isKnown ? 'good' : 'idle'] : ['Stopped', 'idle'];
};

const progressOf = ({ made, waiting, succeeded, failed, gone }: WebhookRedelivery): string => {
  const parts = [
    `${countText(made)} created`,
    ...(succeeded === undefined
      ? ['outcomes not recorded']
      : [
          `${countText(waiting ?? 0)} waiting`,
          `${countText(succeeded)} succeeded`,
          `${countText(failed ?? 0)} failed`,
        ]),
    ...(gone > 0 ? [`${countText(gone)} without an event`] : []),
  ];
  return parts.join(', ');
};

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
      <p>No further deliveries are created. Those that were created are still sent.</p>
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
