import type { WebhookStatisticsRow, WebhookSubscription } from '@chairside/client';
import { CAUSES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Button } from 'react-aria-components';
import type { Column } from '../../components/lists/Table.tsx';
import { Actions } from '../../components/menus/Actions.tsx';
import { Middle } from '../../components/texts/Middle.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { partsOf } from '../../components/texts/Receiver.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { lastFailureQuery } from '../../deliveries/requests.ts';
import { RedeliverDialog } from '../../redeliveries/buttons.tsx';
import { OutcomeStrip } from '../../statistics/OutcomeStrip.tsx';
import { eventsText, type Group } from '../../subscriptions/groups.ts';
import { State } from '../../subscriptions/State.tsx';
import { needsAttention, stateText } from '../../subscriptions/states.ts';

/** A row of the list: one subscription, or the folded ones of a group. */
export type Row = {
  key: string;
  first: WebhookSubscription;
  members: readonly WebhookSubscription[];
  /** The key of the group that has unfolded to this row. */
  of?: string;
  /** How many subscriptions outside of the group have the same URL and events, and need attention. */
  troubled: number;
  /** Whether the cause of the last failure may be read for this row. */
  isCauseRead: boolean;
};

/** Each cause that is read is a request, so only the most urgent rows read it. The others show the number of failures. */
const MAX_CAUSES = 20;

const rowOf = (subscription: WebhookSubscription, index: number, of?: string): Row => ({
  key: subscription._id,
  first: subscription,
  members: [subscription],
  ...(of !== undefined && { of }),
  troubled: 0,
  isCauseRead: index < MAX_CAUSES,
});

/** The rows of subscriptions that need attention, one for each. */
export const troubledRows = (troubled: readonly WebhookSubscription[]): Row[] =>
  troubled.map((subscription, index) => rowOf(subscription, index));

/** The rows of groups: one for each, and those of the members below a group that is open. */
export const groupRows = (groups: readonly Group[], open: ReadonlySet<string>): Row[] =>
  groups.flatMap(({ key, members, troubled }) => {
    const [first] = members;
    if (first === undefined) return [];
    if (members.length === 1) return [rowOf(first, 0)];
    const below = open.has(key) ? members.map((member, index) => rowOf(member, index, key)) : [];
    return [{ key, first, members, troubled, isCauseRead: false }, ...below];
  });

const clinicsOf = (members: readonly WebhookSubscription[]): number =>
  new Set(members.map(({ clinicId }) => clinicId)).size;

/** The members of a group in words, such as `12 clinics, all healthy`. */
const groupText = ({ first, members }: Row): string => {
  const isOnePerClinic = clinicsOf(members) === members.length;
  return `${countText(members.length)} ${isOnePerClinic ? 'clinics' : 'subscriptions'}, all ${stateText(first).toLowerCase()}`;
};

/** What else is to know about a group: which of its kind are not in it, or that none is missing. */
const groupNote = ({ members, troubled }: Row, clinicCount: number): string | undefined => {
  if (troubled > 0) return `${countText(troubled)} more ${troubled === 1 ? 'needs' : 'need'} attention`;
  const clinics = clinicsOf(members);
  if (clinics === clinicCount) return 'Every clinic has one';
  return clinics === members.length
    ? undefined
    : `Of ${countText(clinics)} ${clinics === 1 ? 'clinic' : 'clinics'}`;
};

/** What the status of the last attempt says about its failure. Without a status, the cause must be read. */
const statusText = (status: number | undefined): string | undefined => {
  if (status === undefined || status < 300) return undefined;
  return status < 400 ? CAUSES.redirect : `Status ${status}`;
};

/** What explains the state in one line: the cause of the last failure, and the number of failures in a row. */
const Why = ({ row: { first, isCauseRead } }: { row: Row }) => {
  const { state, withheld, consecutiveFailures, lastStatusCode } = first;
  const isFailing = needsAttention(first) && state !== 'recovering';
  const status = statusText(lastStatusCode);
  const isRead = isFailing && isCauseRead && status === undefined;
  const { data } = useQuery({ ...lastFailureQuery(first), enabled: isRead });
  if (withheld !== undefined) return 'The host is blocked';
  if (state === 'recovering') return 'What waited is being sent';
  if (!isFailing) return null;
  const cause = status ?? (data?.cause && CAUSES[data.cause]);
  const row = consecutiveFailures > 0 ? `${countText(consecutiveFailures)} in a row` : undefined;
  return [cause, row].filter((each) => each !== undefined).join(', ');
};

/** What the cells of all rows need. */
type List = {
  all: readonly WebhookSubscription[];
  clinicName(id: string): string;
  /** How many clinics the organization has. */
  clinicCount: number;
  /** The last 24 hours by subscription; undefined until they are read. */
  hours: ReadonlyMap<string, readonly WebhookStatisticsRow[]> | undefined;
  open: ReadonlySet<string>;
  fold(key: string, isOpen: boolean): void;
  sendTest(subscriptionId: string): void;
  showRedeliveries(subscriptionId: string): void;
};

