import type { Operator } from '@chairside/client';

/** The roles in words. */
export const ROLES: Readonly<Record<Operator['role'], string>> = {
  administrator: 'Administrator',
  staff: 'Staff',
};

/** Converts the value of a select to a role. */
export const roleOf = (value: string | undefined): Operator['role'] =>
  value === 'administrator' ? 'administrator' : 'staff';
