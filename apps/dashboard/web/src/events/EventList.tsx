import type { ChairsideEvent } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { List } from '../components/lists/List.tsx';
import type { Column } from '../components/lists/Table.tsx';
import { CopyId } from '../components/texts/CopyText.tsx';
import { Time } from '../components/texts/Time.tsx';
import { kindOfEvent } from '../records/kinds.ts';

const RecordLink = ({ event: { event, data } }: { event: ChairsideEvent }) => {
  const kind = kindOfEvent(event);
  if (kind === undefined) return <code>{data._id}</code>;
  return (
    <Link className="over" to="/records/$kind/$recordId" params={{ kind, recordId: data._id }}>
      {data._id}
    </Link>
  );
};

const columnsOf = (hasRecord: boolean): Column<ChairsideEvent>[] => [
  {
    name: 'Event',
    cell: ({ id, event }) => (
      <Link className="row-link" to="/events/$eventId" params={{ eventId: id }}>
        {event}
      </Link>
    ),
    isHeader: true,
    card: '1',
    ...(!hasRecord && { grow: 2 as const }),
  },
  ...(hasRecord
    ? [
        {
          name: 'Record',
          cell: (event: ChairsideEvent) => <RecordLink event={event} />,
          grow: 2 as const,
          card: '2w' as const,
        },
      ]
    : []),
  {
    name: 'In the log since',
    cell: ({ loggedTime }) => <Time value={loggedTime} />,
    isNumber: true,
    card: '1r',
  },
  { name: 'Id', cell: ({ id }) => <CopyId id={id} of="the id of the event" />, from: 'medium' },
];

/**
 * Events as a list, the newest first. A row contains the id of its record, but none of the record's fields.
 *
 * @param props.hasRecord whether the events are about several records, so that a column names the record
 */
export const EventList = ({
  query,
  events,
  hasRecord = true,
  empty,
}: {
  query: { error: unknown; refetch(): unknown };
  events: readonly ChairsideEvent[] | undefined;
  hasRecord?: boolean;
  empty: ReactNode;
}) => (
  <List
    of="events"
    query={query}
    rows={events}
    columns={columnsOf(hasRecord)}
    keyOf={({ id }) => id}
    empty={empty}
  />
);
