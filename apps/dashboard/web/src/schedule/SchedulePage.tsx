import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentProps, Suspense, useState } from 'react';
import { Button, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { clinicsQuery } from '../clinics/requests.ts';
import { Empty } from '../components/Empty.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { useSession } from '../session/session.ts';
import { ClinicHours, type Work } from './ClinicHours.tsx';
import { type ScheduleSearch, TABS, tabOf } from './search.ts';
import '../components/Tabs.css';

// The code of these tabs is loaded when one of them is opened.
const Providers = lazyRouteComponent(() => import('./Providers.tsx'), 'Providers');
const Procedures = lazyRouteComponent(() => import('./Procedures.tsx'), 'Procedures');
const Blocks = lazyRouteComponent(() => import('./Blocks.tsx'), 'Blocks');

const HoursOfClinic = ({
  search,
  ...work
}: { search: ScheduleSearch } & Pick<ComponentProps<typeof ClinicHours>, 'work' | 'onWork'>) => {
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
  return <ClinicHours key={clinic._id} clinic={clinic} clinics={clinics} search={search} {...work} />;
};

/** When the practice can be booked: hours and closed days of each clinic, providers, procedures and blocks. */
export const SchedulePage = () => {
  const { role } = useSession();
  const search = useSearch({ from: '/signed-in/schedule' });
  const navigate = useNavigate({ from: '/schedule' });
  const { clinicId } = search;
  // What is typed stays while the two tabs of opening hours are used.
  const [work, setWork] = useState<Work>();
  const hours = <HoursOfClinic search={search} work={work} onWork={setWork} />;
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
        selectedKey={tabOf(search)}
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
        <TabPanel id="hours">{hours}</TabPanel>
        <TabPanel id="closed">{hours}</TabPanel>
        <TabPanel id="providers">
          <Suspense fallback={<Waiting of="providers" />}>
            <Providers search={search} />
          </Suspense>
        </TabPanel>
        <TabPanel id="procedures">
          <Suspense fallback={<Waiting of="procedures" />}>
            <Procedures search={search} />
          </Suspense>
        </TabPanel>
        <TabPanel id="blocks">
          <Suspense fallback={<Waiting of="blocks" />}>
            <Blocks search={search} />
          </Suspense>
        </TabPanel>
      </Tabs>
    </>
  );
};
