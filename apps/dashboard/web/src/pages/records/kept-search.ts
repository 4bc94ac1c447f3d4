import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Found, REFUSED } from './found-patients.ts';

/** What was searched for, and what the list shows of it. */
export type Search = { entered: string; shown: Found | typeof REFUSED | undefined };

/** The last search, and the entry of the history that it belongs to. */
type Kept = Search & { place: string };
const KEPT = ['kept search'] as const;
const PATH = '/records/patients';
const NONE: Search = { entered: '', shown: undefined };

/**
 * The search for patients of a page. It is there again after the way back to the page. It is kept in the memory of the
 * page, which a sign-out and a new sign-in clear; neither the address nor the history of the browser contains it.
 */
export const useKeptSearch = () => {
  const queries = useQueryClient();
  // While the page is being left, the location is that of the next page.
  const place = useLocation({
    select: ({ pathname, state }) => (pathname === PATH ? state.__TSR_key : undefined),
  });
  const [search, setSearch] = useState((): Search => {
    const kept = queries.getQueryData<Kept>(KEPT);
    return kept !== undefined && kept.place === place ? kept : NONE;
  });
  useEffect(() => {
    if (search === NONE || place === undefined) return;
    queries.setQueryDefaults(KEPT, { gcTime: Number.POSITIVE_INFINITY });
    queries.setQueryData<Kept>(KEPT, { ...search, place });
  }, [queries, search, place]);
  return { ...search, change: (changed: Partial<Search>) => setSearch((last) => ({ ...last, ...changed })) };
};
