import type { ReadableRecords } from '@chairside/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { exists } from '../api/exists.ts';
import { withPrompts } from '../session/prompts.ts';
import type { Kind } from './kinds.ts';

/** A record of any kind. The pages show the fields that it has. */
export type AnyRecord = { _id: string } & Readonly<Record<string, unknown>>;

/** The records of a kind, in the client of the api. */
export const recordsOf = (kind: Kind) => api[kind] as ReadableRecords<AnyRecord, object>;

/** One record. */
export const recordQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ['record', kind, id],
    queryFn: ({ signal }) => withPrompts(() => recordsOf(kind).get(id, { signal })),
    refetchOnWindowFocus: false,
  });

/** Whether there is a record with this id. The page of the record does not read it again. @throws {ChairsideError} */
export const hasRecord = (queries: QueryClient, kind: Kind, id: string): Promise<boolean> =>
  exists(queries.fetchQuery(recordQuery(kind, id)));

/** The id of the record with this external id; undefined if there is none. @throws {ChairsideError} */
export const withExternalId = async (kind: Kind, externalId: string): Promise<string | undefined> => {
  const [found] = await withPrompts(async () =>
    kind === 'patients'
      ? // What is entered may be another text than an id, so it is in no address.
        api.request<AnyRecord[]>('POST', '/api/patients/search', { body: { externalId, limit: 1 } })
      : (await recordsOf(kind).list({ externalId }, { pageSize: 1 }).page()).data,
  );
  return found?._id;
};