/** The link of a row, and the button of a group. With the arrow keys, a group unfolds and folds. */
const Receiver = ({ row, list }: { row: Row; list: List }) => {
  const { key, of, first, members } = row;
  const { host, path } = partsOf(first.url);
  const isGroup = members.length > 1;
  const isOpen = list.open.has(key);
  const foldWith = ({ key: pressed, currentTarget }: KeyboardEvent<Element>): void => {
    if (pressed === 'ArrowRight' && isGroup) list.fold(key, true);
    if (pressed !== 'ArrowLeft') return;
    list.fold(of ?? key, false);
    // The row disappears with its focus.
    if (of !== undefined)
      currentTarget
        .closest('table')
        ?.querySelector<HTMLElement>(`[data-key="${CSS.escape(of)}"] .row-link`)
        ?.focus();
  };
  const isAlone = list.all.every(({ _id, url }) => _id === first._id || url !== first.url);
  const receiver = visibleText(host);
  const sub = <span className="sub">{visibleText(path || '/')}</span>;
  if (isGroup)
    return (
      <div className="unfolds">
        <Button
          className="row-link fold"
          aria-expanded={isOpen}
          aria-label={`${first.url}, ${groupText(row)}`}
          onPress={() => list.fold(key, !isOpen)}
          onKeyDown={foldWith}
        >
          <ChevronRight aria-hidden="true" />
          <span {...tip(first.url)}>{receiver}</span>
        </Button>
        {sub}
      </div>
    );
  return (
    <div className={of === undefined ? undefined : 'unfolded'}>
      <Link
        className="row-link"
        to="/webhooks/$subscriptionId"
        params={{ subscriptionId: first._id }}
        aria-label={isAlone ? first.url : `${first.url}, ${list.clinicName(first.clinicId)}`}
        onKeyDown={foldWith}
        {...tip(first.url)}
      >
        {receiver}
      </Link>
      {sub}
    </div>
  );
};

const Clinic = ({ row, list }: { row: Row; list: List }) => {
  if (row.members.length === 1) return <Middle>{list.clinicName(row.first.clinicId)}</Middle>;
  const note = groupNote(row, list.clinicCount);
  return (
    <>
      <span className="strong">{groupText(row)}</span>
      {note !== undefined && <span className="sub">{note}</span>}
    </>
  );
};

const Strip = ({ row: { members }, list: { hours } }: { row: Row; list: List }) => {
  if (members.every(({ lastDeliveryTime }) => lastDeliveryTime === undefined))
    return <span className="quiet small">nothing sent</span>;
  if (hours === undefined) return null;
  return <OutcomeStrip hours={members.flatMap(({ _id }) => hours.get(_id) ?? [])} />;
};

/** The time of the latest attempt of several subscriptions. */
const lastOf = (members: readonly WebhookSubscription[]): string | undefined =>
  members
    .flatMap(({ lastDeliveryTime }) => lastDeliveryTime ?? [])
    .toSorted()
    .at(-1);

/** The columns of the list of subscriptions. */
export const columnsOf = (list: List): Column<Row>[] => [
  {
    name: 'Receiver',
    cell: (row) => <Receiver row={row} list={list} />,
    isHeader: true,
    grow: 2,
    card: '1',
  },
  {
    name: 'State',
    cell: (row) => (
      <div className="webhook-state">
        <State subscription={row.first} />{' '}
        <span className="sub">
          <Why row={row} />
        </span>
      </div>
    ),
    card: '3',
  },
  { name: 'Clinic', cell: (row) => <Clinic row={row} list={list} />, grow: 2, card: '2w' },
  {
    name: 'Events',
    cell: ({ first }) => <span {...tip(eventsText(first))}>{eventsText(first)}</span>,
    grow: 1,
    from: 'widest',
  },
  { name: 'Last 24 hours', cell: (row) => <Strip row={row} list={list} />, from: 'medium' },
  {
    name: 'Last delivery',
    cell: ({ members }) => <Time value={lastOf(members)} />,
    isNumber: true,
    card: '3r',
  },
  {
    name: 'Actions',
    isNameHidden: true,
    cell: ({ first: { _id, url, clinicId }, members }) =>
      members.length === 1 && (
        <Actions
          of={`${visibleText(url)}, ${list.clinicName(clinicId)}`}
          actions={[
            { name: 'Send test', act: () => list.sendTest(_id) },
            {
              name: 'Redeliver…',
              dialog: (close) => (
                <RedeliverDialog
                  subscriptionId={_id}
                  onStarted={() => list.showRedeliveries(_id)}
                  onClose={close}
                />
              ),
            },
          ]}
        />
      ),
    card: '1r',
  },
];
