import { useNavigate, useSearch } from '@tanstack/react-router';
import { useClinicChoices } from '../clinics/requests.ts';
import { Choose } from '../components/Field.tsx';
import { PageHeading } from '../layout/PageHeading.tsx';
import { Attention, SecurityChanges } from './Attention.tsx';
import { Statistics } from './Statistics.tsx';

/** What needs attention, then the deliveries over time. */
export const OverviewPage = () => {
  const { clinicId } = useSearch({ from: '/signed-in/' });
  const navigate = useNavigate({ from: '/' });
  const clinics = useClinicChoices();
  return (
    <>
      <PageHeading>Overview</PageHeading>
      <Attention />
      <section aria-labelledby="statistics">
        <h2 id="statistics">Deliveries</h2>
        <Statistics filter={clinicId === undefined ? {} : { clinicId }} clinicId={clinicId}>
          <Choose
            label="Clinic"
            any="All clinics"
            value={clinicId}
            choices={clinics}
            onChange={(chosen) => void navigate({ search: (kept) => ({ ...kept, clinicId: chosen }) })}
          />
        </Statistics>
      </section>
      <SecurityChanges />
    </>
  );
};
