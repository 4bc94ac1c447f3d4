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

/** The period of the page that says who has seen a patient. */
export const SEEN_FILTERS = ['since', 'until'] as const;
export type SeenSearch = Search<(typeof SEEN_FILTERS)[number]>;

export type AuditSearch = Search<(typeof AUDIT_FILTERS)[number]>;
