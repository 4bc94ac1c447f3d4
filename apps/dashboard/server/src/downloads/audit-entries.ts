import type { AuditEntry } from '@chairside/domain';
import type { Columns } from './csv.ts';

/** The columns of a file of audit entries. */
export const auditEntryColumns: Columns<AuditEntry> = {
  _id: ({ _id }) => _id,
  time: ({ time }) => time,
  principalKind: ({ principal }) => principal.kind,
  principalId: ({ principal }) => principal.id,
  action: ({ action }) => action,
  kind: ({ kind }) => kind,
  ids: ({ ids }) => ids.join(' '),
  result: ({ result }) => result,
  address: ({ address }) => address,
  changes: ({ changes }) => changes && JSON.stringify(changes),
  count: ({ count }) => count,
  part: ({ part }) => part,
  requestId: ({ requestId }) => requestId,
  // It is the last, so that a program that counts columns finds the others.
  principalName: ({ principal }, names) => names.get(principal.id),
};
