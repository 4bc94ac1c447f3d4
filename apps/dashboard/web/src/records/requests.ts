import type { ReadableRecords } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { PAGE_SIZE } from '../api/page-size.ts';
import type { Kind } from '../record-kinds.ts';
import { withPrompts } from '../session/prompts.ts';
import { describe } from './descriptions.ts';
import type { RecordSearch } from './search.ts';

/** A record of any kind. The pages show the fields that it has. */
export type AnyRecord = { _id: string } & Readonly<Record<string, unknown>>;

const recordsOf = (kind: Kind) => api[kind] as ReadableRecords<AnyRecord, object>;

/** The filters of the address that the list of this kind has. */
const filtersOf = (kind: Kind, { clinicId, patientId, startTime, endTime, updatedSince }: RecordSearch) => {
  const { filters } = describe(kind);
  return {
    ...(filters.includes('clinicId') && { clinicId }),
    ...(filters.includes('patientId') && { patientId }),
    ...(filters.includes('time') && { startTime, endTime }),
    ...(filters.includes('updatedSince') && { updatedSince }),
  };
};

/**
 * One page of records. It is read only at the request of a person, because reads leave audit entries.
 *
 * @param email only patients with this e-mail address; the result is discarded with the page
 */
export const recordsQuery = (kind: Kind, { cursor, ...search }: RecordSearch, email?: string) => {
  const filter = { ...filtersOf(kind, search), ...(email !== undefined && { email }) };
  return queryOptions({
    queryKey: ['records', kind, filter, cursor],
    queryFn: ({ signal }) =>
      withPrompts(() => recordsOf(kind).list(filter, { pageSize: PAGE_SIZE, signal }).page(cursor)),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    ...(email !== undefined && { gcTime: 0 }),
  });
};

/** One record. */
export const recordQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ['record', kind, id],
    queryFn: ({ signal }) => withPrompts(() => recordsOf(kind).get(id, { signal })),
    refetchOnWindowFocus: false,
  });
