import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { Filters } from '../../components/lists/Filters.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Live } from '../../components/states/Live.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { serviceStatusQuery } from '../../layout/service-status.ts';
import { programTokensQuery } from '../../principals/requests.ts';
import { statisticsQuery } from '../../statistics/requests.ts';
import { Statistics } from '../../statistics/Statistics.tsx';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';
import { Attention } from './Attention.tsx';
import { FactorReminder } from './FactorReminder.tsx';
import { SecurityChanges } from './SecurityChanges.tsx';
import { Told } from './Told.tsx';

/** The problems that need attention, the deliveries over time, what was told, and the latest security changes. */
export const OverviewPage = () => {
  const { clinicId } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  const clinic = useClinicFilter(clinicId, true);
  const filter = clinicId === undefined ? {} : { clinicId };
  const parts = [
    useQuery(subscriptionsQuery),
    useQuery(serviceStatusQuery),
    useQuery(programTokensQuery),
    useQuery(statisticsQuery('day', filter)),
  ];
  // The page waits for these parts, because a part that appeared later would move the others.
  if (parts.some(({ isPending }) => isPending))
    return (
      <>
        <PageHeading>Overview</PageHeading>
        <Waiting of="the overview" />
      </>
    );
  return (
    <>
      <PageHeading note={<Live of={parts} />}>Overview</PageHeading>
      <FactorReminder />
      <Attention />
      <section aria-labelledby="statistics" className="part">
        <header>
          <h2 id="statistics">Deliveries</h2>
        </header>
        <Statistics filter={filter} clinicId={clinicId}>
          <Filters
            search={{ clinicId }}
            filters={[clinic]}
            onChange={(change) => void navigate({ search: (kept) => ({ ...kept, ...change }) })}
          />
        </Statistics>
      </section>
      <Told />
      <SecurityChanges />
    </>
  );
};
