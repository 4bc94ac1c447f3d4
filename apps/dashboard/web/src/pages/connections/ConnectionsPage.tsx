import type { Connection } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { Actions } from '../../components/menus/Actions.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { AskedTools } from '../../components/texts/AskedTools.tsx';
import { Snippet } from '../../components/texts/CopyText.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { operatorsQuery } from '../../principals/requests.ts';
import { connectionsQuery, connectorQuery } from './requests.ts';

const Disconnect = ({ connection: { _id, clientName } }: { connection: Connection }) => {
  const queries = useQueryClient();
  return (
    <Actions
      of={visibleText(clientName)}
      areButtons
      actions={[
        {
          name: 'Disconnect',
          isDanger: true,
          dialog: (close) => (
            <ConfirmDialog
              danger
              title={`Disconnect ${visibleText(clientName)}?`}
              submit="Disconnect"
              cancel="Keep connected"
              act={() => api.connections.delete(_id)}
              onDone={() => queries.invalidateQueries({ queryKey: ['connections'] })}
              onClose={close}
            >
              <p>The next call of the app is refused. Connect it again from within the app.</p>
            </ConfirmDialog>
          ),
        },
      ]}
    />
  );
};

/** How to connect the first app. */
const NoApp = () => {
  const { data: address, isPending } = useQuery(connectorQuery);
  return (
    <Empty title="No app is connected">
      {typeof address === 'string' ? (
        <>
          <p>Add this address in an AI assistant, then sign in here when it asks.</p>
          <Snippet title="Address of the connector">{address}</Snippet>
        </>
      ) : (
        !isPending && (
          <p>The service has no connector for AI assistants. The operator of the service can set one up.</p>
        )
      )}
    </Empty>
  );
};

/** The apps, such as AI assistants, that may read the settings of the practice. */
export const ConnectionsPage = () => {
  const query = useQuery(connectionsQuery);
  const { data: operators, isPending: operatorsPend } = useQuery(operatorsQuery);
  // If the operators cannot be read, their ids are shown.
  const nameOf = (id: string) =>
    operators === undefined ? id : (operators.find(({ _id }) => _id === id)?.email ?? `${id} (deleted)`);
  const columns: Column<Connection>[] = [
    {
      name: 'App',
      cell: ({ clientName }) => <span {...tip(visibleText(clientName))}>{visibleText(clientName)}</span>,
      isHeader: true,
      grow: 1,
      card: '1',
    },
    {
      name: 'Redirects to',
      cell: ({ redirectHost }) => <span {...tip(redirectHost)}>{visibleText(redirectHost)}</span>,
      grow: 1,
      card: '2w',
    },
    { name: 'Granted by', cell: ({ operatorId }) => nameOf(operatorId), grow: 1, card: '3w' },
    {
      name: 'Granted',
      cell: ({ createdTime }) => <Time value={createdTime} day />,
      isNumber: true,
      from: 'wide',
    },
    {
      name: 'Asked',
      cell: ({ tools }) => (tools.length === 0 ? 'Nothing yet' : <AskedTools tools={tools} />),
      grow: 1,
      card: '4w',
    },
    {
      name: 'Actions',
      isNameHidden: true,
      cell: (connection) => <Disconnect connection={connection} />,
      card: '1r',
    },
  ];
  return (
    <>
      <PageHeading note="A connected app, such as an AI assistant, reads clinics, providers, procedures, free appointment times and counts for each day. It sees no patient and changes nothing.">
        Connected apps
      </PageHeading>
      <List
        of="connected apps"
        query={query}
        rows={operatorsPend ? undefined : query.data}
        columns={columns}
        keyOf={({ _id }) => _id}
        empty={<NoApp />}
      />
    </>
  );
};
