import type { AuditEntry, WebhookSubscription } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Problem } from '../components/Problem.tsx';
import { Time } from '../components/Time.tsx';
import { visibleText } from '../components/visible-text.ts';
import { keptSince } from '../delivery-list/period.ts';
import { programTokensQuery } from '../principals/requests.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { securityChangesQuery, serviceStatusQuery } from './requests.ts';
import './Attention.css';

/** Changed records and deliveries that wait this long need attention, in seconds. A wait of some seconds is normal. */
const LONG_WAIT = 60;

const Item = ({ kind, children }: { kind: 'failed' | 'failing' | 'healthy'; children: ReactNode }) => (
  <li className={`explanation ${kind}`}>
    <p>{children}</p>
  </li>
);

const TROUBLED: readonly WebhookSubscription['state'][] = ['disabled', 'slowed', 'failing', 'recovering'];

const sentenceOf = ({ state, consecutiveFailures, disabledReason = '' }: WebhookSubscription): string => {
  const failures = `${consecutiveFailures} failures in a row. After 20, it is disabled.`;
  if (state === 'disabled') return `is disabled. ${disabledReason}`;
  if (state === 'slowed') return `is slowed down: ${failures}`;
  if (state === 'recovering') return 'recovers: the events that waited are being sent.';
  return consecutiveFailures === 0 ? 'failed: the last attempt.' : `fails: ${failures}`;
};

const SubscriptionItem = ({ subscription }: { subscription: WebhookSubscription }) => {
  const isDisabled = !subscription.active;
  return (
    <Item kind={isDisabled ? 'failed' : 'failing'}>
      <Link
        to="/deliveries"
        search={{
          webhookSubscriptionId: subscription._id,
          outcome: 'failed',
          since: keptSince(),
        }}
      >
        {subscription.url}
      </Link>
      {` ${sentenceOf(subscription)}`}
    </Item>
  );
};

/** Program tokens that end within this time need attention. */
const NEAR_END_MS = 7 * 24 * 3_600_000;

/**
 * The problems that need attention: disabled and failing subscriptions, an outage of the service, a backlog, and program
 * tokens that end soon.
 */
export const Attention = () => {
  const subscriptions = useQuery(subscriptionsQuery);
  const status = useQuery(serviceStatusQuery);
  const tokens = useQuery(programTokensQuery);
  const ending = (tokens.data ?? []).filter(
    ({ expiryTime }) => Date.parse(expiryTime) - Date.now() < NEAR_END_MS,
  );
  const troubled = (subscriptions.data ?? [])
    .filter((each) => TROUBLED.includes(each.state))
    .toSorted((one, other) => Number(one.active) - Number(other.active));
  const waits = status.data !== undefined && status.data.oldestAge >= LONG_WAIT;
  const isCalm =
    subscriptions.data !== undefined &&
    status.data !== undefined &&
    tokens.data !== undefined &&
    troubled.length === 0 &&
    ending.length === 0 &&
    !waits &&
    !status.data.outage;
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <Problem error={subscriptions.error ?? status.error ?? tokens.error} />
      <ul className="attention">
        {status.data?.outage && (
          <Item kind="failed">
            The service cannot reach the internet since <Time value={status.data.outageTime} />. Deliveries
            wait and are sent afterwards.
          </Item>
        )}
        {waits && status.data !== undefined && (
          <Item kind="failing">
            {status.data.eventsWaiting + status.data.deliveriesWaiting}
            {status.data.complete ? '' : ' or more'} changed records and deliveries wait. The oldest has
            waited for {Math.round(status.data.oldestAge / 60)} min.
          </Item>
        )}
        {troubled.map((subscription) => (
          <SubscriptionItem key={subscription._id} subscription={subscription} />
        ))}
        {ending.map(({ _id, name, expiryTime }) => (
          <Item key={_id} kind="failing">
            <Link to="/tokens">{visibleText(name)}</Link>: this program token ends at{' '}
            <Time value={expiryTime} />. Create another one, and give it to the program before.
          </Item>
        ))}
        {isCalm && <Item kind="healthy">Nothing needs attention. All receivers respond.</Item>}
      </ul>
    </section>
  );
};

const ACTIONS: Readonly<Record<string, string>> = {
  created: 'created',
  updated: 'changed',
  deleted: 'deleted',
  revealed: 'revealed',
  password_changed: 'password changed',
  sessions_ended: 'sessions ended',
  granted: 'allowed',
  token_created: 'created',
  token_used: 'used for the first time',
  token_ended: 'ended',
};
const KINDS: Readonly<Record<string, string>> = {
  operator: 'Operator',
  session: 'Session',
  apiKey: 'API key',
  webhookSubscription: 'Subscription',
  connection: 'Connected app',
};

const kindOf = ({ kind, action }: AuditEntry): string =>
  action.startsWith('token_') ? 'Program token' : (KINDS[kind] ?? kind);

/** Where a subscription that was created or moved sends to, and whether that is new. Old entries do not tell it. */
const destinationOf = ({ changes = [] }: AuditEntry): string => {
  const changed = (name: string) => changes.find(({ field }) => field === name)?.value;
  const [host, isNew] = [changed('url'), changed('newHost')];
  if (host === undefined) return '';
  if (isNew === undefined) return `, to ${host} (whether this host is new was not recorded)`;
  return isNew ? `, to ${host}, a host that is new to the organization` : `, to ${host}`;
};

/** The latest changes of operators, sessions, tokens, keys, subscriptions and connected apps in the last seven days. */
export const SecurityChanges = () => {
  const { data, error, isPending } = useQuery(securityChangesQuery);
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Security changes of the last seven days</h2>
      <Problem error={error} />
      {isPending && <p role="status">Loading…</p>}
      {data?.length === 0 && <p className="quiet">None.</p>}
      {data !== undefined && data.length > 0 && (
        <ul>
          {data.map((entry) => (
            <li key={entry._id}>
              <Time value={entry.time} />: {kindOf(entry)} {ACTIONS[entry.action]}
              {destinationOf(entry)}
              {entry.address !== undefined && ` from ${entry.address}`}
              {entry.result !== 'ok' && ` (${entry.result})`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
