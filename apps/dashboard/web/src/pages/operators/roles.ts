import type { Operator } from '@chairside/client';

/** The roles in words. */
export const ROLES: Readonly<Record<Operator['role'], string>> = {
  administrator: 'Administrator',
  staff: 'Staff',
};

/** What the roles may do, for the field in which one is chosen. */
export const ROLE_HINT =
  'Administrators may do everything. Staff read records here, and programs with their access tokens may also write records.';

/** Converts the value of a select to a role. */
export const roleOf = (value: string | undefined): Operator['role'] =>
  value === 'administrator' ? 'administrator' : 'staff';
