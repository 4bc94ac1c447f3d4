import { ChairsideError, type OpeningHours } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

/** Opening hours with their version. Both are undefined if they were never set. */
export type StoredHours = { hours: OpeningHours | undefined; etag: string | undefined };

/** @throws {ChairsideError} */
export const readHours = async (clinicId: string, signal?: AbortSignal): Promise<StoredHours> => {
  try {
    const { data, response } = await api.openingHours
      .get(clinicId, signal === undefined ? {} : { signal })
      .withResponse();
    return { hours: data, etag: response.etag };
  } catch (error) {
    // The page asks only for clinics that exist, so these hours were never set.
    if (error instanceof ChairsideError && error.status === 404) return { hours: undefined, etag: undefined };
    throw error;
  }
};

export const hoursQuery = (clinicId: string) =>
  queryOptions({
    queryKey: ['schedule', 'hours', clinicId],
    queryFn: ({ signal }) => withPrompts(() => readHours(clinicId, signal)),
  });
