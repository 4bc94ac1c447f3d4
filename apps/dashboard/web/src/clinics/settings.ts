import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

/** The words for a block that belongs to no provider. */
export const WHOLE_CLINIC = 'The whole clinic';

/** All providers, for their names. */
export const allProvidersQuery = queryOptions({
  queryKey: ['schedule', 'providers', 'all'],
  queryFn: ({ signal }) => withPrompts(() => api.providers.list({}, { signal }).toArray()),
});

/** All procedures, for their names. */
const allProceduresQuery = queryOptions({
  queryKey: ['schedule', 'procedures', 'all'],
  queryFn: ({ signal }) =>
    withPrompts(() => api.procedures.list({ fields: ['name'] as const }, { signal }).toArray()),
});

/**
 * What a setting is called that a record names by its id. Nothing until the names are read.
 *
 * @param otherwise what is shown if there is no such setting; absent for the end of the id
 */
export type NameOf = (id: string, otherwise?: string) => string;

const nameIn =
  (of: string, all: readonly { _id: string; name: string }[] | undefined, isPending: boolean): NameOf =>
  (id, otherwise = `${of} …${id.slice(-4)}`) =>
    all?.find(({ _id }) => _id === id)?.name ?? (isPending ? '' : otherwise);

/** The names of providers. @param isWanted whether they are read */
export const useProviderNames = (isWanted: boolean): NameOf => {
  const { data, isLoading } = useQuery({ ...allProvidersQuery, enabled: isWanted });
  return nameIn('provider', data, isLoading);
};

/** The names of procedures. @param isWanted whether they are read */
export const useProcedureNames = (isWanted: boolean): NameOf => {
  const { data, isLoading } = useQuery({ ...allProceduresQuery, enabled: isWanted });
  return nameIn('procedure', data, isLoading);
};
