import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { PAGE_SIZE } from '../../api/page-size.ts';
import type { PatientSearch } from '../../records/patient-search.ts';
import { findPatients } from '../../records/patients.ts';
import type { RecordSearch } from './search.ts';

/** A search for patients, with the cursor in its results. The address of the page contains neither. */
export type Found = { search: PatientSearch; cursor: string | undefined };

/** The state after a search that was refused, so that no results of the search before stand below its text. */
export const REFUSED = 'refused';

/** How many pages of the api were read, and how many patients they had. */
export type Progress = { pages: number; found: number };

/**
 * The most pages of the api that are read for one page of results. The api examines up to 10,000 patients, or for 250 ms, for
 * each.
 */
const MAX_PAGES = 10;

/**
 * Reads a page of the results of a search. The page discards them when it is left.
 *
 * @param found undefined if there is no search
 * @returns also how far the search is, while it takes more than one page of the api, and a function that ends it with
 *   the patients so far
 */
export const useFoundPatients = (
  found: Found | undefined,
  { clinicId, updatedSince }: Pick<RecordSearch, 'clinicId' | 'updatedSince'>,
) => {
  const [progress, setProgress] = useState<Progress>();
  const stopper = useRef<AbortController>(undefined);
  const filter = { clinicId, updatedSince };
  const query = useQuery({
    queryKey: ['foundPatients', found, filter],
    queryFn({ signal }) {
      if (found === undefined) throw new Error('there is no search');
      stopper.current = new AbortController();
      setProgress(undefined);
      return findPatients(found.search, {
        limit: PAGE_SIZE,
        maxPages: MAX_PAGES,
        cursor: found.cursor,
        filter,
        signal,
        stop: stopper.current.signal,
        onPage: (number) => setProgress((last) => ({ pages: (last?.pages ?? 0) + 1, found: number })),
      });
    },
    enabled: found !== undefined,
    // The page before stays until the next one of the same search is read.
    placeholderData: (last, previous) =>
      (previous?.queryKey[1] as Found | undefined)?.search === found?.search ? last : undefined,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return {
    query,
    progress: query.isFetching ? progress : undefined,
    stop: () => stopper.current?.abort(),
  };
};
