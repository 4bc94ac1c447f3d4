import type { Search } from '../../search.ts';

/** The filters of the audit log, as the api names them, and the cursor. */
export const AUDIT_FILTERS = [
  'principalId',
  'kind',
  'action',
  'recordId',
  'requestId',
  'since',
  'until',
  'cursor',
] as const;

export type AuditSearch = Search<(typeof AUDIT_FILTERS)[number]>;
