import type { ChairsideEvent } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';

/**
 * Events as rows, the newest first. A row contains the id of its record, but none of the record's fields.
 *
 * @param props.hasRecord whether the events are about several records, so that a column names the record
 */
export const EventTable = ({
  events,
  hasRecord = true,
}: {
  events: readonly ChairsideEvent[];
  hasRecord?: boolean;
}) => (
  <ScrollTable
    label="Table of events"
    columns={['In the log since', 'Event', ...(hasRecord ? ['Record'] : []), 'Id']}
  >
    {events.map(({ id, event, data, loggedTime }) => (
      <tr key={id}>
        <td>
          <Link to="/events/$eventId" params={{ eventId: id }}>
            <Time value={loggedTime} />
          </Link>
        </td>
        <td>{event}</td>
        {hasRecord && (
          <td>
            <code>{data._id}</code>
          </td>
        )}
        <td>
          <code>{id}</code>
        </td>
      </tr>
    ))}
  </ScrollTable>
);
