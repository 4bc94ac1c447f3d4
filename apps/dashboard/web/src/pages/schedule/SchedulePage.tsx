import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ChooseClinic } from '../../clinics/ClinicSwitch.tsx';
import { clinicOf, remember } from '../../clinics/remembered.ts';
import { clinicsQuery } from '../../clinics/requests.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { useSession } from '../../session/session.ts';
import { Blocks } from './Blocks.tsx';
import { ClinicHours } from './ClinicHours.tsx';
import { Procedures } from './Procedures.tsx';
import { Providers } from './Providers.tsx';
import type { ScheduleSearch } from './search.ts';
import { isOfHours, TABS, tabOf } from './tabs.ts';
import '../../components/page-parts/Tabs.css';

export { prefetchSchedule } from './requests.ts';

const HoursOfClinic = ({ search }: { search: ScheduleSearch }) => {
  const navigate = useNavigate({ from: '/schedule' });
  const { data: clinics, error, refetch } = useQuery(clinicsQuery);
  if (clinics === undefined)
    return error === null ? <Waiting of="clinics" /> : <Problem error={error} again={refetch} />;
  const clinic = clinicOf(clinics, search.clinicId);
  if (clinic === undefined)
    return (
      <ChooseClinic
        clinics={clinics}
        isUnknown={search.clinicId !== undefined}
        onChoose={(clinicId) => {
          remember('clinic', clinicId);
          void navigate({ search: (kept) => ({ ...kept, clinicId }) });
        }}
      />
    );
  return <ClinicHours key={clinic._id} clinic={clinic} clinics={clinics} search={search} />;
};

/** Links to the parts of the page. A clinic stays chosen. */
const Parts = ({ search }: { search: ScheduleSearch }) => {
  const strip = useRef<HTMLElement>(null);
  const current = tabOf(search);
  // The strip scrolls on a narrow screen, and the address may open a part at its end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another part is another place
  useEffect(() => {
    const link = strip.current?.querySelector('[aria-current]');
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav ref={strip} aria-label="Parts of the schedule" className="tabs">
      {Object.entries(TABS).map(([id, name]) => (
        <Link
          key={id}
          to="/schedule"
          search={{ tab: id === 'hours' ? undefined : id, clinicId: search.clinicId }}
          activeOptions={{ explicitUndefined: true }}
          // The address may also name the first part, or one that does not exist.
          aria-current={id === current ? 'page' : undefined}
        >
          {id === 'hours' ? (
            <>
              <span className="spare">Opening </span>hours
            </>
          ) : (
            name
          )}
        </Link>
      ))}
    </nav>
  );
};

/** When the practice can be booked: hours and closed days of each clinic, providers, procedures and blocks. */
export const SchedulePage = () => {
  const { role } = useSession();
  const search = useSearch({ from: '/signed-in/schedule' });
  const tab = tabOf(search);
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
      <Parts search={search} />
      {/* One element for both parts of opening hours, so that what is typed stays. */}
      {isOfHours(tab) && <HoursOfClinic search={search} />}
      {tab === 'providers' && <Providers search={search} />}
      {tab === 'procedures' && <Procedures search={search} />}
      {tab === 'blocks' && <Blocks search={search} />}
    </>
  );
};
