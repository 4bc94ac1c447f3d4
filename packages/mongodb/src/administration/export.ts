import type { RecordKind, SettingKind } from '@chairside/domain';
import { type AuditTrail, auditRun, type Run } from '../audit/audit.ts';
import type { Database } from '../driver/database.ts';
import { type Ciphers, noCipher } from '../encryption/ciphers.ts';
import { type RecordDocument, shapes, toRecord } from '../records/record-shapes.ts';
import { type ImportedSetting, settingShapes } from '../schedule/practice-settings.ts';

/** Maximum number of records in one audit entry. The entry is stored before the records are returned. */
const PART = 1000;

/** A record as the API returns it, or a setting. An imported setting also has the id from the other system. */
export type ExportedRecord = { _id: string; externalId?: string };

/**
 * Streams all records of a kind in their stable order. The audit entry of each group of records is stored before these
 * records are returned. Abandoning the iteration closes the database's cursor.
 */
export async function* exportRecords(
  database: Database,
  trail: AuditTrail,
  ciphers: Pick<Ciphers, 'of'>,
  run: Run,
  kind: RecordKind,
): AsyncGenerator<ExportedRecord[], void> {
  const shape = shapes[kind];
  const cipher = await ciphers.of(run.organizationId);
  const documents = database
    .collection<RecordDocument>(shape.collection)
    .find(
      { organizationId: run.organizationId, deletedAt: { $exists: false } },
      { projection: { outbox: 0 }, sort: { ...shape.sort }, batchSize: PART },
    );
  let part: ExportedRecord[] = [];
  const handOut = async (): Promise<ExportedRecord[]> => {
    const whole = part;
    part = [];
    const ids = whole.map(({ _id }) => _id);
    await auditRun(trail, run, { action: 'exported', kind, ids, result: 'ok' });
    return whole;
  };
  for await (const document of documents) {
    part.push(await cipher.opening(() => toRecord<ExportedRecord>(shape, document, cipher)));
    if (part.length === PART) yield await handOut();
  }
  if (part.length > 0) yield await handOut();
}

/** Streams all settings of a kind in their stable order. Abandoning the iteration closes the database's cursor. */
export async function* exportSettings(
  database: Database,
  { organizationId }: Run,
  kind: SettingKind,
): AsyncGenerator<ExportedRecord[], void> {
  const shape = settingShapes[kind];
  const documents = database
    .collection<ImportedSetting>(shape.collection)
    .find({ organizationId }, { sort: { ...shape.sort }, batchSize: PART });
  for await (const document of documents) {
    yield [{ ...toRecord<ExportedRecord>(shape, document, noCipher), externalId: document.externalId }];
  }
}
