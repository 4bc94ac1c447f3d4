import type { ProgramToken, ServiceStatus, WebhookSubscription } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Column, Table } from '../../components/lists/Table.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { Receiver } from '../../components/texts/Receiver.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { causeInSentence } from '../../deliveries/Outcome.tsx';
import { keptSince } from '../../deliveries/period.ts';
import { type LastFailure, lastFailureQuery } from '../../deliveries/requests.ts';
import { serviceStatusQuery } from '../../layout/service-status.ts';
import { programTokensQuery } from '../../principals/requests.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { State } from '../../subscriptions/State.tsx';
import { byUrgency, needsAttention } from '../../subscriptions/states.ts';

/** Changed records and deliveries that wait this long need attention, in seconds. A wait of some seconds is normal. */
const LONG_WAIT = 60;
/** Program tokens that end within this time need attention. */
const NEAR_END_MS = 7 * 24 * 3_600_000;

/** A row of the table: what needs attention, why, since when, and the one thing to do next. */
type Row = {
  id: string;
  state: ReactNode;
  what: ReactNode;
  why: ReactNode;
  since: ReactNode;
  action: ReactNode;
};

/** How many failures a subscription has in a row, and the cause of the last one. The others may have had other causes. */
const failuresText = (failures: number, cause: LastFailure['cause']): string => {
  const last = cause === undefined ? undefined : causeInSentence(cause);
  if (failures === 0) return last === undefined ? '' : `The last attempt: ${last}`;
  return `${countText(failures)} ${nounAfter(failures, 'failure')} in a row${last === undefined ? '' : `, the last: ${last}`}`;
};

const Why = ({ subscription }: { subscription: WebhookSubscription }) => {
  const { data } = useQuery(lastFailureQuery(subscription));
  if (subscription.state === 'recovering') return 'The events that waited are being sent';
  const text = failuresText(subscription.consecutiveFailures, data?.cause);
  const whole = visibleText(subscription.disabledReason ?? text);
  return <span {...tip(whole)}>{text || whole || 'The last attempt failed'}</span>;
};

const Since = ({ subscription }: { subscription: WebhookSubscription }) => {
  const { data } = useQuery(lastFailureQuery(subscription));
  const time = subscription.disabledTime ?? data?.since;
  return time === undefined ? null : <Time value={time} />;
};

const Action = ({
  subscription: { _id, state, ...rest },
  isNext,
}: {
  subscription: WebhookSubscription;
  isNext: boolean;
}) => {
  const { data } = useQuery(lastFailureQuery({ _id, ...rest }));
  const className = isNext ? 'button compact primary' : 'button compact';
  if (data?.cause === 'redirect')
    return (
      <Link
        className={className}
        to="/webhooks/$subscriptionId"
        params={{ subscriptionId: _id }}
        search={{ tab: 'settings' }}
      >
        Change URL
      </Link>
    );
  const outcome = state === 'disabled' && data === null ? 'skipped' : 'failed';
  return (
    <Link
      className={className}
      to="/deliveries"
      search={{ webhookSubscriptionId: _id, outcome, since: keptSince() }}
    >
      See failures
    </Link>
  );
};

const rowOfSubscription = (subscription: WebhookSubscription, isNext: boolean): Row => ({
  id: subscription._id,
  state: <State subscription={subscription} />,
  what: (
    <Link className="row-link" to="/webhooks/$subscriptionId" params={{ subscriptionId: subscription._id }}>
      <Receiver url={subscription.url} />
    </Link>
  ),
  why: <Why subscription={subscription} />,
  since: <Since subscription={subscription} />,
  action: <Action subscription={subscription} isNext={isNext} />,
});

const rowOfToken = ({ _id, name, expiryTime }: ProgramToken): Row => ({
  id: _id,
  state: <Chip tone="warning">Ends</Chip>,
  what: (
    <Link className="row-link" to="/tokens">
      {visibleText(name)}
    </Link>
  ),
  why: (
    <>
      This program token ends <Time value={expiryTime} />. Create another one before.
    </>
  ),
  since: null,
  action: (
    <Link className="button compact" to="/tokens">
      Open tokens
    </Link>
  ),
});

