import type { WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { useClinicNames, useWaitForClinics } from '../../clinics/requests.ts';
import { choicesOf } from '../../components/forms/Field.tsx';
import { Filters } from '../../components/lists/Filters.tsx';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { partsOf } from '../../components/texts/Receiver.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { eventsText, groupsOf } from '../../subscriptions/groups.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { State } from '../../subscriptions/State.tsx';
import { NewSubscription } from './NewSubscription.tsx';

/** What explains the state in one line. */
const whyOf = ({ state, consecutiveFailures, lastStatusCode }: WebhookSubscription): string | undefined => {
  if (consecutiveFailures > 0)
    return `${consecutiveFailures} in a row${lastStatusCode === undefined ? '' : `, the last: status ${lastStatusCode}`}`;
  return state === 'failing' && lastStatusCode !== undefined ? `status ${lastStatusCode}` : undefined;
};

const columnsOf = (clinicName: (id: string) => string): Column<WebhookSubscription>[] => [
  {
    name: 'Receiver',
    cell: ({ _id, url }) => {
      const { host, path } = partsOf(url);
      return (
        <>
          <Link
            className="row-link"
            to="/webhooks/$subscriptionId"
            params={{ subscriptionId: _id }}
            aria-label={url}
            {...tip(url)}
          >
            {visibleText(host)}
          </Link>
          <span className="sub">{visibleText(path || '/')}</span>
        </>
      );
    },
    isHeader: true,
    grow: 2,
    card: '1w',
  },
  {
    name: 'State',
    cell: (subscription) => (
      <>
        <State subscription={subscription} />
        <span className="sub">{whyOf(subscription)}</span>
      </>
    ),
    card: '2',
  },
  { name: 'Clinic', cell: ({ clinicId }) => clinicName(clinicId), grow: 1, from: 'medium', card: '3' },
  {
    name: 'Events',
    cell: (subscription) => <span {...tip(eventsText(subscription))}>{eventsText(subscription)}</span>,
    grow: 1,
    from: 'wide',
  },
  {
    name: 'Last delivery',
    cell: ({ lastDeliveryTime }) => (
      <>
        <span className="in-card">Last delivery: </span>
        <Time value={lastDeliveryTime} />
      </>
    ),
    isNumber: true,
    card: '3r',
  },
];

/** The heading of a single subscription below a group, to which it does not belong. */
const OTHERS = 'Other subscriptions';

/**
 * The heading of several subscriptions with the same URL and events.
 *
 * @param above the group above
 */
const groupHead = (
  members: readonly WebhookSubscription[],
  above: readonly WebhookSubscription[] = [],
): string | undefined => {
  const [first] = members;
  if (first === undefined || members.length === 1) return above.length > 1 ? OTHERS : undefined;
  const clinics = new Set(members.map(({ clinicId }) => clinicId)).size;
  return `${members.length} subscriptions of ${clinics === 1 ? 'one clinic' : `${clinics} clinics`}: ${eventsText(first)}`;
};

/** The subscriptions of the organization, with their state. */
export const WebhooksPage = () => {
  const search = useSearch({ from: '/signed-in/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const query = useQuery(subscriptionsQuery);
  const clinicOf = useClinicNames();
  const clinic = useClinicFilter(search.clinicId, true);
  const waits = useWaitForClinics();
  const shown = query.data?.filter(
    (each) =>
      (search.clinicId === undefined || each.clinicId === search.clinicId) &&
      (search.state === undefined || each.state === search.state),
  );
  const all = query.data?.length ?? 0;
  const groups = groupsOf(shown ?? []);
  const heads = new Map(
    groups.map(({ members }, index) => [members[0]?._id, groupHead(members, groups[index - 1]?.members)]),
  );
  return (
    <>
      <PageHeading
        note="A subscription sends the events of a clinic to a receiver."
        actions={<NewSubscription />}
      >
        Webhooks
      </PageHeading>
      <Filters
        search={search}
        onChange={(change) => void navigate({ search: (kept) => ({ ...kept, ...change }) })}
        filters={[
          clinic,
          {
            name: 'state',
            label: 'State',
            any: 'All states',
            value: search.state,
            choices: choicesOf(STATES),
            isPinned: true,
          },
        ]}
      >
        {null}
      </Filters>
      <List
        of="subscriptions"
        query={query}
        rows={waits || shown === undefined ? undefined : groups.flatMap(({ members }) => members)}
        columns={columnsOf(clinicOf)}
        keyOf={({ _id }) => _id}
        headOf={({ _id }) => heads.get(_id)}
        isTall
        empty={
          query.data?.length === 0 ? (
            <Empty title="No subscription yet">
              <p>
                A subscription tells another program at once when a patient, an appointment, an invoice or a
                payment changes. Press “New subscription”, then send a test.
              </p>
            </Empty>
          ) : (
            <Empty isFiltered title="No subscription matches these filters" />
          )
        }
      />
      {shown !== undefined && shown.length > 0 && (
        <p className="quiet small">
          {countText(shown.length)} of {countText(all)} {nounAfter(all, 'subscription')}
        </p>
      )}
    </>
  );
};
