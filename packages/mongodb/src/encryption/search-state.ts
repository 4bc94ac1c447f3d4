import type { Collection } from '../driver/database.ts';

/**
 * Whether the patients of an organization can be found by name and telephone number.
 *
 * - `on`: every encrypted patient has search tokens. A search reads those that have the tokens it asks for.
 * - `building`: patients are written with tokens, and not all have theirs yet. A search reads every patient.
 * - `off`: patients are written without tokens, and a search is refused.
 */
export type SearchState = 'on' | 'building' | 'off';

/** The part of an organization that has its state. It is absent while the search is on. */
export type SearchedOrganization = { _id: string; patientSearch?: Exclude<SearchState, 'on'> };

/** Reads the state of an organization. */
export type ReadSearchState = (organizationId: string) => Promise<SearchState>;

export const searchStates =
  (organizations: Collection<SearchedOrganization>): ReadSearchState =>
  async (_id) =>
    (await organizations.findOne({ _id }, { projection: { patientSearch: 1 } }))?.patientSearch ?? 'on';
