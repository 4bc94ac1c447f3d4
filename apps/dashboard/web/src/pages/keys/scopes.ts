import type { ApiKey } from '@chairside/client';

export type Scope = ApiKey['scopes'][number];
export type ReadScope = Extract<Scope, `${string}:read`>;

/** What a scope lets a key do, in words. Two columns show read and write of a resource side by side. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  'appointments:read': 'Read appointments',
  'appointments:write': 'Write appointments',
  'patients:read': 'Read patients',
  'patients:write': 'Write patients',
  'clinics:read': 'Read clinics',
  'invoices:read': 'Read invoices',
  'payments:read': 'Read payments',
  'treatments:read': 'Read treatments',
};

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];
export const READ_SCOPES = ALL_SCOPES.filter((scope): scope is ReadScope => scope.endsWith(':read'));
export const isReadScope = (scope: Scope): scope is ReadScope => scope.endsWith(':read');

/** What a key may do with one resource. */
export type Grant = { resource: string; reads: boolean; writes: boolean };

/** The scopes of a key by resource, those that can write first. */
export const grantsOf = (scopes: readonly Scope[]): Grant[] =>
  Object.entries(Object.groupBy(scopes, (scope) => scope.replace(/:.*/s, '')))
    .map(([resource, of = []]) => ({
      resource,
      reads: of.some(isReadScope),
      writes: of.some((scope) => !isReadScope(scope)),
    }))
    .toSorted(
      (one, other) => Number(other.writes) - Number(one.writes) || one.resource.localeCompare(other.resource),
    );
