import { newId, type RecordKind } from '@chairside/domain';
import type { Db } from 'mongodb';

/** The most ids in one entry: a long list leaves several. */
const MAX_IDS = 1000;

/** An entry that an operator's command leaves, in the form of all audit entries. */
type SystemAuditEntry = {
  _id: string;
  organizationId: string;
  time: Date;
  action: string;
  principal: { kind: 'system'; id: string };
  kind: RecordKind;
  ids: string[];
  result: string;
  requestId: string;
};

/** One run of a command: what it did can be found by it. */
export type Run = { id: string; organizationId: string };

/** Who acts when an operator runs a command beside the database. */
export const SYSTEM = { kind: 'system', id: 'admin' } as const;

/** Writes down that a command read or wrote these records, in parts. */
export const auditRun = async (
  database: Db,
  run: Run,
  what: { action: string; kind: RecordKind; ids: readonly string[]; result: string },
): Promise<void> => {
  const { ids, ...rest } = what;
  if (ids.length === 0) return;
  const time = new Date();
  const entries: SystemAuditEntry[] = [];
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    entries.push({
      _id: newId(time),
      organizationId: run.organizationId,
      time,
      principal: SYSTEM,
      requestId: run.id,
      ids: ids.slice(from, from + MAX_IDS),
      ...rest,
    });
  }
  await database.collection<SystemAuditEntry>('auditEntries').insertMany(entries);
};
