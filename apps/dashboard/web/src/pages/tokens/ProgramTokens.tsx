import type { ProgramToken } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useClinicNames } from '../../clinics/requests.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { Actions } from '../../components/menus/Actions.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { operatorsQuery, programTokensQuery } from '../../principals/requests.ts';
import { NewProgramToken } from './NewProgramToken.tsx';
import '../../components/page-parts/Card.css';

const End = ({ token: { _id, name } }: { token: ProgramToken }) => {
  const queries = useQueryClient();
  return (
    <Actions
      of={name}
      areButtons
      actions={[
        {
          name: 'End',
          isDanger: true,
          dialog: (close) => (
            <ConfirmDialog
              danger
              title={`End ${visibleText(name)}?`}
              submit="End"
              cancel="Keep token"
              act={() => api.sessions.delete(_id)}
              onDone={() => queries.invalidateQueries({ queryKey: ['programTokens'] })}
              onClose={close}
            >
              <p>Programs that use this token are refused at once. This cannot be undone.</p>
            </ConfirmDialog>
          ),
        },
      ]}
    />
  );
};

/** The access tokens for programs of all administrators. */
export const ProgramTokens = () => {
  const query = useQuery(programTokensQuery);
  const clinicOf = useClinicNames();
  const { data: operators = [] } = useQuery(operatorsQuery);
  const columns: Column<ProgramToken>[] = [
    {
      name: 'Name',
      cell: ({ name }) => <span {...tip(visibleText(name))}>{visibleText(name)}</span>,
      isHeader: true,
      grow: 2,
      card: '1',
    },
    {
      name: 'Clinics',
      cell: ({ clinicIds }) => clinicIds?.map(clinicOf).join(', ') ?? 'All',
      grow: 1,
      card: '2w',
    },
    {
      name: 'By',
      cell: ({ operatorId }) => operators.find(({ _id }) => _id === operatorId)?.email ?? operatorId,
      grow: 1,
      from: 'medium',
    },
    {
      name: 'Created',
      cell: ({ createdTime }) => <Time value={createdTime} />,
      isNumber: true,
      from: 'wide',
    },
    {
      name: 'Last use',
      cell: ({ lastUsedTime }) => (
        <>
          <span className="in-card">Last use: </span>
          <Time value={lastUsedTime} />
        </>
      ),
      isNumber: true,
      card: '3',
    },
    {
      name: 'Ends',
      cell: ({ expiryTime }) => (
        <>
          <span className="in-card">Ends </span>
          <Time value={expiryTime} />
        </>
      ),
      isNumber: true,
      card: '3r',
    },
    { name: 'Actions', isNameHidden: true, cell: (token) => <End token={token} />, card: '1r' },
  ];
  return (
    <section aria-labelledby="program-tokens" className="part">
      <header>
        <h2 id="program-tokens">Program tokens</h2>
        <NewProgramToken />
      </header>
      <p className="quiet small">
        A program token lets a program manage webhooks without a person. It can read patient data in events.
        It ends with the role or the password of the administrator who created it.
      </p>
      <List
        of="program tokens"
        query={query}
        rows={query.data}
        columns={columns}
        keyOf={({ _id }) => _id}
        empty={
          <Empty title="No program token">
            <p>An onboarding program needs one to create subscriptions without a person.</p>
          </Empty>
        }
      />
    </section>
  );
};
