import type { Clinic, SetOpeningHours } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { type Day, dayOf } from '../../clinics/days.ts';
import { hoursQuery, type StoredHours } from '../../clinics/stored-hours.ts';
import { isKnownZone } from '../../clinics/zone.ts';
import { Leaving } from '../../components/dialogs/Leaving.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Select } from '../../components/forms/Field.tsx';
import { FormEnd } from '../../components/forms/FormEnd.tsx';
import { Saved } from '../../components/forms/Saved.tsx';
import { Versions } from '../../components/forms/Versions.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { useNow } from '../../components/texts/now.ts';
import { useSession } from '../../session/session.ts';
import { ApplyToClinics } from './ApplyToClinics.tsx';
import { ClockChanges } from './ClockChanges.tsx';
import { ClosedDays } from './ClosedDays.tsx';
import { differences, hoursOf, isUsable } from './hours.ts';
import { useHoursForm } from './hours-form.ts';
import { Preview } from './Preview.tsx';
import type { ScheduleSearch } from './search.ts';
import { isOfHours, tabOf } from './tabs.ts';
import { Week, WeekText } from './Week.tsx';
import './Schedule.css';

/** Whether the same hours are also on another place: both parts of the page show them. */
const isWithHours: ComponentProps<typeof Leaving>['staysAt'] = (next, current) =>
  next.pathname === current.pathname &&
  next.search.clinicId === current.search.clinicId &&
  isOfHours(tabOf(next.search));

/** Shows both versions after somebody else has changed the hours, and scrolls to them. */
const Conflict = ({ mine, theirs }: { mine: SetOpeningHours; theirs: StoredHours }) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' });
  }, []);
  const lines = differences(mine, theirs.hours);
  return (
    <div ref={place}>
      <Versions of="schedule" cancel="press Discard" mine={lines.one} theirs={lines.other} />
    </div>
  );
};

type PartProps = {
  clinic: Clinic;
  stored: StoredHours;
  search: ScheduleSearch;
  /** The line with the choice of the clinic. @param action a button at its end */
  lineOf(action?: ReactNode): ReactNode;
};

/** What the end of the form says about what is typed. */
const stateOf = ({ work, isChanged, isSaved, request }: ReturnType<typeof useHoursForm>) => {
  if (isSaved) return <Saved />;
  if (!isChanged || request.error !== null || request.isPending) return undefined;
  return (
    <p>
      {isUsable(work.draft) ? 'Your changes are not saved yet.' : 'Complete the times to preview or save.'}
    </p>
  );
};

const Editor = ({ clinic, stored, search, lineOf }: PartProps) => {
  const { _id: clinicId, timezone } = clinic;
  const today = dayOf(useNow(), timezone);
  const [previewed, setPreviewed] = useState<Day>();
  const form = useHoursForm(clinicId, stored, timezone);
  const { work, isChanged, change, request } = form;
  const { base, draft, theirs } = work;
  const hours = hoursOf(draft);
  const tab = tabOf(search);
  return (
    <>
      <Leaving isChanged={isChanged} staysAt={isWithHours} />
      {lineOf(
        <ApplyToClinics
          source={clinic}
          part={tab === 'closed' ? 'closed' : 'hours'}
          isDisabled={isChanged}
        />,
      )}
      <ActionForm request={request} className="form hours">
        {theirs !== undefined && <Conflict mine={hours} theirs={theirs} />}
        {stored.hours === undefined && (
          <Note tone="warning">
            <p>The opening hours of this clinic were never set, so it has no free slots.</p>
          </Note>
        )}
        {tab === 'hours' ? (
          <>
            <Week draft={draft} onChange={change} />
            <ClockChanges
              today={today}
              timeZone={timezone}
              hours={hours}
              {...(isUsable(draft) && { onPreview: setPreviewed })}
            />
          </>
        ) : (
          <ClosedDays
            hours={hours}
            stored={base.hours}
            today={today}
            timeZone={timezone}
            year={search.year}
            onChange={(exceptions) => change({ exceptions })}
          />
        )}
        <FormEnd message={stateOf(form)}>
          <Button isDisabled={!isChanged} onPress={form.discard}>
            Discard
          </Button>
          <Button isDisabled={!isUsable(draft)} onPress={() => setPreviewed(today)}>
            Preview slots
          </Button>
          <Button type="submit" className="primary" isPending={request.isPending}>
            {form.isChecking ? 'Checking…' : 'Save'}
          </Button>
        </FormEnd>
      </ActionForm>
      {form.question}
      {previewed !== undefined && (
        <Preview
          clinicId={clinicId}
          timeZone={timezone}
          stored={base.hours}
          hours={hours}
          first={previewed}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </>
  );
};

const Reader = ({ clinic, stored, search, lineOf }: PartProps) => {
  const today = dayOf(useNow(), clinic.timezone);
  const { hours } = stored;
  return (
    <>
      {lineOf()}
      {hours === undefined ? (
        <Note tone="warning">
          <p>The opening hours of this clinic were never set, so it has no free slots.</p>
        </Note>
      ) : tabOf(search) === 'hours' ? (
        <div className="stack">
          <WeekText hours={hours} />
          <ClockChanges today={today} timeZone={clinic.timezone} hours={hours} />
        </div>
      ) : (
        <ClosedDays
          hours={hours}
          stored={hours}
          today={today}
          timeZone={clinic.timezone}
          year={search.year}
        />
      )}
    </>
  );
};

/** The opening hours and the closed days of a clinic. Both are one setting, which is saved as a whole. */
export const ClinicHours = ({
  clinic,
  clinics,
  search,
}: Pick<PartProps, 'clinic' | 'search'> & { clinics: readonly Clinic[] }) => {
  const { role } = useSession();
  const navigate = useNavigate({ from: '/schedule' });
  const query = useQuery(hoursQuery(clinic._id));
  const { data: stored, error } = query;
  const hasZone = clinic.timezone !== undefined && isKnownZone(clinic.timezone);
  const Part = role === 'administrator' ? Editor : Reader;
  const lineOf = (action?: ReactNode) => (
    <>
      <div className="clinic-line">
        <Select
          label="Clinic"
          value={clinic._id}
          choices={clinics.map(({ _id, name }) => ({ value: _id, label: name ?? _id }))}
          description={hasZone ? `All times are local times of ${clinic.timezone}.` : ''}
          onChange={(clinicId) =>
            void navigate({ search: (kept) => ({ ...kept, clinicId, year: undefined }) })
          }
        />
        {hasZone && action}
      </div>
      {!hasZone && (
        <Note tone="warning">
          <p>
            This clinic has no time zone that is known, so it has no free slots, and its hours cannot be set.
          </p>
          <p>Ask the operator of the service to set the time zone.</p>
        </Note>
      )}
    </>
  );
  return (
    <>
      {stored === undefined && lineOf()}
      <Problem error={error} again={query.refetch} />
      {stored === undefined && error === null && <Waiting of="opening hours" />}
      {stored !== undefined && <Part clinic={clinic} stored={stored} search={search} lineOf={lineOf} />}
    </>
  );
};
