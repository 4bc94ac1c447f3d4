import type { Clinic, SetOpeningHours } from '@chairside/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { type Day, dayOf } from '../clinics/days.ts';
import { isKnownZone } from '../clinics/zone.ts';
import { ActionForm } from '../components/ActionForm.tsx';
import { Select } from '../components/Field.tsx';
import { FormEnd } from '../components/FormEnd.tsx';
import { Leaving } from '../components/Leaving.tsx';
import { Note } from '../components/Note.tsx';
import { useNow } from '../components/now.ts';
import { Problem } from '../components/Problem.tsx';
import { Saved } from '../components/Saved.tsx';
import { offerUndo } from '../components/undo.ts';
import { Versions } from '../components/Versions.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { changeSeen, undoOwn } from '../session/seen-change.ts';
import { useSession } from '../session/session.ts';
import { ClockChanges } from './ClockChanges.tsx';
import { ClosedDays } from './ClosedDays.tsx';
import { type Draft, differences, draftOf, hoursOf, isUsable, rebased } from './hours.ts';
import { Preview } from './Preview.tsx';
import { hoursQuery, readHours, type StoredHours, setHours } from './requests.ts';
import type { ScheduleSearch } from './search.ts';
import { isOfHours, tabOf } from './tabs.ts';
import { Week, WeekText } from './Week.tsx';
import './Schedule.css';

/** What is typed, and the version that it started from. */
type Work = {
  base: StoredHours;
  draft: Draft;
  /** The version that somebody else has stored in the meantime. */
  theirs?: StoredHours;
};

const workOf = (base: StoredHours): Work => ({ base, draft: draftOf(base.hours) });

const isSame = (one: SetOpeningHours, other: SetOpeningHours): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const isChangedIn = ({ base, draft }: Work): boolean => !isSame(hoursOf(draft), hoursOf(draftOf(base.hours)));

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

type PartProps = { clinic: Clinic; stored: StoredHours; search: ScheduleSearch };

const Editor = ({ clinic, stored, search }: PartProps) => {
  const { _id: clinicId, timezone } = clinic;
  const queries = useQueryClient();
  const today = dayOf(useNow(), timezone);
  const [previewed, setPreviewed] = useState<Day>();
  const [work, setWork] = useState<Work>();
  const fresh = useMemo(() => workOf(stored), [stored]);
  // While nothing is typed, the form follows the stored hours.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has arrived
  useEffect(() => {
    setWork((before) => (before !== undefined && isChangedIn(before) ? before : undefined));
  }, [stored.etag]);
  const current = work ?? fresh;
  const { base, draft, theirs } = current;
  const hours = hoursOf(draft);
  const isChanged = isChangedIn(current);
  const change = (changed: Partial<Draft>) => setWork({ ...current, draft: { ...draft, ...changed } });

  /** Takes the version that is now stored, and shows it beside what is typed if the two differ. */
  const meet = (found: StoredHours): boolean => {
    const isMine = found.hours !== undefined && isSame(hours, hoursOf(draftOf(found.hours)));
    setWork(
      isMine ? workOf(found) : { base: found, draft: rebased(draft, base.hours, found.hours), theirs: found },
    );
    return isMine;
  };
  const keep = async (saved: StoredHours) => {
    // A read that began before the change would restore the old version.
    await queries.cancelQueries({ queryKey: ['schedule', 'hours', clinicId] });
    queries.setQueryData(hoursQuery(clinicId).queryKey, saved);
  };
  const read = async () => {
    const found = await readHours(clinicId);
    return { data: found, response: found };
  };
  /** Hours that were never set before cannot be taken away again. */
  const offer = ({ hours: before }: StoredHours, saved: StoredHours) =>
    before !== undefined &&
    offerUndo({
      done: 'The schedule is saved.',
      undone: 'The schedule is as it was before.',
      async undo() {
        const isOwn = ({ etag }: StoredHours) => etag === saved.etag;
        const isBefore = ({ hours: found }: StoredHours) => found !== undefined && isSame(found, before);
        const restore = (ifMatch: string | undefined) => setHours(clinicId, before, ifMatch);
        await keep(await undoOwn(read, isOwn, isBefore, restore));
      },
    });
  const request = useMutation({
    async mutationFn() {
      const result = await changeSeen<StoredHours>(
        read,
        ({ etag }) => etag === base.etag,
        (ifMatch) => setHours(clinicId, hours, ifMatch),
      );
      if ('theirs' in result) return meet(result.theirs);
      await keep(result.saved);
      offer(base, result.saved);
      return meet(result.saved);
    },
  });
  const isSaved = request.isSuccess && request.data && !isChanged;
  const tab = tabOf(search);
  return (
    <>
      <Leaving isChanged={isChanged} staysAt={isWithHours} />
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
        <FormEnd
          message={
            isSaved ? (
              <Saved />
            ) : isChanged && request.error === null && !request.isPending ? (
              <p>
                {isUsable(draft)
                  ? 'Your changes are not saved yet.'
                  : 'Complete the times to preview or save.'}
              </p>
            ) : undefined
          }
        >
          <Button
            isDisabled={!isChanged}
            onPress={() => {
              setWork(workOf(base));
              request.reset();
            }}
          >
            Discard
          </Button>
          <Button isDisabled={!isUsable(draft)} onPress={() => setPreviewed(today)}>
            Preview slots
          </Button>
          <Button type="submit" className="primary" isPending={request.isPending}>
            Save
          </Button>
        </FormEnd>
      </ActionForm>
      {previewed !== undefined && (
        <Preview
          clinicId={clinicId}
          timeZone={timezone}
          hours={hours}
          first={previewed}
          onClose={() => setPreviewed(undefined)}
        />
      )}
    </>
  );
};

const Reader = ({ clinic, stored, search }: PartProps) => {
  const today = dayOf(useNow(), clinic.timezone);
  if (stored.hours === undefined)
    return (
      <Note tone="warning">
        <p>The opening hours of this clinic were never set, so it has no free slots.</p>
      </Note>
    );
  return tabOf(search) === 'hours' ? (
    <div className="stack">
      <WeekText hours={stored.hours} />
      <ClockChanges today={today} timeZone={clinic.timezone} hours={stored.hours} />
    </div>
  ) : (
    <ClosedDays
      hours={stored.hours}
      stored={stored.hours}
      today={today}
      timeZone={clinic.timezone}
      year={search.year}
    />
  );
};

/** The opening hours and the closed days of a clinic. Both are one setting, which is saved as a whole. */
export const ClinicHours = ({
  clinic,
  clinics,
  search,
}: Omit<PartProps, 'stored'> & { clinics: readonly Clinic[] }) => {
  const { role } = useSession();
  const navigate = useNavigate({ from: '/schedule' });
  const query = useQuery(hoursQuery(clinic._id));
  const { data: stored, error } = query;
  const hasZone = clinic.timezone !== undefined && isKnownZone(clinic.timezone);
  const Part = role === 'administrator' ? Editor : Reader;
  return (
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
      </div>
      {!hasZone && (
        <Note tone="warning">
          <p>
            This clinic has no time zone that is known, so it has no free slots, and its hours cannot be set.
          </p>
          <p>Ask the operator of the service to set the time zone.</p>
        </Note>
      )}
      <Problem error={error} again={query.refetch} />
      {stored === undefined && error === null && <Waiting of="opening hours" />}
      {stored !== undefined && <Part clinic={clinic} stored={stored} search={search} />}
    </>
  );
};
