import type { ApiKey } from '@chairside/client';

export type Scope = ApiKey['scopes'][number];
export type ReadScope = Extract<Scope, `${string}:read`>;

/** What a scope lets a key do, in words. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  'appointments:read': 'Read appointments',
  'appointments:write': 'Write appointments',
  'clinics:read': 'Read clinics',
  'invoices:read': 'Read invoices',
  'patients:read': 'Read patients',
  'patients:write': 'Write patients',
  'payments:read': 'Read payments',
  'treatments:read': 'Read treatments',
};

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];
export const READ_SCOPES = ALL_SCOPES.filter((scope): scope is ReadScope => scope.endsWith(':read'));
