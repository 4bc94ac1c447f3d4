import { z } from 'zod';
import {
  type Appointment,
  appointmentCreateSchema,
  appointmentTimeIssues,
  exactPrice,
  INEXACT,
  initialStatus,
  isExact,
} from './appointment.ts';
import type { Issue } from './errors.ts';
import type { EventName } from './event.ts';
import { instant } from './instant.ts';
import { type Invoice, invoiceEvent, invoiceSchema } from './invoice.ts';
import { patientCreateSchema } from './patient.ts';
import { type Payment, paymentEvent, paymentSchema } from './payment.ts';
import type { RecordKind } from './record.ts';
import { currency, externalId, id, text } from './text.ts';
import { treatmentSchema } from './treatment.ts';

const amount = z.number({ error: 'must be a number' }).refine(isExact, INEXACT);

/**
 * Abbreviations that Node.js takes for time zones. Most are no names of IANA: IST, for example, is the time of India,
 * Ireland and Israel. IANA names EST, MST and HST, but without summer time, which is not what their readers mean.
 */
const ABBREVIATION =
  /^(AC|AE|AG|AR|AS|BE|BS|CA|CN|CS|CT|EA|EC|ES|HS|IE|IS|JS|MI|MS|NE|NS|PL|PN|PR|PS|SS|VS)T$/i;

/** Whether this is the name of a time zone that the runtime knows. Node.js also takes offsets, such as +02:00. */
export const isTimezone = (value: string): boolean => {
  if (ABBREVIATION.test(value) || !/^[a-z]/i.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined;
  } catch {
    return false;
  }
};
const isLocale = (value: string): boolean => {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
};

/**
 * The fields of a clinic without those that the server sets. In an import, `null` is the same as an absent field. In an
 * update, `null` clears the field.
 */
export const clinicDetailsSchema = z.strictObject({
  name: text(500).nullish(),
  currency: currency.nullish(),
  defaultLocale: text(100).refine(isLocale, 'must be a language tag of BCP 47, such as de-DE').nullish(),
  timezone: text(100).refine(isTimezone, 'must be a time zone of IANA, such as Europe/Berlin').nullish(),
});
export type ClinicDetails = z.infer<typeof clinicDetailsSchema>;

const own = { _id: true, lastEditTime: true } as const;
/** An external id, or an id of ours. */
const reference = externalId;
const ofEvery = { externalId, clinicId: reference };

/**
 * A line of an import file, for each kind: the whole record as the other system has it. The line has the other system's
 * own id (`externalId`), and references other records by that system's ids or by ours. An optional field that is absent,
 * `null` or an empty text is cleared. The `status` of an appointment is an exception: it must not be `null`, and if it is absent, it
 * is derived from the times.
 */
export const importSchemas = {
  clinic: clinicDetailsSchema.extend({ externalId }),
  patient: patientCreateSchema.extend({ externalId, clinicId: reference }),
  appointment: appointmentCreateSchema.omit({ patientExternalId: true }).extend({
    externalId,
    clinicId: reference,
    patientId: reference.nullish(),
    providerId: reference.nullish(),
  }),
  invoice: z.strictObject({
    ...invoiceSchema.omit(own).shape,
    ...ofEvery,
    patientId: reference,
    total: amount,
    dueTime: instant.nullish(),
  }),
  payment: z.strictObject({
    ...paymentSchema.omit(own).shape,
    ...ofEvery,
    patientId: reference,
    amount,
    invoiceId: reference.nullish(),
    paidTime: instant.nullish(),
  }),
  treatment: z.strictObject({
    ...treatmentSchema.omit(own).shape,
    ...ofEvery,
    patientId: reference,
    price: exactPrice,
    appointmentId: reference.nullish(),
    providerId: id.nullish(),
    procedureCode: text(100).nullish(),
    notes: text(10_000).nullish(),
    performedTime: instant.nullish(),
  }),
} satisfies Record<RecordKind, z.ZodType>;

/** For each kind, the fields that reference other records or a provider, with the kind of what they name. */
export const references: Readonly<Record<RecordKind, Readonly<Record<string, RecordKind | 'provider'>>>> = {
  clinic: {},
  patient: { clinicId: 'clinic' },
  appointment: { clinicId: 'clinic', patientId: 'patient', providerId: 'provider' },
  invoice: { clinicId: 'clinic', patientId: 'patient' },
  payment: { clinicId: 'clinic', patientId: 'patient', invoiceId: 'invoice' },
  treatment: { clinicId: 'clinic', patientId: 'patient', appointmentId: 'appointment' },
};

/** A validated line, with only those fields that have a value. References still contain the other system's ids. */
export type ImportLine = { externalId: string; fields: Readonly<Record<string, unknown>> };

const SHORT_NAME = /^\w{1,40}$/;

/**
 * Describes an issue without quoting any value of the line. An unknown key is shown only if it looks like a field name,
 * because it can contain patient data too.
 */
export const toImportIssue = ({ code, path, message, ...rest }: z.core.$ZodIssue): Issue => {
  const at = path.map(String).join('.');
  if (code === 'unrecognized_keys') {
    const keys = ((rest as { keys?: string[] }).keys ?? []).slice(0, 10);
    const named = keys.map((key) => (SHORT_NAME.test(key) ? key : '(not a field name)'));
    return { path: at, message: `has fields that this kind does not have: ${named.join(', ')}` };
  }
  return { path: at, message: path.length === 0 ? 'must be a JSON object' : message };
};

const completed = (kind: RecordKind, fields: Readonly<Record<string, unknown>>) =>
  kind === 'appointment' ? { status: initialStatus(fields), ...fields } : fields;

/**
 * A parsed line without the empty texts of its optional fields. Many systems export an empty text for a field that has no
 * value.
 *
 * @param value anything that JSON can contain
 */
export const withoutEmptyTexts = ({ shape }: z.ZodObject, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).filter(
          ([name, field]) => field !== '' || shape[name]?.safeParse(undefined).success !== true,
        ),
      )
    : value;

/**
 * Validates a line of an import file.
 *
 * @param value the parsed line
 * @returns the line, or its issues, which quote none of its values
 */
export const readImportLine = (
  kind: RecordKind,
  value: unknown,
): { line: ImportLine } | { issues: Issue[] } => {
  const schema = importSchemas[kind];
  const parsed = schema.safeParse(withoutEmptyTexts(schema, value));
  if (!parsed.success) return { issues: parsed.error.issues.map(toImportIssue) };
  const { externalId: theirId, ...sent } = parsed.data;
  const given = Object.fromEntries(Object.entries(sent).filter(([, field]) => field != null));
  const fields = completed(kind, given);
  const issues =
    kind === 'appointment' ? appointmentTimeIssues(fields as Pick<Appointment, 'startTime' | 'endTime'>) : [];
  return issues.length > 0 ? { issues } : { line: { externalId: theirId, fields } };
};

/** The event of creating or changing a record of this kind; undefined for kinds without events. */
export const recordEvent = (
  kind: RecordKind,
  before: object | undefined,
  after: object,
): EventName | undefined => {
  switch (kind) {
    case 'patient':
    case 'appointment':
      return `${kind}.${before === undefined ? 'created' : 'updated'}`;
    case 'invoice':
      return invoiceEvent(before as Invoice | undefined, after as Invoice);
    case 'payment':
      return paymentEvent(before as Payment | undefined, after as Payment);
    case 'clinic':
    case 'treatment':
      return undefined;
  }
};
