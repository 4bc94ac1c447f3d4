import { clock, type RecordKind, references, type SettingKind } from '@chairside/domain';
import { type AuditTrail, auditRun, type Run } from '../audit/audit.ts';
import type { Database } from '../driver/database.ts';
import type { Ciphers } from '../encryption/ciphers.ts';
import { shapes } from '../records/record-shapes.ts';
import { importDigest } from './import-digest.ts';
import {
  type ImportEvents,
  type ImportedDocument,
  planFor,
  recordsByExternalId,
  type Wanted,
} from './import-plan.ts';
import { type ImportPreview, previewLines } from './import-preview.ts';
import { type NumberedLine, type RefusedLine, resolveReferences } from './import-references.ts';
import { type ImportCounts, writeLines } from './import-writes.ts';
import { type NumberedSettingLine, type SettingImportResult, writeSettings } from './setting-import.ts';

const BUSY =
  'the record kept changing during the import, or its outbox is full: check that a webhook-dispatcher is running, then import again';

export type { ImportCounts, ImportEvents, ImportPreview, NumberedLine, RefusedLine };
export type ImportResult = ImportCounts & { refused: RefusedLine[] };

/** Imports records of another system into one organization. */
export type Importer = {
  /**
   * Writes a group of lines in a few round trips. Each record is stored together with its event in one write. The call
   * may be repeated: a line that has not changed since its last import writes nothing, even if the record was edited
   * here since then.
   *
   * @param lines a few hundred, each with a different `externalId`
   */
  write(kind: RecordKind, lines: readonly NumberedLine[], events: ImportEvents): Promise<ImportResult>;
  /**
   * Writes a group of lines with practice settings. Like `write`, the call may be repeated. Settings have no events and
   * leave no audit entries, because they contain no patient data.
   *
   * @param lines a few hundred, each with a different `externalId`
   */
  writeSettings(kind: SettingKind, lines: readonly NumberedSettingLine[]): Promise<SettingImportResult>;
  /**
   * Says what a write of these lines would do. It changes nothing in the database, and creates no keys of the organization.
   *
   * @param lines a few hundred, each with a different `externalId`
   */
  preview(kind: RecordKind | SettingKind, lines: readonly NumberedSettingLine[]): Promise<ImportPreview>;
};

export const importerOf = (
  database: Database,
  trail: AuditTrail,
  ciphers: Pick<Ciphers, 'of' | 'forget'>,
  run: Run,
): Importer => {
  const { organizationId } = run;
  return {
    async writeSettings(kind, lines) {
      return writeSettings(database, await ciphers.of(organizationId), organizationId, kind, lines);
    },

    preview: (kind, lines) => previewLines(database, ciphers, organizationId, kind, lines),

    async write(kind, lines, events) {
      const shape = shapes[kind];
      const collection = database.collection<ImportedDocument>(shape.collection);
      // An import is not registered, so a command that switches the search waits only for writes in flight.
      ciphers.forget(organizationId);
      const cipher = await ciphers.of(organizationId);
      const { resolved, refused } = await resolveReferences(
        database,
        cipher,
        organizationId,
        references[kind],
        lines,
      );
      const { missed, ...counts } = await writeLines(
        collection,
        organizationId,
        recordsByExternalId(kind, cipher),
        resolved.map(({ number, line }): Wanted => ({ number, ...line, digest: importDigest(line, cipher) })),
        (each, stored) =>
          cipher.opening(() => planFor(kind, each, stored, { events, now: clock.now(), run, cipher })),
        async (plan) => {
          // Audit entries are stored before the write, so that a crash leaves no record without its audit entry. Writes
          // with an event need no entry here, because the dispatcher derives the entry from the event.
          const withoutEvent = plan.filter(({ hasEvent }) => !hasEvent).map(({ _id }) => _id);
          await auditRun(trail, run, { action: 'imported', kind, ids: withoutEvent, result: 'ok' });
        },
      );
      return { ...counts, refused: [...refused, ...missed.map((number) => ({ number, reason: BUSY }))] };
    },
  };
};
