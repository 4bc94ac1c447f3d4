import type { ReadableRecords } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Kind } from '../record-kinds.ts';
import { withPrompts } from '../session/prompts.ts';

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
