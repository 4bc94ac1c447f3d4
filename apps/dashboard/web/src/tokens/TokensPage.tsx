import type { Session } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { ConfirmAction } from '../components/ConfirmAction.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { visibleText } from '../components/visible-text.ts';
import { useSession } from '../session/session.ts';
import { NewToken } from './NewToken.tsx';
import { ProgramTokens } from './ProgramTokens.tsx';
import { sessionsQuery } from './requests.ts';

const Revoke = ({ session: { _id, createdTime } }: { session: Session }) => {
  const queries = useQueryClient();
  return (
    <ConfirmAction
      danger
      name="Revoke"
      title="Revoke this token?"
      act={() => api.sessions.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['sessions'] })}
    >
      <p>
        The session of <Time value={createdTime} /> ends at once.
      </p>
    </ConfirmAction>
  );
};

/**
 * The operator's own sessions: this browser, other browsers, and access tokens that act as the operator. Administrators
 * also see the program tokens of the organization.
 */
export const TokensPage = () => {
  const { _id: current, role } = useSession();
  const { data, error, isPending } = useQuery(sessionsQuery);
  return (
    <>
      <PageHeading>Access tokens</PageHeading>
      <p>
        An access token lets a program, such as the command line, act as you for at most 12 hours. Unattended
        programs use an API key or, for webhooks, a program token.
      </p>
      <div className="buttons">
        <NewToken />
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading sessions…</p>}
      {data !== undefined && (
        <ScrollTable
          label="Table of sessions"
          columns={['Created', 'Last use', 'Ends', 'From', 'Program', { hidden: 'Actions' }]}
        >
          {data.map((session) => (
            <tr key={session._id}>
              <td>
                <Time value={session.createdTime} />
              </td>
              <td>
                <Time value={session.lastUsedTime} />
              </td>
              <td>
                <Time value={session.expiryTime} />
              </td>
              <td>{session.address}</td>
              <td className="agent">{visibleText(session.userAgent ?? '')}</td>
              <td>{session._id === current ? 'This session' : <Revoke session={session} />}</td>
            </tr>
          ))}
        </ScrollTable>
      )}
      {role === 'administrator' && <ProgramTokens />}
    </>
  );
};
