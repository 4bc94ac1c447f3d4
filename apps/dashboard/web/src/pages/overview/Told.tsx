import type { Notice } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { noticesQuery } from '../../notices/requests.ts';
import { type Fact, factText, MAIL_STATES } from '../../notices/words.ts';
import { operatorName } from '../../principals/operator-name.ts';
import { keysQuery, operatorsQuery } from '../../principals/requests.ts';
import { useSession } from '../../session/session.ts';
import '../../components/page-parts/Card.css';

/** The fact of a notice, with a link to its row. */
const FactLink = ({ fact }: { fact: Fact }) => {
  const { data: keys } = useQuery(keysQuery);
  const text = factText(fact);
  const [id = ''] = fact.ids;
  switch (fact.kind) {
    case 'subscriptionFailing':
    case 'subscriptionDisabled':
    case 'subscriptionRecovered':
    case 'newReceiverHost':
      return fact.count === 1 && fact.ids.length > 0 ? (
        <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: id }}>
          {text}
        </Link>
      ) : (
        <Link to="/webhooks">{text}</Link>
      );
    case 'credentialEnding':
      return (
        <Link to={keys?.some(({ _id }) => _id === id) ? '/keys' : '/tokens'} hash={id}>
          {text}
        </Link>
      );
    case 'appConnected':
      return (
        <Link to="/connections" hash={id}>
          {text}
        </Link>
      );
    default:
      return (
        <Link to="/operators" hash={id}>
          {text}
        </Link>
      );
  }
};

const columnsOf = (nameOf: (operatorId: string) => string): Column<Notice>[] => [
  {
    name: 'What',
    cell: ({ facts }) =>
      facts.map((fact, index) => (
        <Fragment key={fact.kind}>
          {index > 0 && ', '}
          <FactLink fact={fact} />
        </Fragment>
      )),
    isHeader: true,
    grow: 2,
    card: '1w',
  },
  {
    name: 'To',
    cell: ({ operatorId }) => {
      const name = visibleText(nameOf(operatorId));
      return <span {...tip(name)}>{name}</span>;
    },
    grow: 1,
    card: '2',
  },
  {
    name: 'Mail',
    cell: ({ state }) => {
      const [tone, text] = MAIL_STATES[state];
      return <Chip tone={tone}>{text}</Chip>;
    },
    card: '3',
  },
  {
    name: 'When',
    cell: ({ createdTime }) => <Time value={createdTime} />,
    isNumber: true,
    card: '2r',
  },
];

/** The notices that were mailed, the latest first. */
export const Told = () => {
  const { mail } = useSession();
  const query = useQuery(noticesQuery);
  const { data: operators, isPending } = useQuery(operatorsQuery);
  const nameOf = (id: string): string => {
    const found = operators?.find(({ _id }) => _id === id);
    if (found !== undefined) return operatorName(found);
    return operators === undefined ? id : `${id} (deleted)`;
  };
  return (
    <section aria-labelledby="told" className="part">
      <header>
        <h2 id="told">Mails of the last 30 days</h2>
        <Link to="/account/notices" className="small">
          Your notices
        </Link>
      </header>
      {!mail && (
        <Note tone="warning">
          <p>This service sends no mail, so nobody is notified when a subscription is disabled.</p>
        </Note>
      )}
      <List
        of="notices"
        query={query}
        rows={isPending ? undefined : query.data}
        columns={columnsOf(nameOf)}
        keyOf={({ _id }) => _id}
        empty={<p className="quiet">Nothing.</p>}
      />
    </section>
  );
};
