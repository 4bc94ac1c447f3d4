import type { WebhookStatisticsRow, WebhookSubscription } from '@chairside/client';
import { STATES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { clinicsQuery, useClinicNames, useWaitForClinics } from '../../clinics/requests.ts';
import { choicesOf } from '../../components/forms/Field.tsx';
import { Filters } from '../../components/lists/Filters.tsx';
import { List } from '../../components/lists/List.tsx';
import { Search } from '../../components/lists/Search.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { statisticsQuery } from '../../statistics/requests.ts';
import { arranged } from '../../subscriptions/groups.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { useSendTest } from '../../subscriptions/SendTest.tsx';
import { NewSubscription } from './NewSubscription.tsx';
import { columnsOf, groupRows, type Row, troubledRows } from './rows.tsx';
import './WebhooksPage.css';

const NO_STATISTICS: ReadonlyMap<string, readonly WebhookStatisticsRow[]> = new Map();

/** The statistics of the last 24 hours by subscription; undefined until they are read. */
const useHours = (): ReadonlyMap<string, readonly WebhookStatisticsRow[]> | undefined => {
  const { data, isPending } = useQuery(statisticsQuery('day', {}));
  return useMemo(() => {
    if (data === undefined) return isPending ? undefined : NO_STATISTICS;
    return Map.groupBy(data, ({ subscriptionId }) => subscriptionId);
  }, [data, isPending]);
};

/** Whether a subscription matches what is searched for: a part of its URL or of the name of its clinic. */
const matches = ({ url }: WebhookSubscription, clinicName: string, text: string): boolean =>
  [url, clinicName].some((each) => each.toLowerCase().includes(text.trim().toLowerCase()));

/** The heading above the first row of each part. Without subscriptions that need attention, there is one part. */
const headsOf = (troubled: readonly Row[], others: readonly Row[], otherCount: number) => {
  if (troubled.length === 0) return new Map();
  const head = (name: string, count: number) => (
    <>
      {name} <span className="quiet">{countText(count)}</span>
    </>
  );
  return new Map([
    [troubled[0]?.key, head('Need attention', troubled.length)],
    [others[0]?.key, head('All others', otherCount)],
  ]);
};

/**
 * The subscriptions of the organization with their state: those that need attention one by one, then the others, of which
 * those with the same URL, events and state are one row that unfolds.
 */
export const WebhooksPage = () => {
  const search = useSearch({ from: '/signed-in/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const query = useQuery(subscriptionsQuery);
  const hours = useHours();
  const clinicName = useClinicNames();
  const { data: clinics } = useQuery(clinicsQuery);
  const hasNoClinic = clinics?.length === 0;
  const clinic = useClinicFilter(search.clinicId, true);
  const waits = useWaitForClinics();
  const test = useSendTest();
  // The text may be the name of a person, so it is not in the address.
  const [text, setText] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const all = query.data ?? [];
  const shown = all.filter(
    (each) =>
      (search.clinicId === undefined || each.clinicId === search.clinicId) &&
      (search.state === undefined || each.state === search.state) &&
      matches(each, clinicName(each.clinicId), text),
  );
  const { troubled, groups } = arranged(shown, clinicName);
  const [first, rest] = [troubledRows(troubled), groupRows(groups, open)];
  const heads = headsOf(first, rest, shown.length - troubled.length);
  const clinicCount = new Set(shown.map(({ clinicId }) => clinicId)).size;
  const columns = columnsOf({
    ...{ all, clinicName, clinicCount: clinics?.length ?? 0, hours, open },
    fold(key, isOpen) {
      const next = new Set(open);
      if (isOpen) next.add(key);
      else next.delete(key);
      setOpen(next);
    },
    sendTest: (id) => test.mutate(id),
    showRedeliveries: (subscriptionId) =>
      void navigate({
        to: '/webhooks/$subscriptionId',
        params: { subscriptionId },
        search: { tab: 'redeliveries' },
      }),
  });
  return (
    <>
      <PageHeading
        note="A subscription sends the events of a clinic to a receiver."
        actions={!hasNoClinic && <NewSubscription />}
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
        <Search label="Find a receiver or a clinic" value={text} onChange={setText} />
        {shown.length > 0 && (
          <span className="found">
            {countText(shown.length)}
            {shown.length < all.length && ` of ${countText(all.length)}`}{' '}
            {nounAfter(all.length, 'subscription')}, {countText(clinicCount)}{' '}
            {nounAfter(clinicCount, 'clinic')}
          </span>
        )}
      </Filters>
      <Problem error={test.error} />
      <List
        of="subscriptions"
        query={query}
        rows={waits || query.data === undefined ? undefined : [...first, ...rest]}
        columns={columns}
        keyOf={({ key }) => key}
        headOf={({ key }) => heads.get(key)}
        isTall
        empty={
          query.data?.length === 0 ? (
            <Empty title="No subscription yet">
              <p>
                A subscription tells another program at once when a patient, an appointment, an invoice or a
                payment changes.{' '}
                {hasNoClinic
                  ? 'It belongs to a clinic. The operator of the service adds your first one.'
                  : 'Press “New subscription”, then send a test.'}
              </p>
            </Empty>
          ) : (
            <Empty isFiltered title="No subscription matches these filters" />
          )
        }
      />
    </>
  );
};