const rowsOfStatus = (status: ServiceStatus): Row[] => {
  const { outage, outageTime, oldestAge, eventsWaiting, deliveriesWaiting, complete } = status;
  const rows: Row[] = [];
  if (outage)
    rows.push({
      id: 'outage',
      state: <Chip tone="bad">Outage</Chip>,
      what: <span className="strong">The service</span>,
      why: 'It cannot reach the internet. Deliveries wait and are sent afterwards',
      since: <Time value={outageTime} />,
      action: null,
    });
  if (oldestAge >= LONG_WAIT)
    rows.push({
      id: 'waiting',
      state: <Chip tone="info">Waiting</Chip>,
      what: (
        <span className="strong">
          {countText(eventsWaiting + deliveriesWaiting)}
          {complete ? '' : ' or more'} events
        </span>
      ),
      why: 'Changed records and deliveries that wait to be sent',
      since: <Time value={new Date(Date.now() - oldestAge * 1000).toISOString()} />,
      action: (
        <Link className="button compact" to="/deliveries" search={{ outcome: 'queued', since: keptSince() }}>
          See deliveries
        </Link>
      ),
    });
  return rows;
};

const COLUMNS: readonly Column<Row>[] = [
  { name: 'State', cell: ({ state }) => state, card: '1' },
  { name: 'What', cell: ({ what }) => what, isHeader: true, grow: 2, card: '2w' },
  { name: 'Why', cell: ({ why }) => why, grow: 2, card: '3w' },
  { name: 'Since', cell: ({ since }) => since, isNumber: true, card: '1r' },
  { name: 'Action', isNameHidden: true, cell: ({ action }) => action, card: '4w' },
];

/** The most subscriptions that the table shows. The page of subscriptions has all. */
const MAX_SUBSCRIPTIONS = 10;

/**
 * The problems that need attention, in one table: disabled and failing subscriptions, an outage of the service, a
 * backlog, and program tokens that end soon.
 *
 * @param props.works whether a webhook has arrived, so that no problem is worth a note
 */
export const Attention = ({ works }: { works: boolean }) => {
  const subscriptions = useQuery(subscriptionsQuery);
  const status = useQuery(serviceStatusQuery);
  const tokens = useQuery(programTokensQuery);
  const queries = [subscriptions, status, tokens];
  const error = queries.find((query) => query.error !== null)?.error ?? null;
  const troubled = (subscriptions.data ?? []).filter(needsAttention).toSorted(byUrgency);
  const ending = (tokens.data ?? []).filter(
    ({ expiryTime }) => Date.parse(expiryTime) - Date.now() < NEAR_END_MS,
  );
  const rows = [
    ...(status.data === undefined ? [] : rowsOfStatus(status.data)),
    ...troubled
      .slice(0, MAX_SUBSCRIPTIONS)
      // The first steps have a solid button of their own.
      .map((each, index) => rowOfSubscription(each, works && index === 0)),
    ...ending.map(rowOfToken),
  ];
  const all = subscriptions.data?.length ?? 0;
  return (
    <>
      <Problem error={error} again={() => Promise.all(queries.map((query) => query.refetch()))} />
      {rows.length > 0 && (
        <Card
          title="Needs attention"
          isPadded={false}
          end={
            all > 0 && (
              <span className="quiet small">
                {countText(all - troubled.length)} of {countText(all)} {nounAfter(all, 'subscription')}{' '}
                without problems
              </span>
            )
          }
        >
          <Table label="Table of what needs attention" rows={rows} columns={COLUMNS} keyOf={({ id }) => id} />
          {troubled.length > MAX_SUBSCRIPTIONS && (
            <p className="pad small">
              <Link to="/webhooks">
                {`${countText(troubled.length - MAX_SUBSCRIPTIONS)} more subscriptions need attention`}
              </Link>
            </p>
          )}
        </Card>
      )}
      {rows.length === 0 && error === null && all > 0 && works && (
        <Note tone="good">
          <h2>Needs attention</h2>
          <p>Nothing. No receiver fails now.</p>
        </Note>
      )}
    </>
  );
};
