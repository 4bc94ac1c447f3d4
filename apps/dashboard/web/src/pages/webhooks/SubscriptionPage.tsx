import type { WebhookDelivery, WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, lazyRouteComponent, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { api } from '../../api/client.ts';
import { isGone } from '../../api/problems.ts';
import { useClinicChoices } from '../../clinics/requests.ts';
import { ActionButton } from '../../components/menus/ActionButton.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { CopyButton } from '../../components/texts/CopyText.tsx';
import { durationText, NO_FIGURE, shareText } from '../../components/texts/numbers.ts';
import { partsOf } from '../../components/texts/Receiver.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { causeInSentence } from '../../deliveries/Outcome.tsx';
import { lastFailureQuery, MAX_ROW } from '../../deliveries/requests.ts';
import { Redeliver } from '../../redeliveries/buttons.tsx';
import { changeSeen } from '../../session/seen-change.ts';
import { durationOf, totalOf } from '../../statistics/hours.ts';
import { statisticsQuery } from '../../statistics/requests.ts';
import { SuccessRate } from '../../statistics/SuccessRate.tsx';
import { showStored, subscriptionQuery, subscriptionsQuery } from '../../subscriptions/requests.ts';
import { SendTest } from '../../subscriptions/SendTest.tsx';
import { State } from '../../subscriptions/State.tsx';
import { needsAttention } from '../../subscriptions/states.ts';
import { Withheld } from '../../subscriptions/Withheld.tsx';
import { SubscriptionDeliveries } from './SubscriptionDeliveries.tsx';
import '../../statistics/Figures.css';
import '../../components/page-parts/Tabs.css';

// Few subscriptions are being replaced.
const Replacement = lazyRouteComponent(() => import('./Replacement.tsx'), 'Replacement');
// The code of these tabs is loaded when one of them is opened.
const Statistics = lazyRouteComponent(() => import('../../statistics/Statistics.tsx'), 'Statistics');
const Settings = lazyRouteComponent(() => import('./Settings.tsx'), 'Settings');
const Redeliveries = lazyRouteComponent(() => import('./Redeliveries.tsx'), 'Redeliveries');

/** The tabs, by their names in the address. */
const TABS = {
  deliveries: 'Deliveries',
  statistics: 'Statistics',
  settings: 'Settings',
  redeliveries: 'Redeliveries',
} as const;

/** What a state means for a person. */
const ADVICE: Partial<Record<WebhookSubscription['state'], string>> = {
  failing:
    'After 20 failures in a row the subscription is disabled. Tests and redeliveries do not count. One success ends the count.',
  slowed:
    'Its events wait, and one at a time is sent, with a pause after each failure. Repair the receiver, then send a test: if it succeeds, the events follow at once.',
  recovering: 'The receiver works again, and the events that waited are being sent.',
  disabled: 'Repair the receiver, activate the subscription, then redeliver.',
};

/** What happens, in one line: since when the subscription is disabled, or how many failures it has in a row. */
const Headline = ({
  subscription: { state, consecutiveFailures, disabledTime },
  cause,
}: {
  subscription: WebhookSubscription;
  cause: WebhookDelivery['cause'];
}) => {
  if (disabledTime !== undefined)
    return (
      <>
        <span>{STATES[state]}</span> since <Time value={disabledTime} exactly />
      </>
    );
  if (state === 'recovering') return STATES[state];
  const last = cause === undefined ? '' : `, the last: ${causeInSentence(cause)}`;
  return (
    <>
      <span>{STATES[state]}</span>
      {`: ${consecutiveFailures} of ${MAX_ROW} failures in a row${consecutiveFailures > 0 ? last : ''}`}
    </>
  );
};

/** A subscription that needs attention: what happens, why, and what to do. */
const Trouble = ({ subscription }: { subscription: WebhookSubscription }) => {
  const { _id, state } = subscription;
  const queries = useQueryClient();
  const failure = useQuery(lastFailureQuery(subscription)).data ?? undefined;
  const activate = useMutation({
    mutationFn: () =>
      changeSeen(
        () => api.webhookSubscriptions.get(_id).withResponse(),
        // What else somebody has changed stays, as under Settings.
        () => true,
        (ifMatch) => api.webhookSubscriptions.update(_id, { active: true }, { ifMatch }),
      ),
    async onSuccess(result) {
      await showStored(queries, 'saved' in result ? result.saved : result.theirs);
      // The button disappears.
      document.querySelector<HTMLElement>('h1')?.focus();
    },
  });
  const last = failure !== undefined && (
    <Link className="button" to="/deliveries/$deliveryId" params={{ deliveryId: failure._id }}>
      See the last failure
    </Link>
  );
  return (
    <>
      <Note
        tone={state === 'disabled' ? 'bad' : state === 'recovering' ? 'info' : 'warning'}
        actions={
          state === 'disabled' ? (
            <>
              {last}
              <ActionButton request={activate}>Activate</ActionButton>
            </>
          ) : (
            last || undefined
          )
        }
      >
        <p className="strong">
          <Headline subscription={subscription} cause={failure?.cause} />
        </p>
        {subscription.disabledReason !== undefined && <p>{visibleText(subscription.disabledReason)}</p>}
        {ADVICE[state] !== undefined && <p>{ADVICE[state]}</p>}
        {subscription.nextAttemptTime !== undefined && (
          <p>
            The next event is sent at <Time value={subscription.nextAttemptTime} exactly /> at the earliest.
          </p>
        )}
      </Note>
      <Problem error={activate.error} />
    </>
  );
};

/** How the receiver did in the last 24 hours. */
const Figures = ({ subscription }: { subscription: WebhookSubscription }) => {
  const { _id, lastDeliveryTime, lastStatusCode } = subscription;
  const { data = [] } = useQuery(statisticsQuery('day', { webhookSubscriptionId: _id }));
  const duration = durationOf(data, 0.95);
  return (
    <dl className="figures three">
      <SuccessRate label="Success rate, 24 hours" total={totalOf(data)} subscription={subscription} />
      <div>
        <dt>{shareText(0.95)} of first attempts within</dt>
        <dd>{duration === undefined ? NO_FIGURE : durationText(duration)}</dd>
      </div>
      <div>
        <dt>Last delivery</dt>
        <dd>
          <Time value={lastDeliveryTime} />{' '}
          {lastStatusCode !== undefined && <small>Status {lastStatusCode}</small>}
        </dd>
      </div>
    </dl>
  );
};

const Heading = ({ url }: { url: string }) => {
  const { host, path } = partsOf(url);
  return (
    <>
      <span className="quiet">
        {url.startsWith(`http://${host}`) ? 'http://' : host === url ? '' : 'https://'}
      </span>
      {visibleText(host)}
      <span className="quiet">{visibleText(path)}</span>
    </>
  );
};

/** One subscription: its deliveries, statistics, settings and bulk redeliveries. */
export const SubscriptionPage = () => {
  const { subscriptionId } = useParams({ from: '/signed-in/webhooks/$subscriptionId' });
  const search = useSearch({ from: '/signed-in/webhooks/$subscriptionId' });
  const navigate = useNavigate({ from: '/webhooks/$subscriptionId' });
  const { data: subscription, error, isPending, refetch } = useQuery(subscriptionQuery(subscriptionId));
  const clinics = useClinicChoices();
  const { data: all = [] } = useQuery(subscriptionsQuery);
  const show = (change: typeof search) => void navigate({ search: (kept) => ({ ...kept, ...change }) });
  const back = { to: '/webhooks', name: 'Webhooks' };
  const problem = <Problem error={error} again={refetch} />;
  // Somebody else may delete it while the page is open.
  if (subscription === undefined || isGone(error))
    return (
      <>
        <PageHeading back={back}>Subscription</PageHeading>
        {isPending && <Waiting of="the subscription" />}
        {problem}
      </>
    );
  const { url, clinicId, replaces, replacedBy } = subscription;
  /** Whether it replaces another one, or is replaced. */
  const isInChain =
    (replaces ?? replacedBy) !== undefined || all.some((each) => each.replaces === subscriptionId);
  return (
    <>
      <PageHeading
        title="Subscription"
        back={back}
        shown={<Heading url={url} />}
        note={
          <>
            <State subscription={subscription} />
            {clinics.find(({ value }) => value === clinicId)?.label}
            <CopyButton of="the URL" text={url} />
          </>
        }
        actions={
          <>
            <SendTest subscriptionId={subscriptionId} />
            <Redeliver subscriptionId={subscriptionId} onStarted={() => show({ tab: 'redeliveries' })} />
          </>
        }
      >
        {url}
      </PageHeading>
      {problem}
      <Withheld subscription={subscription} />
      {needsAttention(subscription) && <Trouble subscription={subscription} />}
      {isInChain && (
        <Suspense>
          <Replacement subscription={subscription} />
        </Suspense>
      )}
      <Figures subscription={subscription} />
      <Tabs
        // A tab that does not exist in this version is the first one.
        selectedKey={search.tab !== undefined && Object.hasOwn(TABS, search.tab) ? search.tab : 'deliveries'}
        onSelectionChange={(tab) => show({ tab: String(tab), cursor: undefined })}
      >
        <TabList aria-label="Parts of the subscription" className="tabs">
          {Object.entries(TABS).map(([id, name]) => (
            <Tab key={id} id={id}>
              {name}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="deliveries">
          <SubscriptionDeliveries
            subscriptionId={subscriptionId}
            search={search}
            onChange={(cursor) => show({ cursor })}
          />
        </TabPanel>
        <TabPanel id="statistics">
          <Suspense fallback={<Waiting of="the statistics" />}>
            <Statistics
              filter={{ webhookSubscriptionId: subscriptionId }}
              clinicId={clinicId}
              subscription={subscription}
            />
          </Suspense>
        </TabPanel>
        <TabPanel id="settings">
          <Suspense fallback={<Waiting of="the settings" />}>
            <Settings key={subscription._id} subscription={subscription} />
          </Suspense>
        </TabPanel>
        <TabPanel id="redeliveries">
          <Suspense fallback={<Waiting of="the redeliveries" />}>
            <Redeliveries subscriptionId={subscriptionId} />
          </Suspense>
        </TabPanel>
      </Tabs>
    </>
  );
};
