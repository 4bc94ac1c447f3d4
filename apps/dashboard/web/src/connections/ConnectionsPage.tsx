import type { Connection } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { ConfirmAction } from '../components/ConfirmAction.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { operatorsQuery } from '../principals/requests.ts';
import { connectionsQuery } from './requests.ts';

const Disconnect = ({ connection: { _id, clientName } }: { connection: Connection }) => {
  const queries = useQueryClient();
  return (
    <ConfirmAction
      danger
      name="Disconnect"
      of={clientName}
      title={`Disconnect ${clientName}?`}
      act={() => api.connections.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['connections'] })}
    >
      <p>The next call of the app is refused. Connect it again from within the app.</p>
    </ConfirmAction>
  );
};

/** The apps, such as AI assistants, that may read the settings of the practice. */
export const ConnectionsPage = () => {
  const { data, error, isPending } = useQuery(connectionsQuery);
  const { data: operators, isPending: operatorsPend } = useQuery(operatorsQuery);
  const waits = isPending || operatorsPend;
  // If the operators cannot be read, their ids are shown.
  const nameOf = (id: string) =>
    operators === undefined ? id : (operators.find(({ _id }) => _id === id)?.email ?? `${id} (deleted)`);
  return (
    <>
      <PageHeading>Connected apps</PageHeading>
      <p>
        A connected app, such as an AI assistant, reads clinics, providers, procedures, free appointment times
        and counts for each day. It sees no patient and changes nothing.
      </p>
      <Problem error={error} />
      {waits && <p role="status">Loading connected apps…</p>}
      {data?.length === 0 && (
        <p className="empty">
          No app is connected. Add the address of the connector in an AI assistant, then sign in here when it
          asks.
        </p>
      )}
      {data !== undefined && !waits && data.length > 0 && (
        <ScrollTable
          label="Table of connected apps"
          columns={['App', 'Redirects to', 'Granted by', 'Granted', 'Last use', { hidden: 'Actions' }]}
        >
          {data.map((connection) => (
            <tr key={connection._id}>
              <th scope="row" className="name">
                {connection.clientName}
              </th>
              <td>{connection.redirectHost}</td>
              <td>{nameOf(connection.operatorId)}</td>
              <td>
                <Time value={connection.createdTime} day />
              </td>
              <td>
                <Time value={connection.lastUsedTime} />
              </td>
              <td className="actions">
                <Disconnect connection={connection} />
              </td>
            </tr>
          ))}
        </ScrollTable>
      )}
    </>
  );
};
