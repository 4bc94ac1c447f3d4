import { newId, type SettingKind, type SettingLine, settingReferences } from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import { type Cipher, noCipher } from '../encryption/ciphers.ts';
import { toFields } from '../records/record-shapes.ts';
import { type ImportedSetting, settingShapes } from '../schedule/practice-settings.ts';
import { importDigest } from './import-digest.ts';
import { type NumberedLine, type RefusedLine, resolveReferences } from './import-references.ts';
import {
  type ByExternalId,
  type ImportCounts,
  type PlannedWrite,
  type WantedDocument,
  writeLines,
} from './import-writes.ts';

const BUSY = 'another import wrote the same setting at the same time: import again';

/** A line of a file with settings, with its number, counted from 1. */
export type NumberedSettingLine = { number: number; line: SettingLine };
export type SettingImportResult = ImportCounts & { deleted: number; refused: RefusedLine[] };

type Wanted = WantedDocument & { document: Omit<ImportedSetting, '_id' | 'revision'> };

const planFor = (
  wanted: Wanted,
  stored: ImportedSetting | undefined,
): PlannedWrite<ImportedSetting, Wanted> | undefined => {
  const { document } = wanted;
  if (stored?.importDigest === document.importDigest) return undefined;
  const _id = stored?._id ?? newId();
  const next = { ...document, _id, revision: (stored?.revision ?? 0) + 1 };
  if (stored === undefined) return { wanted, _id, isNew: true, write: { insertOne: { document: next } } };
  const filter = { _id, organizationId: document.organizationId, revision: stored.revision };
  return { wanted, _id, isNew: false, write: { replaceOne: { filter, replacement: next } } };
};

/** Whether a line has fields. Otherwise it deletes a setting; records have no such lines. */
export const hasFields = (each: NumberedSettingLine): each is NumberedLine => 'fields' in each.line;

/** How imported settings are found by their external ids. */
export const settingsByExternalId: ByExternalId<ImportedSetting> = {
  conditions: (externalIds) => ({ externalId: { $in: [...externalIds] } }),
  externalIdOf: ({ externalId }) => externalId,
};

/** Writes a group of lines with settings of one organization. See `Importer`. */
export const writeSettings = async (
  database: Database,
  cipher: Cipher,
  organizationId: string,
  kind: SettingKind,
  lines: readonly NumberedSettingLine[],
): Promise<SettingImportResult> => {
  const shape = settingShapes[kind];
  const collection = database.collection<ImportedSetting>(shape.collection);
  const { resolved, refused } = await resolveReferences(
    database,
    cipher,
    organizationId,
    settingReferences[kind],
    lines.filter(hasFields),
  );
  const wanted = resolved.map(({ number, line }): Wanted => {
    const { externalId, fields } = line;
    const { _id, ...stored } = toFields(shape, { ...fields, _id: '' }, noCipher);
    const document = { ...stored, organizationId, externalId, importDigest: importDigest(line, cipher) };
    return { number, externalId, document };
  });
  const { missed, ...counts } = await writeLines(
    collection,
    organizationId,
    settingsByExternalId,
    wanted,
    planFor,
  );

  const removed = lines.flatMap(({ line }) => ('deleted' in line ? [line.externalId] : []));
  const deleted =
    removed.length === 0
      ? 0
      : (await collection.deleteMany({ organizationId, externalId: { $in: removed } })).deletedCount;
  return {
    ...counts,
    unchanged: counts.unchanged + removed.length - deleted,
    deleted,
    refused: [...refused, ...missed.map((number) => ({ number, reason: BUSY }))],
  };
};
