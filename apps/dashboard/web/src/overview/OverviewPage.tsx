import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Choose } from '../components/Field.tsx';
import { PageHeading } from '../layout/PageHeading.tsx';
import { clinicsQuery } from '../webhooks/requests.ts';
import { Attention, SecurityChanges } from './Attention.tsx';
import { Statistics } from './Statistics.tsx';

/** What needs attention, then the deliveries over time. */
export const OverviewPage = () => {
  const { clinicId } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  const { data: clinics = [] } = useQuery(clinicsQuery);
  return (
    <>
      <PageHeading>Overview</PageHeading>
      <Attention />
      <section aria-labelledby="statistics">
        <h2 id="statistics">Deliveries</h2>
        <Statistics filter={clinicId === undefined ? {} : { clinicId }}>
          <Choose
            label="Clinic"
            any="All clinics"
            value={clinicId}
            choices={clinics.map(({ _id, name }) => ({ value: _id, label: name ?? _id }))}
            onChange={(chosen) => void navigate({ search: (kept) => ({ ...kept, clinicId: chosen }) })}
          />
        </Statistics>
      </section>
      <SecurityChanges />
    </>
  );
};
