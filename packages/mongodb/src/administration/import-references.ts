import { type ImportLine, isSettingKind, type RecordKind, type SettingKind } from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import { atOnce } from '../driver/statements.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import { visible, withExternalIds } from '../records/record-query.ts';
import { type RecordDocument, shapes, toRecord } from '../records/record-shapes.ts';
import { type ImportedSetting, settingShapes } from '../schedule/practice-settings.ts';

/** A line of an import file with its number, counted from 1. */
export type NumberedLine = { number: number; line: ImportLine };
/** A line that was not imported, and the reason. */
export type RefusedLine = { number: number; reason: string };

/** Resolves a reference to our id. The reference is the other system's id, or our own id. */
type Meaning = (reference: string) => string | undefined;

/** The fields of a kind that contain references, with the kind that each field references. */
type References = Readonly<Record<string, RecordKind | SettingKind>>;

/** The references in a field. The field contains a single reference or a list. */
const namedIn = ({ fields }: ImportLine, field: string): string[] => {
  const value = fields[field] as string | readonly string[] | undefined;
  return value === undefined ? [] : [value].flat();
};

type Found = { _id: string; externalId?: string };

/** Finds records or settings by these external ids. An organization without a cipher has no record with an external id. */
const foundByExternalId = async (
  database: Database,
  cipher: Cipher | undefined,
  organizationId: string,
  kind: RecordKind | SettingKind,
  named: string[],
): Promise<Found[]> => {
  const projection = { externalId: 1 };
  if (isSettingKind(kind))
    return database
      .collection<ImportedSetting>(settingShapes[kind].collection)
      .find<Found>({ organizationId, externalId: { $in: named } }, { projection, ...atOnce(named.length) })
      .toArray();
  if (cipher === undefined) return [];
  const shape = shapes[kind];
  const documents = await database
    .collection<RecordDocument>(shape.collection)
    .find(
      { organizationId, ...withExternalIds(shape, named, cipher), ...visible },
      { projection, ...atOnce(named.length) },
    )
    .toArray();
  return cipher.opening(() =>
    documents.map((document) => toRecord<Found>(shape, document, cipher, ['externalId'])),
  );
};

const meaningsOf = async (
  database: Database,
  cipher: Cipher | undefined,
  organizationId: string,
  kind: RecordKind | SettingKind,
  references: readonly string[],
): Promise<Meaning> => {
  const named = [...new Set(references)];
  if (named.length === 0) return () => undefined;
  const { collection } = isSettingKind(kind) ? settingShapes[kind] : shapes[kind];
  const [theirs, ours] = await Promise.all([
    foundByExternalId(database, cipher, organizationId, kind, named),
    database
      .collection<RecordDocument>(collection)
      .find({ _id: { $in: named }, organizationId, ...visible }, { projection: { _id: 1 } })
      .toArray(),
  ]);
  const ids = new Map(ours.map(({ _id }) => [_id, _id]));
  for (const { _id, externalId = '' } of theirs) ids.set(externalId, _id);
  return (reference) => ids.get(reference);
};

/**
 * Replaces the other system's ids in the lines by ours, with at most one query for each field.
 *
 * @param cipher undefined if the organization has no keys yet
 * @returns `refused` contains the lines that reference something that does not exist in this organization
 */
export const resolveReferences = async (
  database: Database,
  cipher: Cipher | undefined,
  organizationId: string,
  references: References,
  lines: readonly NumberedLine[],
): Promise<{ resolved: NumberedLine[]; refused: RefusedLine[] }> => {
  const fields = await Promise.all(
    Object.entries(references).map(async ([field, target]) => {
      const named = lines.flatMap(({ line }) => namedIn(line, field));
      return { field, target, meaning: await meaningsOf(database, cipher, organizationId, target, named) };
    }),
  );
  const resolved: NumberedLine[] = [];
  const refused: RefusedLine[] = [];
  for (const { number, line } of lines) {
    const given = fields.filter(({ field }) => line.fields[field] !== undefined);
    const meant = given.map(({ field, target, meaning }) => ({
      field,
      target,
      ids: namedIn(line, field).map(meaning),
    }));
    const missing = meant.filter((each) => each.ids.includes(undefined));
    if (missing.length > 0) {
      const reason = missing.map(
        ({ field, target }) => `${field} does not name a ${target} of this organization`,
      );
      refused.push({ number, reason: `${reason.join('; ')}: import the missing records first` });
      continue;
    }
    const own = Object.fromEntries(
      meant.map((each) => [
        each.field,
        Array.isArray(line.fields[each.field]) ? [...new Set(each.ids)] : each.ids[0],
      ]),
    );
    resolved.push({ number, line: { ...line, fields: { ...line.fields, ...own } } });
  }
  return { resolved, refused };
};
