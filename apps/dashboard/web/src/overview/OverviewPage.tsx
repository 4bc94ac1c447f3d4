import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { programTokensQuery } from '../principals/requests.ts';
import { statisticsQuery } from '../statistics/requests.ts';
import { Statistics } from '../statistics/Statistics.tsx';
import { subscriptionsQuery } from '../subscriptions/requests.ts';
import { Attention, SecurityChanges } from './Attention.tsx';
import { serviceStatusQuery } from './requests.ts';

/** The problems that need attention, the deliveries over time, and the latest security changes. */
export const OverviewPage = () => {
  const { clinicId } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
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
        <p role="status">Loading the overview…</p>
      </>
    );
  return (
    <>
      <PageHeading>Overview</PageHeading>
      <Attention />
      <section aria-labelledby="statistics">
        <h2 id="statistics">Deliveries</h2>
        <Statistics filter={filter} clinicId={clinicId}>
          <ClinicFilter
            value={clinicId}
            onChange={(chosen) => void navigate({ search: (kept) => ({ ...kept, clinicId: chosen }) })}
          />
        </Statistics>
      </section>
      <SecurityChanges />
    </>
  );
};
