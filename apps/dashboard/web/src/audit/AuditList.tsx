import type { AuditEntry } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import { clinicsQuery } from '../clinics/requests.ts';
import { List } from '../components/lists/List.tsx';
import type { Column } from '../components/lists/Table.tsx';
import { Chip } from '../components/texts/Chip.tsx';
import { countText } from '../components/texts/numbers.ts';
import { Time } from '../components/texts/Time.tsx';
import { tip } from '../components/texts/tip.ts';
import { visibleText } from '../components/texts/visible-text.ts';
import { type Principals, principalOf } from '../principals/names.ts';
import { isKind, type Kind } from '../records/kinds.ts';
import type { Names } from '../records/names.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { dayOf } from './day.ts';
import { Face } from './Face.tsx';
import { changesText, kindText, type Naming, reasonOf, stateOf, verbOf } from './words.ts';
import './AuditList.css';

/** Who did it. The link shows everything that the same person or program did on that day. */
const Who = ({ entry, principals }: { entry: AuditEntry; principals: Principals }) => {
  const name = visibleText(principalOf(entry, principals));
  return (
    <span className="who" {...tip(name)}>
      <Face entry={entry} name={name} />
      <Link to="/audit" search={{ principalId: entry.principal.id, ...dayOf(entry.time) }} className="clip">
        {name}
      </Link>
    </span>
  );
};

const NAMED: readonly AuditEntry['kind'][] = ['operator', 'apiKey'];

/** What the sentences of entries say beside their facts. */
type Shown = {
  principals: Principals;
  /** The names of patients by their ids, once a person has asked for them. */
  patients?: Names | undefined;
  /** The record that was searched for. */
  marked?: string | undefined;
};

/** A record by the name of the patient, or by its id, which stands out if it was searched for. */
const RecordLink = ({ kind, id, shown: { patients, marked } }: { kind: Kind; id: string; shown: Shown }) => {
  const text = patients?.get(id) || (id.length > 12 ? `…${id.slice(-4)}` : id);
  const link = (
    <Link to="/records/$kind/$recordId" params={{ kind, recordId: id }} {...tip(id)}>
      <bdi>{visibleText(text)}</bdi>
    </Link>
  );
  return id === marked ? <mark>{link}</mark> : link;
};

/** One object of an entry as a link to its page, with its name if a page of settings has it. */
const ObjectLink = ({ entry, id, shown }: { entry: AuditEntry; id: string; shown: Shown }) => {
  const { data: subscriptions } = useQuery({ ...subscriptionsQuery, refetchInterval: false });
  const { principals } = shown;
  const { kind } = entry;
  const records = `${kind}s`;
  const short = `…${id.slice(-4)}`;
  /** @param areAll whether all things of the kind are read. Otherwise it is not known whether this one was deleted */
  const gone = (areAll: boolean) => (areAll && entry.action !== 'deleted' ? ' (deleted)' : '');
  if (isKind(records)) return <RecordLink kind={records} id={id} shown={shown} />;
  if (kind === 'webhookSubscription') {
    const url = subscriptions?.find(({ _id }) => _id === id)?.url;
    return url === undefined ? (
      <code {...tip(id)}>
        {short}
        {gone(subscriptions !== undefined)}
      </code>
    ) : (
      <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: id }} className="url">
        {visibleText(url)}
      </Link>
    );
  }
  if (kind === 'webhookDelivery')
    return (
      <Link to="/deliveries/$deliveryId" params={{ deliveryId: id }} {...tip(id)}>
        {short}
      </Link>
    );
  if (NAMED.includes(kind) || entry.action.startsWith('token_')) {
    const to = kind === 'operator' ? '/operators' : kind === 'apiKey' ? '/keys' : '/tokens';
    const name = principals.names.get(id);
    return name === undefined ? (
      <code {...tip(id)}>
        {short}
        {gone(principals.areAll)}
      </code>
    ) : (
      <Link to={to}>{visibleText(name)}</Link>
    );
  }
  return <code {...tip(id)}>{short}</code>;
};

