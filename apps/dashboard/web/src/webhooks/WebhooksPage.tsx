import type { WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { useClinicChoices, useWaitForClinics } from '../clinics/requests.ts';
import { Badge } from '../components/Badge.tsx';
import { choicesOf, Select } from '../components/Field.tsx';
import { Filters } from '../components/Filters.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { ScrollTable } from '../components/ScrollTable.tsx';
import { Time } from '../components/Time.tsx';
import { eventsText, groupsOf } from '../subscriptions/groups.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { NewSubscription } from './NewSubscription.tsx';

const SubscriptionRow = ({
  subscription,
  clinicName,
}: {
  subscription: WebhookSubscription;
  clinicName(id: string): string;
}) => (
  <tr>
    <td className="url">
      <Link to="/webhooks/$subscriptionId" params={{ subscriptionId: subscription._id }}>
        {subscription.url}
      </Link>
    </td>
    <td>{clinicName(subscription.clinicId)}</td>
    <td>
      <Badge look={subscription.state}>{STATES[subscription.state]}</Badge>
    </td>
    <td className="number">{subscription.consecutiveFailures}</td>
    <td className="number">{subscription.lastStatusCode}</td>
    <td>
      <Time value={subscription.lastDeliveryTime} />
    </td>
  </tr>
);

/** The heading of several subscriptions with the same URL and events. */
const GroupHead = ({ members }: { members: readonly WebhookSubscription[] }) => {
  const [first] = members;
  const clinics = new Set(members.map(({ clinicId }) => clinicId)).size;
  return (
    <tr>
      <th scope="colgroup" colSpan={6}>
        {`${members.length} subscriptions of ${clinics === 1 ? 'one clinic' : `${clinics} clinics`}: ${first === undefined ? '' : eventsText(first)}`}
      </th>
    </tr>
  );
};

const SubscriptionTable = ({
  subscriptions,
  clinicName,
}: {
  subscriptions: readonly WebhookSubscription[];
  clinicName(id: string): string;
}) => (
  <ScrollTable
    label="Table of subscriptions"
    columns={[
      'URL',
      'Clinic',
      'State',
      { number: 'Failures in a row' },
      { number: 'Last status' },
      'Last delivery',
    ]}
  >
    {groupsOf(subscriptions).map(({ key, members }) => (
      <Fragment key={key}>
        {members.length > 1 && <GroupHead members={members} />}
        {members.map((subscription) => (
          <SubscriptionRow key={subscription._id} subscription={subscription} clinicName={clinicName} />
        ))}
      </Fragment>
    ))}
  </ScrollTable>
);

/** The subscriptions of the organization, with their state. */
export const WebhooksPage = () => {
  const search = useSearch({ from: '/signed-in/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const { data, error, isPending } = useQuery(subscriptionsQuery);
  const clinics = useClinicChoices();
  const waits = useWaitForClinics() || isPending;
  const shown = data?.filter(
    (each) =>
      (search.clinicId === undefined || each.clinicId === search.clinicId) &&
      (search.state === undefined || each.state === search.state),
  );
  const filter = (change: typeof search) => void navigate({ search: (kept) => ({ ...kept, ...change }) });
  return (
    <>
      <PageHeading>Webhooks</PageHeading>
      <div className="buttons">
        <NewSubscription />
      </div>
      <Filters search={search}>
        <ClinicFilter value={search.clinicId} onChange={(clinicId) => filter({ clinicId })} />
        <Select
          label="State"
          any="All states"
          value={search.state}
          choices={choicesOf(STATES)}
          onChange={(state) => filter({ state })}
        />
      </Filters>
      <Problem error={error} />
      {waits && <p role="status">Loading subscriptions…</p>}
      {shown !== undefined &&
        !waits &&
        (shown.length === 0 ? (
          <p className="empty">
            {data?.length === 0
              ? 'There is no subscription yet. A subscription sends events of a clinic to a URL.'
              : 'No subscription matches these filters.'}
          </p>
        ) : (
          <SubscriptionTable
            subscriptions={shown}
            clinicName={(id) => clinics.find(({ value }) => value === id)?.label ?? id}
          />
        ))}
    </>
  );
};
