import type { Operator } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withPrompts } from '../session/prompts.ts';

export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => withPrompts(() => api.operators.list({ signal }).toArray()),
});

/** The roles in words. */
export const ROLES: Readonly<Record<Operator['role'], string>> = {
  administrator: 'Administrator',
  staff: 'Staff',
};

/** The role that a choice names. */
export const roleOf = (value: string | undefined): Operator['role'] =>
  value === 'administrator' ? 'administrator' : 'staff';
