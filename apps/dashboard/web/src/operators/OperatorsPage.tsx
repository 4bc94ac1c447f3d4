import type { Operator } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { Badge } from '../components/Badge.tsx';
import { ConfirmAction } from '../components/ConfirmAction.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { operatorsQuery } from '../principals/requests.ts';
import { useSession } from '../session/session.ts';
import { DeleteOperator } from './DeleteOperator.tsx';
import { EditOperator } from './EditOperator.tsx';
import { NewOperator } from './NewOperator.tsx';
import { ResetPassword } from './ResetPassword.tsx';
import { ROLES } from './roles.ts';

const State = ({ operator: { active, passwordChangeRequired } }: { operator: Operator }) => {
  if (!active) return <Badge look="disabled">Disabled</Badge>;
  if (passwordChangeRequired) return <Badge>Must choose a password</Badge>;
  return <Badge look="healthy">Active</Badge>;
};

const Actions = ({ operator }: { operator: Operator }) => {
  const { _id, email, active } = operator;
  const queries = useQueryClient();
  const isSelf = useSession().operatorId === _id;
  const refresh = () => queries.invalidateQueries({ queryKey: ['operators'] });
  return (
    <>
      <EditOperator operator={operator} />
      <ConfirmAction
        name={active ? 'Disable' : 'Enable'}
        of={email}
        title={`${active ? 'Disable' : 'Enable'} ${email}?`}
        act={() => api.operators.update(_id, { active: !active })}
        onDone={refresh}
      >
        <p>
          {active
            ? 'All sessions and access tokens of this operator end at once, and the operator can no longer sign in.'
            : 'The operator can sign in again, with the same password as before.'}
        </p>
      </ConfirmAction>
      <ConfirmAction
        name="End sessions"
        of={`of ${email}`}
        title={`End all sessions of ${email}?`}
        submit="End sessions"
        act={() => api.operators.endSessions(_id)}
        onDone={refresh}
      >
        <p>
          The operator is signed out everywhere, and the operator’s access tokens stop working. The operator
          can sign in again.
        </p>
      </ConfirmAction>
      {/* Operators change their own password on the page Account, because the api requires their current password. */}
      {!isSelf && <ResetPassword operator={operator} />}
      <DeleteOperator operator={operator} />
    </>
  );
};

const OperatorTable = ({ operators }: { operators: readonly Operator[] }) => (
  <ScrollTable
    label="Table of operators"
    columns={['E-mail', 'Role', 'State', 'Created', { hidden: 'Actions' }]}
  >
    {operators.map((operator) => (
      <tr key={operator._id}>
        <th scope="row" className="name">
          {operator.email}
        </th>
        <td>{ROLES[operator.role]}</td>
        <td>
          <State operator={operator} />
        </td>
        <td>
          <Time value={operator.createdTime} day />
        </td>
        <td className="actions">
          <Actions operator={operator} />
        </td>
      </tr>
    ))}
  </ScrollTable>
);

/** The operators of the organization. */
export const OperatorsPage = () => {
  const { data, error, isPending } = useQuery(operatorsQuery);
  return (
    <>
      <PageHeading>Operators</PageHeading>
      <div className="buttons">
        <NewOperator />
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading operators…</p>}
      {data?.length === 1 && (
        <p>
          You are the only operator. A second administrator can let you in again if you forget the password.
        </p>
      )}
      {data !== undefined && <OperatorTable operators={data} />}
    </>
  );
};
