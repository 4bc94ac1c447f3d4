import { ChairsideError } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { recognize } from '../records/patient-search.ts';
import { type FoundPatients, findPatients } from '../records/patients.ts';

/** A search is sent when a person has not typed for this time. */
const PAUSE_MS = 300;
/** The most patients that are shown. */
const MAX_PATIENTS = 8;
/** The most pages of the api for one search. */
const MAX_PAGES = 3;

/** Waits. @throws the reason of the signal */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/**
 * Finds the patients that a text means, by name or telephone number. Each further letter cancels the search for the text
 * before, so a result always belongs to the present text.
 *
 * @returns `refusal` if the organization does not allow such searches; it is the `error`, too
 */
export const usePatients = (
  text: string,
): {
  data: FoundPatients | undefined;
  error: Error | null;
  refusal: ChairsideError | undefined;
  isPending: boolean;
} => {
  /** The refusal of every search by name and number. */
  const [refusal, setRefusal] = useState<ChairsideError>();
  const entered = recognize(text);
  const search = entered.by === 'name' || entered.by === 'phone' ? entered : undefined;
  const query = useQuery({
    queryKey: ['patientsToOpen', search],
    async queryFn({ signal }) {
      if (search === undefined) throw new Error('there is no search');
      await pause(signal);
      return findPatients(search, { limit: MAX_PATIENTS, maxPages: MAX_PAGES, signal }).catch((error) => {
        if (error instanceof ChairsideError && error.status === 403) setRefusal(error);
        throw error;
      });
    },
    enabled: search !== undefined && refusal === undefined,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const error = search === undefined ? null : (refusal ?? query.error);
  return { data: query.data, error, refusal, isPending: query.isFetching };
};
