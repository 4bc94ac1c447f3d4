import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Button, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { clinicsQuery } from '../clinics/requests.ts';
import { Empty } from '../components/Empty.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { useSession } from '../session/session.ts';
import { ClinicHours } from './ClinicHours.tsx';
import { isOfHours, type ScheduleSearch, TABS, tabOf } from './search.ts';
import '../components/Tabs.css';

// The code of these tabs is loaded when one of them is opened.
const Providers = lazyRouteComponent(() => import('./Providers.tsx'), 'Providers');
const Procedures = lazyRouteComponent(() => import('./Procedures.tsx'), 'Procedures');
const Blocks = lazyRouteComponent(() => import('./Blocks.tsx'), 'Blocks');

const HoursOfClinic = ({ search }: { search: ScheduleSearch }) => {
  const { data: clinics, error, refetch } = useQuery(clinicsQuery);
  if (clinics === undefined)
    return error === null ? (
      <Waiting of="clinics" />
    ) : (
      <Problem error={error}>
        <Button onPress={() => void refetch()}>Try again</Button>
      </Problem>
    );
  const clinic =
    search.clinicId === undefined ? clinics[0] : clinics.find(({ _id }) => _id === search.clinicId);
  if (clinic === undefined)
    return (
      <Empty title={clinics.length === 0 ? 'No clinic yet' : 'There is no such clinic'}>
        <p>
          {clinics.length === 0
            ? 'Opening hours belong to a clinic. The operator of the service creates clinics.'
            : 'It may have been deleted. Open the page again from the navigation.'}
        </p>
      </Empty>
    );
  return <ClinicHours key={clinic._id} clinic={clinic} clinics={clinics} search={search} />;
};

/** When the practice can be booked: hours and closed days of each clinic, providers, procedures and blocks. */
export const SchedulePage = () => {
  const { role } = useSession();
  const search = useSearch({ from: '/signed-in/schedule' });
  const navigate = useNavigate({ from: '/schedule' });
  const tab = tabOf(search);
  const { clinicId } = search;
  return (
    <>
      <PageHeading
        note={
          role === 'administrator'
            ? 'Free slots follow from these settings and from the appointments.'
            : 'You can read the schedule. Administrators of your practice can change it.'
        }
      >
        Schedule
      </PageHeading>
      <Tabs
        selectedKey={tab}
        onSelectionChange={(chosen) =>
          void navigate({
            search: { tab: String(chosen), ...(clinicId !== undefined && { clinicId }) },
          })
        }
      >
        <TabList aria-label="Parts of the schedule" className="tabs">
          {Object.entries(TABS).map(([id, name]) => (
            <Tab key={id} id={id}>
              {name}
            </Tab>
          ))}
        </TabList>
        {/* One panel for all tabs, so that what was typed stays while the two tabs of opening hours are used. */}
        <TabPanel id={tab}>
          {isOfHours(tab) ? (
            <HoursOfClinic search={search} />
          ) : (
            <Suspense fallback={<Waiting of={TABS[tab].toLowerCase()} />}>
              {tab === 'providers' && <Providers search={search} />}
              {tab === 'procedures' && <Procedures search={search} />}
              {tab === 'blocks' && <Blocks search={search} />}
            </Suspense>
          )}
        </TabPanel>
      </Tabs>
    </>
  );
};
