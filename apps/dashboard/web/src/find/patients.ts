import type { Patient } from '@chairside/client';
import { api } from '../api/client.ts';
import { isId } from '../components/id.ts';
import { withPrompts } from '../session/prompts.ts';
import type { PatientSearch } from './patient-search.ts';
import type { AnyRecord } from './record.ts';

/** Found patients, and where the search goes on if not all patients were searched. */
export type FoundPatients = { data: (Patient & AnyRecord)[]; nextCursor?: string | undefined };

/** The body of a search. A body is in the log of no proxy. */
type Body = {
  clinicId?: string | undefined;
  updatedSince?: string | undefined;
  _ids?: string[];
  limit: number;
  cursor?: string | undefined;
} & { [Name in PatientSearch['by']]?: string };

const request = async (body: Body, signal?: AbortSignal): Promise<FoundPatients> => {
  const send = () =>
    api.request<FoundPatients['data']>('POST', '/api/patients/search', { body, signal }).withResponse();
  const { data, response } = await withPrompts(send);
  return { data, nextCursor: response.headers.get('x-next-cursor') ?? undefined };
};

/** Whether there is a patient with this id. The text enters no address, because it may be another than an id. */
export const isPatient = async (id: string): Promise<boolean> =>
  (await request({ _ids: [id], limit: 1 })).data.length > 0;

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
    filter?: Pick<Body, 'clinicId' | 'updatedSince'>;
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
    const body = { ...filter, [by]: text, limit: limit - data.length, cursor: nextCursor };
    try {
      const page = await request(body, either);
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
  // Imported ids may consist of digits only.
  const mayBeId = by === 'phone' && isId(text) && cursor === undefined;
  if (mayBeId && data.length === 0 && nextCursor === undefined)
    return request({ ...filter, _ids: [text], limit }, signal);
  return { data, nextCursor };
};
