import type { WebhookSubscription } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Problem } from '../components/Problem.tsx';
import { Time } from '../components/Time.tsx';
import { keptSince } from '../delivery-list/period.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { stateOf } from '../subscriptions/states.ts';
import { securityChangesQuery, serviceStatusQuery } from './requests.ts';
import './Attention.css';

/** Changed records and deliveries that wait this long need attention, in seconds. A wait of some seconds is normal. */
const LONG_WAIT = 60;

const Item = ({ kind, children }: { kind: 'failed' | 'failing' | 'healthy'; children: ReactNode }) => (
  <li className={`explanation ${kind}`}>
    <p>{children}</p>
  </li>
);

const SubscriptionItem = ({ subscription }: { subscription: WebhookSubscription }) => {
  const isDisabled = !subscription.active;
  return (
    <Item kind={isDisabled ? 'failed' : 'failing'}>
      <Link
        to="/deliveries"
        search={{
          webhookSubscriptionId: subscription._id,
          // An operator may have disabled it without a failure.
          outcome: subscription.consecutiveFailures > 0 ? 'failed' : 'skipped',
          since: keptSince(),
        }}
      >
        {subscription.url}
      </Link>
      {isDisabled
        ? ` is disabled. ${subscription.disabledReason ?? ''}`
        : ` fails: ${subscription.consecutiveFailures} failures in a row. After 20, it is disabled.`}
    </Item>
  );
};

/** The problems that need attention: disabled and failing subscriptions, an outage of the service, and a backlog. */
export const Attention = () => {
  const subscriptions = useQuery(subscriptionsQuery);
  const status = useQuery(serviceStatusQuery);
  const troubled = (subscriptions.data ?? [])
    .filter((each) => each.disabledReason !== undefined || stateOf(each) === 'failing')
    .toSorted((one, other) => Number(one.active) - Number(other.active));
  const waits = status.data !== undefined && status.data.oldestAge >= LONG_WAIT;
  const isCalm =
    subscriptions.data !== undefined &&
    status.data !== undefined &&
    troubled.length === 0 &&
    !waits &&
    !status.data.outage;
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <Problem error={subscriptions.error ?? status.error} />
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
};
const KINDS: Readonly<Record<string, string>> = {
  operator: 'Operator',
  apiKey: 'API key',
  webhookSubscription: 'Subscription',
  connection: 'Connected app',
};

/** The latest changes of operators, keys, subscriptions and connected apps in the last seven days. */
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
              <Time value={entry.time} />: {KINDS[entry.kind] ?? entry.kind} {ACTIONS[entry.action]}
              {entry.address !== undefined && ` from ${entry.address}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
