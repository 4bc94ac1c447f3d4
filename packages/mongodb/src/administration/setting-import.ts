import { type SettingKind, type SettingLine, settingReferences } from '@chairside/domain';
import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import { duplicatesIn } from '../driver/statements.ts';
import type { ExternalIds } from '../encryption/external-ids.ts';
import { toFields } from '../records/documents.ts';
import { type ImportedSetting, settingShapes } from '../schedule/practice-settings.ts';
import { type NumberedLine, type RefusedLine, resolveReferences } from './import-references.ts';

/** The most tries of a group whose settings another import writes at the same time. */
const MAX_TRIES = 10;
const BUSY = 'another import wrote the same setting at the same time: import again';

/** A line of a file with settings, with its number, counted from 1. */
export type NumberedSettingLine = { number: number; line: SettingLine };
export type SettingImportResult = {
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  refused: RefusedLine[];
};

/** The document that a line describes. */
type Wanted = { number: number; document: ImportedSetting };
type Planned = { wanted: Wanted; isNew: boolean; write: AnyBulkWriteOperation<ImportedSetting> };

const planFor = (wanted: Wanted, stored: ImportedSetting | undefined): Planned | undefined => {
  const { document } = wanted;
  if (stored?.importDigest === document.importDigest) return undefined;
  if (stored === undefined) return { wanted, isNew: true, write: { insertOne: { document } } };
  const { _id, organizationId } = document;
  const write = { replaceOne: { filter: { _id, organizationId }, replacement: document } };
  return { wanted, isNew: false, write };
};

/** @returns false if another import changed one of the settings in between */
const writeAll = async (
  collection: Collection<ImportedSetting>,
  plan: readonly Planned[],
): Promise<boolean> => {
  const writes = plan.map(({ write }) => write);
  try {
    const { insertedCount, matchedCount } = await collection.bulkWrite(writes, { ordered: false });
    return insertedCount + matchedCount === plan.length;
  } catch (error) {
    if (duplicatesIn(error) === undefined) throw error;
    return false;
  }
};

/** Writes a group of lines with settings of one organization. See `Importer`. */
export const writeSettings = async (
  database: Db,
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
    const stored = toFields(shape, { ...fields, _id: idOf(externalId) });
    const importDigest = ids.digestOf(JSON.stringify(stored));
    return {
      number,
      document: { ...stored, organizationId, externalId, importDigest } as unknown as ImportedSetting,
    };
  });
  let waiting = wanted;
  let first: Planned[] | undefined;
  for (let tries = 0; tries < MAX_TRIES && waiting.length > 0; tries++) {
    const filter = { _id: { $in: waiting.map(({ document }) => document._id) }, organizationId };
    const stored = new Map((await collection.find(filter).toArray()).map((each) => [each._id, each]));
    const plan = waiting.flatMap((each) => planFor(each, stored.get(each.document._id)) ?? []);
    first ??= plan;
    waiting = plan.length === 0 || (await writeAll(collection, plan)) ? [] : plan.map((each) => each.wanted);
  }

  const removed = lines.flatMap(({ line }) => ('deleted' in line ? [idOf(line.externalId)] : []));
  const deleted =
    removed.length === 0
      ? 0
      : (await collection.deleteMany({ _id: { $in: removed }, organizationId })).deletedCount;
  const missed = new Set(waiting.map(({ number }) => number));
  const done = (first ?? []).filter((planned) => !missed.has(planned.wanted.number));
  const created = done.filter(({ isNew }) => isNew).length;
  return {
    created,
    updated: done.length - created,
    unchanged: wanted.length + removed.length - done.length - missed.size - deleted,
    deleted,
    refused: [...refused, ...waiting.map(({ number }) => ({ number, reason: BUSY }))],
  };
};
