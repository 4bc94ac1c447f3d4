import type { Patient } from '@chairside/client';
import { api } from '../api/client.ts';
import { isAnyId, isId } from '../components/lists/id.ts';
import { withPrompts } from '../session/prompts.ts';
import type { PatientSearch } from './patient-search.ts';
import type { AnyRecord } from './record.ts';

/** Found patients, and where the search goes on if not all patients were searched. */
export type FoundPatients = { data: (Patient & AnyRecord)[]; nextCursor?: string | undefined };

/** The conditions of a search besides its text. */
type Filter = { clinicId?: string | undefined; updatedSince?: string | undefined };

/**
 * Finds the patient with this id, or with this external id, if there is one. The text enters no address, because it may be
 * another than an id.
 */
const withId = async (id: string, filter: Filter = {}, signal?: AbortSignal): Promise<FoundPatients> => {
  const search = (by: object) => {
    const body = { ...filter, ...by, limit: 1 };
    return api.request<FoundPatients['data']>('POST', '/api/patients/search', { body, signal });
  };
  const data = await withPrompts(async () => {
    const found = isId(id) ? await search({ _ids: [id] }) : [];
    return found.length > 0 ? found : search({ externalId: id });
  });
  return { data };
};

/** The id of the patient with this id, or with this external id; undefined if there is none. */
export const findPatient = async (id: string): Promise<string | undefined> => (await withId(id)).data[0]?._id;

/**
 * Finds up to `limit` patients in the order of the api. A page of the api may have fewer patients than there are, even
 * none, so the pages are read one after the other.
 *
 * @param options.filter other conditions
 * @param options.maxPages the most pages that one call reads
 * @param options.stop ends the call after the pages that were read so far
 * @param options.onPage called after each page that does not complete the search, with the number of patients so far
 * @throws {ChairsideError}
 */
export const findPatients = async (
  { by, text }: PatientSearch,
  options: {
    limit: number;
    maxPages: number;
    cursor?: string | undefined;
    filter?: Filter;
    signal: AbortSignal;
    stop?: AbortSignal;
    onPage?: (found: number) => void;
  },
): Promise<FoundPatients> => {
  const { limit, maxPages, cursor, filter, signal, stop, onPage } = options;
  const either = stop === undefined ? signal : AbortSignal.any([signal, stop]);
  const data: Patient[] = [];
  let nextCursor = cursor;
  for (let count = 1; count <= maxPages; count++) {
    const list = api.patients.list(
      { ...filter, [by]: text },
      { pageSize: limit - data.length, signal: either },
    );
    try {
      const page = await withPrompts(() => list.page(nextCursor));
      data.push(...page.data);
      nextCursor = page.nextCursor;
    } catch (error) {
      // The first page is never stopped, so there is a place to go on from.
      if (stop?.aborted && !signal.aborted && count > 1) break;
      throw error;
    }
    if (nextCursor === undefined || data.length >= limit) break;
    onPage?.(data.length);
  }
  // External ids may consist of digits only.
  const mayBeId = by === 'phone' && isAnyId(text) && cursor === undefined;
  if (mayBeId && data.length === 0 && nextCursor === undefined) return withId(text, filter, signal);
  return { data, nextCursor };
};
