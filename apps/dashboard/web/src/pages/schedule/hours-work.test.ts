import { expect, test } from 'vitest';
import type { StoredHours } from '../../clinics/stored-hours.ts';
import { hoursOf } from './hours.ts';
import { isChangedIn, isMine, metWith, withDraft, workOf } from './hours-work.ts';

const EMPTY = { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
/** Hours with this number of chairs. */
const storedWith = (chairs: number): StoredHours => ({
  hours: { weekdays: EMPTY, exceptions: [], chairs, slotMinutes: 15 },
  etag: `"${chairs}"`,
});

test('work is changed while what is typed differs from the version that it started from', () => {
  const work = workOf(storedWith(1));
  expect(isChangedIn(work)).toBe(false);
  expect(isChangedIn(withDraft(work, { chairs: '2' }))).toBe(true);
  expect(isChangedIn(withDraft(work, { chairs: '1' }))).toBe(false);
});

test('a version of somebody else that has what is typed ends the work', () => {
  const work = withDraft(workOf(storedWith(1)), { chairs: '2' });
  expect(isMine(work, storedWith(2))).toBe(true);
  const met = metWith(work, storedWith(2));
  expect({ isChanged: isChangedIn(met), theirs: met.theirs }).toEqual({
    isChanged: false,
    theirs: undefined,
  });
});

test('another version of somebody else is kept beside what is typed, whose changes remain', () => {
  const work = withDraft(workOf(storedWith(1)), { slotMinutes: '30' });
  const met = metWith(work, storedWith(3));
  expect(met).toMatchObject({ base: storedWith(3), theirs: storedWith(3) });
  expect(hoursOf(met.draft)).toMatchObject({ chairs: 3, slotMinutes: 30 });
});