/** How many ids of an entry are shown before the others are opened. */
const SHOWN = 2;

/** Links that are there after a press only: an entry may have a thousand. */
const Folded = ({ name, children }: { name: string; children: () => ReactNode }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && children()}
    </details>
  );
};

/** What was done, as a sentence with links. Results other than `ok` are rare, so they are highlighted. */
const What = ({ entry, shown }: { entry: AuditEntry; shown: Shown }) => {
  const { ids, count, part } = entry;
  const [state, reason] = [stateOf(entry.result), reasonOf(entry)];
  const links = () =>
    ids.map((id, index) => (
      <Fragment key={id}>
        {index > 0 && ', '}
        <ObjectLink entry={entry} id={id} shown={shown} />
      </Fragment>
    ));
  return (
    <span className="what">
      {state !== undefined && <Chip tone="warning">{state}</Chip>}
      {verbOf(entry)} {kindText(entry)} {ids.length <= SHOWN && links()}
      {ids.length > SHOWN && <Folded name={`Show all ${countText(ids.length)}`}>{links}</Folded>}
      {part !== undefined && part > 1 && <span className="quiet"> (part {part})</span>}
      {reason !== undefined && <span className="quiet">: {visibleText(reason)}</span>}
      {entry.reason !== undefined && <span className="quiet">, because: {visibleText(entry.reason)}</span>}
      {count !== undefined && count > 1 && <span className="quiet">, {countText(count)} times</span>}
    </span>
  );
};

/** The names of clinics, operators, keys, tokens and subscriptions. */
const useNaming = ({ names }: Principals): Naming => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const { data: subscriptions = [] } = useQuery({ ...subscriptionsQuery, refetchInterval: false });
  return (field, id) => {
    const named: Readonly<Record<string, () => string | undefined>> = {
      clinicId: () => clinics.find(({ _id }) => _id === id)?.name,
      clinicIds: () => clinics.find(({ _id }) => _id === id)?.name,
      principalId: () => names.get(id),
      replaces: () => subscriptions.find(({ _id }) => _id === id)?.url,
    };
    return named[field]?.() ?? id;
  };
};

/** A text of this length may need more than two lines, so it is opened. */
const LONG = 60;

/** What was set or filtered by. A long text is opened with a press or with the keyboard. */
const Changes = ({ entry, principals }: { entry: AuditEntry; principals: Principals }) => {
  const text = visibleText(changesText(entry, useNaming(principals)));
  if (text.length < LONG) return text !== '' && <span className="changes">{text}</span>;
  return (
    <details className="changes">
      <summary>{text}</summary>
    </details>
  );
};

const columnsOf = (shown: Shown): Column<AuditEntry>[] => [
  { name: 'Time', cell: ({ time }) => <Time value={time} />, card: '1r' },
  {
    name: 'Operator, key or token',
    cell: (entry) => <Who entry={entry} principals={shown.principals} />,
    isHeader: true,
    grow: 1,
    card: '1',
  },
  {
    name: 'What',
    cell: (entry) => <What entry={entry} shown={shown} />,
    grow: 2,
    card: '2w',
  },
  {
    name: 'Changes',
    cell: (entry) => <Changes entry={entry} principals={shown.principals} />,
    grow: 1,
    card: '3w',
  },
  {
    name: 'From',
    cell: ({ address }) => address !== undefined && <code {...tip(address)}>{visibleText(address)}</code>,
    isNumber: true,
    from: 'medium',
    card: '4w',
  },
];

/** Audit entries as a list, the newest first: who did what with which object. */
export const AuditList = ({
  of = 'audit entries',
  query,
  entries,
  empty,
  ...shown
}: Shown & {
  of?: string;
  query: { error: unknown; refetch(): unknown };
  entries: readonly AuditEntry[] | undefined;
  empty: ReactNode;
}) => (
  <List
    of={of}
    query={query}
    rows={entries}
    columns={columnsOf(shown)}
    keyOf={({ _id }) => _id}
    empty={empty}
  />
);
