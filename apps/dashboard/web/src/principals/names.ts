import type { AuditEntry } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { operatorName } from './operator-name.ts';
import { keysQuery, operatorsQuery, programTokensQuery } from './requests.ts';

/**
 * The principals of the organization: their names by id. If `areAll` is true, a principal that is not in `names` was
 * deleted.
 */
export type Principals = { names: ReadonlyMap<string, string>; areAll: boolean };

const KINDS = { apiKey: 'API key', operator: 'Operator', programToken: 'Program token' } as const;

/** The principal of an entry in words. */
export const principalOf = (
  { principal: { kind, id }, by }: Pick<AuditEntry, 'principal' | 'by'>,
  { names, areAll }: Principals,
): string => {
  if (kind === 'system')
    return id === 'service' ? 'the service' : ['chairside-admin', by].filter(Boolean).join(', ');
  if (kind === 'app') return `App ${id}`;
  if (kind === 'unknown') return 'not signed in';
  const missing = `${KINDS[kind]} ${id}`;
  return names.get(id) ?? (areAll ? `${missing} (deleted)` : missing);
};

/**
 * Returns the names of operators, keys and program tokens, and whether they are still being read. A list waits for them,
 * because replacing ids with names would move the content below.
 */
export const usePrincipals = (): { principals: Principals; isPending: boolean } => {
  const { data: operators, isPending: operatorsPend } = useQuery(operatorsQuery);
  const { data: keys, isPending: keysPend } = useQuery(keysQuery);
  const { data: tokens, isPending: tokensPend } = useQuery(programTokensQuery);
  const principals = useMemo(
    () => ({
      names: new Map([
        ...(operators ?? []).map((operator) => [operator._id, operatorName(operator)] as const),
        ...(keys ?? []).map(({ _id, name }) => [_id, name] as const),
        ...(tokens ?? []).map(({ _id, name }) => [_id, name] as const),
      ]),
      areAll: operators !== undefined && keys !== undefined && tokens !== undefined,
    }),
    [operators, keys, tokens],
  );
  return { principals, isPending: operatorsPend || keysPend || tokensPend };
};
