import type { WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Badge } from '../components/Badge.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { Time } from '../components/Time.tsx';
import { Statistics } from '../statistics/Statistics.tsx';
import { subscriptionQuery } from '../subscriptions/requests.ts';
import { Redeliveries } from './Redeliveries.tsx';
import { RedeliverRange } from './RedeliverRange.tsx';
import { SendTest } from './SendTest.tsx';
import { Settings } from './Settings.tsx';
import { SubscriptionDeliveries } from './SubscriptionDeliveries.tsx';
import './SubscriptionPage.css';

/** What a state means for a person. */
const ADVICE: Partial<Record<WebhookSubscription['state'], string>> = {
  slowed:
    'Its events wait, and one at a time is sent, with a pause after each failure. Repair the receiver, then send a test: if it succeeds, the events follow at once.',
  recovering: 'The receiver works again, and the events that waited are being sent.',
  disabled: 'Repair the receiver, activate the subscription under Settings, then redeliver.',
};

const State = ({ subscription }: { subscription: WebhookSubscription }) => {
  const { state } = subscription;
  return (
    <div className={`explanation ${state}`}>
      <p>
        <Badge look={state}>{STATES[state]}</Badge>
        {subscription.consecutiveFailures > 0 && ` ${subscription.consecutiveFailures} failures in a row`}
        {subscription.disabledTime !== undefined && (
          <>
            {' since '}
            <Time value={subscription.disabledTime} />
          </>
        )}
      </p>
      {subscription.disabledReason !== undefined && <p>{subscription.disabledReason}</p>}
      {ADVICE[state] !== undefined && <p>{ADVICE[state]}</p>}
      {subscription.nextAttemptTime !== undefined && (
        <p>
          The next event is sent at <Time value={subscription.nextAttemptTime} /> at the earliest.
        </p>
      )}
    </div>
  );
};

/** One subscription: its deliveries, statistics, settings and bulk redeliveries. */
export const SubscriptionPage = () => {
  const { subscriptionId } = useParams({ from: '/signed-in/webhooks/$subscriptionId' });
  const search = useSearch({ from: '/signed-in/webhooks/$subscriptionId' });
  const navigate = useNavigate({ from: '/webhooks/$subscriptionId' });
  const { data: subscription, error, isPending } = useQuery(subscriptionQuery(subscriptionId));
  const show = (change: typeof search) => void navigate({ search: (kept) => ({ ...kept, ...change }) });
  if (subscription === undefined)
    return (
      <>
        <PageHeading>Subscription</PageHeading>
        {isPending && <p role="status">Loading the subscription…</p>}
        <Problem error={error} />
      </>
    );
  return (
    <>
      <PageHeading title="Subscription">{subscription.url}</PageHeading>
      <Problem error={error} />
      <State subscription={subscription} />
      <div className="buttons">
        <SendTest subscriptionId={subscriptionId} />
        <RedeliverRange subscriptionId={subscriptionId} onStarted={() => show({ tab: 'redeliveries' })} />
      </div>
      <Tabs
        selectedKey={search.tab ?? 'deliveries'}
        onSelectionChange={(tab) => show({ tab: String(tab), cursor: undefined })}
      >
        <TabList aria-label="Parts of the subscription">
          <Tab id="deliveries">Deliveries</Tab>
          <Tab id="statistics">Statistics</Tab>
          <Tab id="settings">Settings</Tab>
          <Tab id="redeliveries">Redeliveries</Tab>
        </TabList>
        <TabPanel id="deliveries">
          <SubscriptionDeliveries
            subscriptionId={subscriptionId}
            search={search}
            onChange={(cursor) => show({ cursor })}
          />
        </TabPanel>
        <TabPanel id="statistics">
          <Statistics filter={{ webhookSubscriptionId: subscriptionId }} clinicId={subscription.clinicId} />
        </TabPanel>
        <TabPanel id="settings">
          <Settings key={subscription._id} subscription={subscription} />
        </TabPanel>
        <TabPanel id="redeliveries">
          <Redeliveries subscriptionId={subscriptionId} />
        </TabPanel>
      </Tabs>
    </>
  );
};
