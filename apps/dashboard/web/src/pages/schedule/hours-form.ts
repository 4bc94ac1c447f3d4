import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { hoursQuery, type StoredHours } from '../../clinics/stored-hours.ts';
import { offerUndo } from '../../components/undo/undo.ts';
import { useBookedQuestion } from './BookedPatients.tsx';
import { closingOfHours } from './closing.ts';
import { type Draft, hoursOf } from './hours.ts';
import { isChangedIn, isMine, metWith, type Work, withDraft, workOf } from './hours-work.ts';
import { saveHours, undoHours } from './requests.ts';

/** Returns a function that takes what was saved as the stored version of the page. */
const useKeep = (clinicId: string) => {
  const queries = useQueryClient();
  return async (saved: StoredHours): Promise<void> => {
    // A read that began before the change would restore the old version.
    await queries.cancelQueries({ queryKey: ['schedule', 'hours', clinicId] });
    queries.setQueryData(hoursQuery(clinicId).queryKey, saved);
  };
};

/** Offers to undo a change. Hours that were never set before cannot be taken away again. */
const offerBefore = (
  clinicId: string,
  { hours: before }: StoredHours,
  saved: StoredHours,
  keep: (restored: StoredHours) => Promise<void>,
): void => {
  if (before === undefined) return;
  offerUndo({
    done: 'The schedule is saved.',
    undone: 'The schedule is as it was before.',
    undo: async () => keep(await undoHours(clinicId, before, saved)),
  });
};

/** What is typed about the hours of a clinic, and the request that saves it. */
export const useHoursForm = (clinicId: string, stored: StoredHours, timeZone: string | undefined) => {
  const { ask, isChecking, dialog } = useBookedQuestion();
  const keep = useKeep(clinicId);
  const [typed, setTyped] = useState<Work>();
  const fresh = useMemo(() => workOf(stored), [stored]);
  // While nothing is typed, the form follows the stored hours.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has arrived
  useEffect(() => {
    setTyped((before) => (before !== undefined && isChangedIn(before) ? before : undefined));
  }, [stored.etag]);
  const work = typed ?? fresh;
  const isChanged = isChangedIn(work);

  const meet = (found: StoredHours): boolean => {
    setTyped(metWith(work, found));
    return isMine(work, found);
  };
  const request = useMutation({
    async mutationFn() {
      const hours = hoursOf(work.draft);
      const closing = closingOfHours({ clinicId, timeZone }, work.base.hours, hours, { now: Date.now() });
      if (!(await ask(closing))) return false;
      const result = await saveHours(clinicId, hours, work.base);
      if ('theirs' in result) return meet(result.theirs);
      await keep(result.saved);
      offerBefore(clinicId, work.base, result.saved, keep);
      return meet(result.saved);
    },
  });
  return {
    work,
    isChanged,
    isSaved: request.isSuccess && request.data && !isChanged,
    change: (changed: Partial<Draft>) => setTyped(withDraft(work, changed)),
    discard() {
      setTyped(workOf(work.base));
      request.reset();
    },
    request,
    isChecking,
    /** The question whether to save although patients are booked. */
    question: dialog,
  };
};
