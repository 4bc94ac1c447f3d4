import { type ImportLine, isSettingKind, type RecordKind, type SettingKind } from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import type { ExternalIds } from '../encryption/external-ids.ts';
import { type RecordDocument, shapes } from '../records/record-shapes.ts';
import { settingShapes } from '../schedule/practice-settings.ts';

/** A line of an import file with its number, counted from 1. */
export type NumberedLine = { number: number; line: ImportLine };
/** A line that was not imported, and the reason. */
export type RefusedLine = { number: number; reason: string };

/** Resolves a reference to our id. The reference is the other system's id, or our own id. */
type Meaning = (reference: string) => string | undefined;

/** The fields of a kind that contain references, with the kind that each field references. */
type References = Readonly<Record<string, RecordKind | SettingKind>>;

const collectionOf = (kind: RecordKind | SettingKind): string =>
  isSettingKind(kind) ? settingShapes[kind].collection : shapes[kind].collection;

/** The references in a field. The field contains a single reference or a list. */
const namedIn = ({ fields }: ImportLine, field: string): string[] => {
  const value = fields[field] as string | readonly string[] | undefined;
  return value === undefined ? [] : [value].flat();
};

const meaningsOf = async (
  database: Database,
  ids: ExternalIds,
  organizationId: string,
  kind: RecordKind | SettingKind,
  named: readonly string[],
): Promise<Meaning> => {
  const derived = new Map(
    [...new Set(named)].map((reference) => [reference, ids.idOf(organizationId, kind, reference)]),
  );
  if (derived.size === 0) return () => undefined;
  const documents = await database
    .collection<RecordDocument>(collectionOf(kind))
    .find(
      {
        _id: { $in: [...derived.values(), ...derived.keys()] },
        organizationId,
        deletedAt: { $exists: false },
      },
      { projection: { _id: 1 } },
    )
    .toArray();
  const existing = new Set(documents.map(({ _id }) => _id));
  return (reference) => [derived.get(reference), reference].find((id) => id && existing.has(id));
};

/**
 * Replaces the other system's ids in the lines by ours, with at most one query for each field.
 *
 * @returns `refused` contains the lines that reference something that does not exist in this organization
 */
export const resolveReferences = async (
  database: Database,
  ids: ExternalIds,
  organizationId: string,
  references: References,
  lines: readonly NumberedLine[],
): Promise<{ resolved: NumberedLine[]; refused: RefusedLine[] }> => {
  const fields = await Promise.all(
    Object.entries(references).map(async ([field, target]) => {
      const named = lines.flatMap(({ line }) => namedIn(line, field));
      return { field, target, meaning: await meaningsOf(database, ids, organizationId, target, named) };
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
      meant.map((each) => [each.field, Array.isArray(line.fields[each.field]) ? each.ids : each.ids[0]]),
    );
    resolved.push({ number, line: { ...line, fields: { ...line.fields, ...own } } });
  }
  return { resolved, refused };
};
