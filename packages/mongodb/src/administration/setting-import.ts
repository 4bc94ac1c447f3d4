import { type SettingKind, type SettingLine, settingReferences } from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import { noCipher } from '../encryption/ciphers.ts';
import type { ExternalIds } from '../encryption/external-ids.ts';
import { toFields } from '../records/record-shapes.ts';
import { type ImportedSetting, settingShapes } from '../schedule/practice-settings.ts';
import { type NumberedLine, type RefusedLine, resolveReferences } from './import-references.ts';
import { type ImportCounts, type PlannedWrite, type WantedDocument, writeLines } from './import-writes.ts';

const BUSY = 'another import wrote the same setting at the same time: import again';

/** A line of a file with settings, with its number, counted from 1. */
export type NumberedSettingLine = { number: number; line: SettingLine };
export type SettingImportResult = ImportCounts & { deleted: number; refused: RefusedLine[] };

type Wanted = WantedDocument & { document: Omit<ImportedSetting, 'revision'> };

const planFor = (
  wanted: Wanted,
  stored: ImportedSetting | undefined,
): PlannedWrite<ImportedSetting, Wanted> | undefined => {
  const { document } = wanted;
  if (stored?.importDigest === document.importDigest) return undefined;
  const revision = stored === undefined ? 1 : stored.revision + 1;
  const next = { ...document, revision };
  if (stored === undefined) return { wanted, isNew: true, write: { insertOne: { document: next } } };
  const { _id, organizationId } = document;
  const filter = { _id, organizationId, revision: stored.revision };
  const write = { replaceOne: { filter, replacement: next } };
  return { wanted, isNew: false, write };
};

/** Writes a group of lines with settings of one organization. See `Importer`. */
export const writeSettings = async (
  database: Database,
  ids: ExternalIds,
  organizationId: string,
  kind: SettingKind,
  lines: readonly NumberedSettingLine[],
): Promise<SettingImportResult> => {
  const shape = settingShapes[kind];
  const collection = database.collection<ImportedSetting>(shape.collection);
  const idOf = (externalId: string) => ids.idOf(organizationId, kind, externalId);
  const stays = (each: NumberedSettingLine): each is NumberedLine => 'fields' in each.line;

  const { resolved, refused } = await resolveReferences(
    database,
    ids,
    organizationId,
    settingReferences[kind],
    lines.filter(stays),
  );
  const wanted = resolved.map(({ number, line: { externalId, fields } }): Wanted => {
    const _id = idOf(externalId);
    const stored = toFields(shape, { ...fields, _id }, noCipher);
    const importDigest = ids.digestOf(JSON.stringify(stored));
    return { number, _id, document: { ...stored, _id, organizationId, externalId, importDigest } };
  });
  const { missed, ...counts } = await writeLines(collection, organizationId, wanted, planFor);

  const removed = lines.flatMap(({ line }) => ('deleted' in line ? [idOf(line.externalId)] : []));
  const deleted =
    removed.length === 0
      ? 0
      : (await collection.deleteMany({ _id: { $in: removed }, organizationId })).deletedCount;
  return {
    ...counts,
    unchanged: counts.unchanged + removed.length - deleted,
    deleted,
    refused: [...refused, ...missed.map((number) => ({ number, reason: BUSY }))],
  };
};
