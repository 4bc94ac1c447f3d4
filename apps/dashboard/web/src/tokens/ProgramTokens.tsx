import type { ProgramToken } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useClinicChoices } from '../clinics/requests.ts';
import { ConfirmAction } from '../components/ConfirmAction.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { visibleText } from '../components/visible-text.ts';
import { operatorsQuery, programTokensQuery } from '../principals/requests.ts';
import { NewProgramToken } from './NewProgramToken.tsx';

const End = ({ token: { _id, name } }: { token: ProgramToken }) => {
  const queries = useQueryClient();
  return (
    <ConfirmAction
      danger
      name="End"
      of={name}
      title={`End ${visibleText(name)}?`}
      act={() => api.sessions.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['programTokens'] })}
    >
      <p>Programs that use this token are refused at once. This cannot be undone.</p>
    </ConfirmAction>
  );
};

const TokenTable = ({ tokens }: { tokens: readonly ProgramToken[] }) => {
  const clinics = useClinicChoices();
  const { data: operators = [] } = useQuery(operatorsQuery);
  const clinicOf = (id: string) => clinics.find(({ value }) => value === id)?.label ?? id;
  return (
    <ScrollTable
      label="Table of program tokens"
      columns={['Name', 'Clinics', 'Created', 'By', 'Last use', 'Ends', { hidden: 'Actions' }]}
    >
      {tokens.map((token) => (
        <tr key={token._id}>
          <th scope="row">{visibleText(token.name)}</th>
          <td>{token.clinicIds?.map(clinicOf).join(', ') ?? 'All'}</td>
          <td>
            <Time value={token.createdTime} />
          </td>
          <td>{operators.find(({ _id }) => _id === token.operatorId)?.email ?? token.operatorId}</td>
          <td>
            <Time value={token.lastUsedTime} />
          </td>
          <td>
            <Time value={token.expiryTime} />
          </td>
          <td>
            <End token={token} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
};

/** The access tokens for programs of all administrators. */
export const ProgramTokens = () => {
  const { data, error, isPending } = useQuery(programTokensQuery);
  return (
    <section aria-labelledby="program-tokens">
      <h2 id="program-tokens">Program tokens</h2>
      <p>
        A program token lets a program manage webhooks without a person. It can read patient data in events.
        It ends with the role or the password of the administrator who created it.
      </p>
      <div className="buttons">
        <NewProgramToken />
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading program tokens…</p>}
      {data?.length === 0 && <p className="empty">There is no program token.</p>}
      {data !== undefined && data.length > 0 && <TokenTable tokens={data} />}
    </section>
  );
};
