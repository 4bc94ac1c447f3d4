import { useDeferredValue } from 'react';

/**
 * A page of a list, for everything that shows its rows or depends on them. Fifty rows take longer than a frame, so what
 * uses the page is rendered in parts, between which the browser reacts.
 *
 * @param namesPend whether names in the rows are still read: rows with ids instead would change before people's eyes
 * @returns undefined until the page is read
 */
export const usePage = <P>(query: { data: P | undefined }, namesPend = false): P | undefined =>
  useDeferredValue(namesPend ? undefined : query.data);
