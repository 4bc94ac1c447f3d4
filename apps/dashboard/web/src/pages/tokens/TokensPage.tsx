import type { Session } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ConfirmAction } from '../../components/dialogs/ConfirmAction.tsx';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { IDLE_LIFE_MS } from '../../layout/session-end.ts';
import { useSession } from '../../session/session.ts';
import { NewToken } from './NewToken.tsx';
import { ProgramTokens } from './ProgramTokens.tsx';
import { programText } from './programs.ts';
import { sessionsQuery } from './requests.ts';

const Revoke = ({ session: { _id, createdTime } }: { session: Session }) => {
  const queries = useQueryClient();
  return (
    <ConfirmAction
      danger
      name="Revoke"
      className="subtle compact"
      submit="Revoke"
      title="Revoke this token?"
      act={() => api.sessions.delete(_id)}
      onDone={() => queries.invalidateQueries({ queryKey: ['sessions'] })}
    >
      <p>
        The session of <Time value={createdTime} exactly /> ends at once. This cannot be undone.
      </p>
    </ConfirmAction>
  );
};

/** When a session ends if it is not used. */
const idleEnd = (lastUsedTime: string, expiryTime: string): string =>
  new Date(Math.min(Date.parse(lastUsedTime) + IDLE_LIFE_MS, Date.parse(expiryTime))).toISOString();

const columnsOf = (current: string): Column<Session>[] => [
  {
    // A program that uses a token is not known, only the browser or program with which a person has signed in.
    name: 'Created with',
    cell: ({ _id, userAgent }) => (
      <>
        <span {...tip(visibleText(userAgent ?? ''))}>{programText(userAgent)}</span>
        {_id === current && <span className="quiet"> (this browser)</span>}
      </>
    ),
    isHeader: true,
    grow: 2,
    card: '1w',
  },
  { name: 'From', cell: ({ address }) => address && <code>{visibleText(address)}</code>, grow: 1, card: '2' },
  {
    name: 'Created',
    cell: ({ createdTime }) => <Time value={createdTime} />,
    isNumber: true,
    from: 'medium',
  },
  { name: 'Last use', cell: ({ lastUsedTime }) => <Time value={lastUsedTime} />, isNumber: true, card: '2r' },
  {
    name: 'Ends without use',
    cell: ({ lastUsedTime, expiryTime }) => (
      <>
        <span className="in-card">Ends without use </span>
        <Time value={idleEnd(lastUsedTime, expiryTime)} />
      </>
    ),
    isNumber: true,
    from: 'medium',
    card: '3',
  },
  {
    name: 'At the latest',
    cell: ({ expiryTime }) => (
      <>
        <span className="in-card">At the latest </span>
        <Time value={expiryTime} />
      </>
    ),
    isNumber: true,
    card: '4w',
  },
  {
    name: 'Actions',
    isNameHidden: true,
    cell: (session) =>
      session._id === current ? <span className="quiet">This session</span> : <Revoke session={session} />,
    card: '3r',
  },
];

/**
 * The operator's own sessions: this browser, other browsers, and access tokens that act as the operator. Administrators
 * also see the program tokens of the organization.
 */
export const TokensPage = () => {
  const { _id: current, role } = useSession();
  const query = useQuery(sessionsQuery);
  return (
    <>
      <PageHeading
        note="An access token lets a program, such as the command line, act as you. It ends after 60 minutes without use, and after 12 hours at the latest. Unattended programs use an API key or, for webhooks, a program token."
        actions={<NewToken />}
      >
        Access tokens
      </PageHeading>
      <List
        of="sessions"
        query={query}
        rows={query.data}
        columns={columnsOf(current)}
        keyOf={({ _id }) => _id}
        empty={null}
      />
      {/* The first list would move the second one when its rows arrive. */}
      {role === 'administrator' && !query.isPending && <ProgramTokens />}
    </>
  );
};
