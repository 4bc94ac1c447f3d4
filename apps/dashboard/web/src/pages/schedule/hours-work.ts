import type { StoredHours } from '../../clinics/stored-hours.ts';
import { type Draft, draftOf, hoursOf, isSame, rebased } from './hours.ts';

/** What is typed, and the version that it started from. */
export type Work = {
  base: StoredHours;
  draft: Draft;
  /** The version that somebody else has stored in the meantime. */
  theirs?: StoredHours;
};

export const workOf = (base: StoredHours): Work => ({ base, draft: draftOf(base.hours) });

export const isChangedIn = ({ base, draft }: Work): boolean =>
  !isSame(hoursOf(draft), hoursOf(draftOf(base.hours)));

export const withDraft = (work: Work, changed: Partial<Draft>): Work => ({
  ...work,
  draft: { ...work.draft, ...changed },
});

/** Whether this version has the hours that are typed. */
export const isMine = ({ draft }: Work, { hours }: StoredHours): boolean =>
  hours !== undefined && isSame(hoursOf(draft), hoursOf(draftOf(hours)));

/** Takes the version that is now stored, and keeps it beside what is typed if the two differ. */
export const metWith = (work: Work, found: StoredHours): Work =>
  isMine(work, found)
    ? workOf(found)
    : { base: found, draft: rebased(work.draft, work.base.hours, found.hours), theirs: found };
