import { z } from 'zod';
import { blockTimeIssues, type CalendarBlock, calendarBlockSchema } from './calendar-block.ts';
import type { Issue } from './errors.ts';
import { type ImportLine, toImportIssue, withoutEmptyTexts } from './import.ts';
import { procedurePriceIssues, procedureSchema } from './procedure.ts';
import { clinicReferences, providerSchema } from './provider.ts';
import type { RecordKind } from './record.ts';
import { externalId, text } from './text.ts';

/**
 * The kinds of practice settings that are imported. They have no events and contain no patient data. Opening hours are a
 * practice setting too, but they are not imported.
 */
export const settingKinds = ['provider', 'procedure', 'calendar-block'] as const;
export type SettingKind = (typeof settingKinds)[number];

/** Whether an importable kind is a practice setting rather than a record. */
export const isSettingKind = (kind: RecordKind | SettingKind): kind is SettingKind =>
  (settingKinds as readonly string[]).includes(kind);

/**
 * The free text of a calendar block in the other system. It is accepted but not stored, because it may contain
 * patients' names.
 */
const notStored = text(10_000).nullish();
const NOT_STORED: readonly string[] = ['title', 'notes'];

const own = { _id: true } as const;
const { code, price, currency, bookable } = procedureSchema.shape;

/** A line of an import file, for each kind of setting. As for records, the line contains the whole setting. */
export const settingImportSchemas = {
  provider: providerSchema.omit(own).extend({ externalId, clinicIds: clinicReferences }),
  procedure: procedureSchema.omit(own).extend({
    externalId,
    code: code.nullish(),
    price: price.nullish(),
    currency: currency.nullish(),
    bookable: bookable.nullish(),
    clinicIds: clinicReferences.nullish(),
  }),
  'calendar-block': calendarBlockSchema.omit(own).extend({
    externalId,
    clinicId: externalId,
    providerId: externalId.nullish(),
    title: notStored,
    notes: notStored,
  }),
} satisfies Record<SettingKind, z.ZodType>;

/** A line that deletes a setting that the other system no longer has. */
const deletionSchema = z.strictObject({
  externalId,
  deleted: z.literal(true, { error: 'must be true, or absent' }),
});

/** For each kind, the fields that reference clinics or other settings, with the kind that they reference. */
export const settingReferences: Readonly<
  Record<SettingKind, Readonly<Record<string, 'clinic' | SettingKind>>>
> = {
  provider: { clinicIds: 'clinic' },
  procedure: { clinicIds: 'clinic' },
  'calendar-block': { clinicId: 'clinic', providerId: 'provider' },
};

/** A validated line: a setting in the form of {@link ImportLine}, or the id of a setting to delete. */
export type SettingLine = ImportLine | { externalId: string; deleted: true };

const issuesOf = (kind: SettingKind, fields: Readonly<Record<string, unknown>>): Issue[] => {
  if (kind === 'calendar-block') return blockTimeIssues(fields as CalendarBlock);
  return kind === 'procedure' ? procedurePriceIssues(fields) : [];
};

/**
 * Validates a line of an import file with settings.
 *
 * @param value the parsed line
 * @returns the line, or its issues, which quote none of its values
 */
export const readSettingLine = (
  kind: SettingKind,
  value: unknown,
): { line: SettingLine } | { issues: Issue[] } => {
  const isDeletion = typeof value === 'object' && value !== null && 'deleted' in value;
  const schema = isDeletion ? deletionSchema : settingImportSchemas[kind];
  const parsed = schema.safeParse(withoutEmptyTexts(schema, value));
  if (!parsed.success) return { issues: parsed.error.issues.map(toImportIssue) };
  if ('deleted' in parsed.data) return { line: parsed.data };
  const { externalId, ...sent } = parsed.data;
  const given = Object.fromEntries(
    Object.entries(sent).filter(([field, content]) => content != null && !NOT_STORED.includes(field)),
  );
  const fields = kind === 'procedure' ? { bookable: true, ...given } : given;
  const issues = issuesOf(kind, fields);
  return issues.length > 0 ? { issues } : { line: { externalId, fields } };
};
