import {
  clock,
  isSettingKind,
  type RecordKind,
  references,
  type SettingKind,
  settingReferences,
} from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import { atOnce } from '../driver/statements.ts';
import type { Cipher, Ciphers } from '../encryption/ciphers.ts';
import type { KeyedOrganization } from '../encryption/data-keys.ts';
import { shapes } from '../records/record-shapes.ts';
import { type ImportedSetting, settingShapes } from '../schedule/practice-settings.ts';
import { importDigest } from './import-digest.ts';
import { changeOf, type ImportedDocument, recordsByExternalId } from './import-plan.ts';
import { type NumberedLine, type RefusedLine, resolveReferences } from './import-references.ts';
import { readStored } from './import-writes.ts';
import { hasFields, type NumberedSettingLine, settingsByExternalId } from './setting-import.ts';

/** What an import would do with a line. */
export type LineOutcome = 'created' | 'updated' | 'unchanged' | 'deleted';
export type ImportPreview = {
  outcomes: { number: number; outcome: LineOutcome }[];
  refused: RefusedLine[];
};

/** The cipher of an organization; undefined if it has no keys yet, because asking for them would create them. */
const existingCipher = async (
  database: Database,
  ciphers: Pick<Ciphers, 'of'>,
  organizationId: string,
): Promise<Cipher | undefined> => {
  const hasKeys = await database
    .collection<KeyedOrganization>('organizations')
    .findOne({ _id: organizationId, dataKeysSince: { $exists: true } }, { projection: { _id: 1 } });
  return hasKeys === null ? undefined : ciphers.of(organizationId);
};

const outcomeOf = (isStored: boolean, isChanged: boolean): LineOutcome => {
  if (!isStored) return 'created';
  return isChanged ? 'updated' : 'unchanged';
};

/** Returns a function that compares a line with the stored record. */
const recordComparison = async (
  database: Database,
  cipher: Cipher | undefined,
  organizationId: string,
  kind: RecordKind,
  lines: readonly NumberedLine[],
): Promise<(line: NumberedLine) => LineOutcome | Promise<LineOutcome>> => {
  // Only keys make a record with an external id.
  if (cipher === undefined) return () => 'created';
  const collection = database.collection<ImportedDocument>(shapes[kind].collection);
  const found = recordsByExternalId(kind, cipher);
  const stored = await readStored(
    collection,
    organizationId,
    found,
    lines.map(({ line }) => line),
  );
  return ({ number, line }) => {
    const wanted = { number, ...line, digest: importDigest(line, cipher) };
    const document = stored.get(line.externalId);
    return cipher.opening(() => {
      const change = changeOf(kind, wanted, document, { now: clock.now(), cipher });
      return outcomeOf(document !== undefined, change !== undefined);
    });
  };
};

const settingComparison = async (
  database: Database,
  cipher: Cipher | undefined,
  organizationId: string,
  kind: SettingKind,
  lines: readonly NumberedLine[],
): Promise<(line: NumberedLine) => LineOutcome> => {
  const collection = database.collection<ImportedSetting>(settingShapes[kind].collection);
  const stored = await readStored(
    collection,
    organizationId,
    settingsByExternalId,
    lines.map(({ line }) => line),
  );
  return ({ line }) => {
    const document = stored.get(line.externalId);
    const isEqual = cipher !== undefined && document?.importDigest === importDigest(line, cipher);
    return outcomeOf(document !== undefined, !isEqual);
  };
};

/** What the lines do that delete settings. */
const deletionOutcomes = async (
  database: Database,
  organizationId: string,
  kind: SettingKind,
  lines: readonly NumberedSettingLine[],
): Promise<ImportPreview['outcomes']> => {
  const ids = lines.map(({ line }) => line.externalId);
  const found = await database
    .collection<ImportedSetting>(settingShapes[kind].collection)
    .find(
      { organizationId, externalId: { $in: ids } },
      { projection: { externalId: 1 }, ...atOnce(ids.length) },
    )
    .toArray();
  const existing = new Set(found.map(({ externalId }) => externalId));
  return lines.map(({ number, line }) => ({
    number,
    outcome: existing.has(line.externalId) ? 'deleted' : 'unchanged',
  }));
};

/** Says what an import of a group of lines would do, without any write. See `Importer.preview`. */
export const previewLines = async (
  database: Database,
  ciphers: Pick<Ciphers, 'of'>,
  organizationId: string,
  kind: RecordKind | SettingKind,
  lines: readonly NumberedSettingLine[],
): Promise<ImportPreview> => {
  const cipher = await existingCipher(database, ciphers, organizationId);
  const fields = isSettingKind(kind) ? settingReferences[kind] : references[kind];
  const kept = lines.filter(hasFields);
  const { resolved, refused } = await resolveReferences(database, cipher, organizationId, fields, kept);
  const compare = isSettingKind(kind)
    ? await settingComparison(database, cipher, organizationId, kind, resolved)
    : await recordComparison(database, cipher, organizationId, kind, resolved);
  const outcomes = await Promise.all(
    resolved.map(async (each) => ({ number: each.number, outcome: await compare(each) })),
  );
  const deleting = lines.filter((each) => !hasFields(each));
  if (!isSettingKind(kind) || deleting.length === 0) return { outcomes, refused };
  return {
    outcomes: [...outcomes, ...(await deletionOutcomes(database, organizationId, kind, deleting))],
    refused,
  };
};
