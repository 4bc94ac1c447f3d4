import { z } from 'zod';
import type { Issue } from './errors.ts';
import {
  clinicId,
  createdTime,
  externalId,
  lastEditTime,
  ownId,
  patientExternalId,
  patientId,
  procedureId,
  sentBack,
  timeOf,
} from './fields.ts';
import { newId } from './ids.ts';
import { listOf } from './list.ts';
import { providerId } from './provider.ts';
import type { ResourceLimit } from './resource-limit.ts';
import { id, text } from './text.ts';

export const appointmentStatuses = [
  'REQUESTED',
  'SCHEDULED',
  'PATIENT_ARRIVED',
  'NO_SHOW',
  'CANCELED',
] as const;

/** The longest appointment, in days. With this limit, a range query needs only one index. */
export const MAX_APPOINTMENT_DAYS = 31;
export const MAX_PROCEDURES = 100;
export const MAX_REMINDERS = 20;
/** The largest reminder, in bytes of its JSON. */
export const MAX_REMINDER_BYTES = 4096;
/** The most members and elements of a reminder, at any depth. To read one costs as much as twenty bytes of text. */
const MAX_REMINDER_VALUES = 200;
const MAX_REMINDER_DEPTH = 32;

const status = z
  .enum(appointmentStatuses, { error: `must be one of ${appointmentStatuses.join(', ')}` })
  .meta({
    description: 'Status of the appointment. PUT can change any status to any other.',
    examples: ['SCHEDULED'],
  });
const startTime = timeOf('Start of the appointment.');
const endTime = timeOf(
  `End of the appointment: after \`startTime\`, by at most ${MAX_APPOINTMENT_DAYS} days.`,
  '2030-01-31T10:00:00.000Z',
);

/** A price: a number or a string. The API returns it with the JSON type that was stored. */
export const price = z.union([z.number(), text(100)], { error: 'must be a number or a string' }).meta({
  description: 'Decimal amount. It is returned with the JSON type it was stored with.',
  examples: ['80.00'],
});

/** Whether a price can be returned as it was sent: a string, or a finite number between -2^53 and 2^53. */
export const isExact = (value: number | string): boolean =>
  typeof value === 'string' || (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
export const INEXACT = 'must lie between -2^53 and 2^53';
/** A price in a request. A number whose absolute value is 2^53 or more is refused, because a double may round it. */
export const exactPrice = price.refine(isExact, INEXACT);

/** Digits, and a point before the decimals. A sign is accepted, because a price list can have discounts. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** The price of a price list, which programs compute with: a number, or a text that is one. */
export const decimalPrice = exactPrice
  .refine(
    (value) => typeof value === 'number' || DECIMAL.test(value),
    'must be a decimal number with a point, such as 10.50',
  )
  .meta({
    description:
      'Decimal number, as a number or as text with a point. It is returned with the JSON type it was stored with.',
    examples: ['80.00'],
  });

const procedureEntryId = id.meta({
  description: 'Identifier of the entry. If you send none, the server creates one.',
  examples: ['01JB0000000000000000ENTRY0'],
});
const procedureName = text(500).meta({ description: 'Name of the procedure.', examples: ['Check-up'] });

const procedure = z.object({
  _id: procedureEntryId,
  procedureId,
  name: procedureName.optional(),
  price: price.optional(),
});

const procedureInput = z.strictObject({
  _id: procedureEntryId.optional(),
  procedureId,
  name: procedureName.nullish(),
  price: exactPrice.nullish(),
});

/** Returns why a JSON value of a reminder is refused; undefined if it is accepted. */
const storageProblem = (value: unknown, depth = 0): string | undefined => {
  if (depth > MAX_REMINDER_DEPTH) return `must not be nested deeper than ${MAX_REMINDER_DEPTH} levels`;
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'must not contain a NUL character';
    if (!value.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)';
  }
  if (typeof value === 'number' && !isExact(value))
    return 'must not contain a number past 2^53 (send it as a string)';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const problem = storageProblem(key) ?? storageProblem(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + 1 + valuesIn(inner), 0)
    : 0;

/** Returns why a reminder is too large; undefined if it is not. */
const sizeProblem = (value: object): string | undefined => {
  if (valuesIn(value) > MAX_REMINDER_VALUES)
    return `must have at most ${MAX_REMINDER_VALUES} members and elements`;
  if (new TextEncoder().encode(JSON.stringify(value)).length > MAX_REMINDER_BYTES)
    return `must have at most ${MAX_REMINDER_BYTES} bytes of JSON`;
  return undefined;
};

const reminder = z
  .record(z.string(), z.unknown(), { error: 'must be an object' })
  .meta({ description: 'A plain object with keys of your choice.', examples: [{ hoursBefore: 24 }] });
const reminderInput = reminder.superRefine((value, context) => {
  const message = storageProblem(value) ?? sizeProblem(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** An appointment as the API returns it. */
export const appointmentSchema = z
  .object({
    _id: ownId('01JB00000000000000APP01NT0'),
    clinicId,
    externalId: externalId.optional(),
    patientId: patientId.optional(),
    providerId: providerId.optional(),
    startTime: startTime.optional(),
    endTime: endTime.optional(),
    status,
    procedures: z.array(procedure).describe('Planned procedures; empty when there are none.'),
    reminders: z.array(reminder).describe('Reminders; empty when there are none.'),
    createdTime,
    lastEditTime,
  })
  .meta({ id: 'Appointment', description: 'An appointment at a clinic.' });
export type Appointment = z.infer<typeof appointmentSchema>;

const details = {
  externalId: externalId.nullish(),
  patientId: patientId.nullish(),
  patientExternalId: patientExternalId.nullish(),
  providerId: providerId.nullish(),
  startTime: startTime.nullish(),
  endTime: endTime.nullish(),
  status: status.optional(),
  procedures: listOf(procedureInput, MAX_PROCEDURES)
    .describe('All planned procedures. The list replaces the stored one.')
    .nullish(),
  reminders: listOf(reminderInput, MAX_REMINDERS)
    .describe(
      `All reminders, each at most ${MAX_REMINDER_BYTES} bytes of JSON with at most ${MAX_REMINDER_VALUES} members and elements. The list replaces the stored one.`,
    )
    .nullish(),
};

/**
 * The body of POST /api/appointments. `null` for an optional field other than `status` is the same as leaving it out.
 */
export const appointmentCreateSchema = z
  .strictObject({ clinicId, ...details })
  .meta({ id: 'AppointmentCreate' });
export type AppointmentCreate = z.infer<typeof appointmentCreateSchema>;

/** The body of PUT /api/appointments/{appointmentId}. `_id` must be that of the record; `createdTime` and `lastEditTime` are ignored. */
export const appointmentUpdateSchema = z
  .strictObject({ ...sentBack, clinicId: clinicId.optional(), ...details })
  .meta({ id: 'AppointmentUpdate' });
export type AppointmentUpdate = z.infer<typeof appointmentUpdateSchema>;

const keptId = (
  stored: Appointment['procedures'][number] | undefined,
  { procedureId }: { procedureId: string },
  sent: readonly { _id?: string | undefined }[],
): string | undefined =>
  stored?.procedureId === procedureId && sent.every(({ _id }) => _id !== stored._id) ? stored._id : undefined;

/**
 * The lists of an appointment as the API returns them: each procedure has an `_id`, and a cleared list is empty. A list
 * that is absent from the request is absent from the result.
 *
 * @param sent the lists in the request
 * @param stored the procedures of the appointment. An entry that is sent without an `_id` keeps that of the stored entry
 *   at its place, if both name the same procedure; otherwise it gets a new one
 */
export const appointmentLists = (
  sent: Pick<AppointmentUpdate, 'procedures' | 'reminders'>,
  stored: Appointment['procedures'] = [],
): Partial<Pick<Appointment, 'procedures' | 'reminders'>> => ({
  ...(sent.procedures !== undefined && {
    procedures: (sent.procedures ?? []).map((entry, place, entries) => ({
      _id: entry._id ?? keptId(stored[place], entry, entries) ?? newId(),
      procedureId: entry.procedureId,
      ...(entry.name != null && { name: entry.name }),
      ...(entry.price != null && { price: entry.price }),
    })),
  }),
  ...(sent.reminders !== undefined && { reminders: sent.reminders ?? [] }),
});

/** The status of a new appointment if the request contains none. */
export const initialStatus = (sent: { startTime?: unknown; endTime?: unknown }): Appointment['status'] =>
  sent.startTime != null && sent.endTime != null ? 'SCHEDULED' : 'REQUESTED';

/**
 * Checks the times of a new or changed appointment.
 *
 * @returns no issue, or one for `endTime`
 */
export const appointmentTimeIssues = ({
  startTime,
  endTime,
}: Pick<Appointment, 'startTime' | 'endTime'>): Issue[] => {
  if (startTime === undefined || endTime === undefined) return [];
  const length = Date.parse(endTime) - Date.parse(startTime);
  if (length <= 0) return [{ path: 'endTime', message: 'must be after startTime' }];
  if (length > MAX_APPOINTMENT_DAYS * 86_400_000) {
    return [{ path: 'endTime', message: `must be at most ${MAX_APPOINTMENT_DAYS} days after startTime` }];
  }
  return [];
};

export const appointmentLimits: readonly ResourceLimit[] = [
  {
    id: 'procedures',
    part: 'Writing',
    resource: 'Procedures of one appointment',
    value: MAX_PROCEDURES,
    unit: 'entries',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'reminders',
    part: 'Writing',
    resource: 'Reminders of one appointment',
    value: MAX_REMINDERS,
    unit: 'entries',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'reminder_bytes',
    part: 'Writing',
    resource: 'JSON of one reminder',
    value: MAX_REMINDER_BYTES / 1024,
    unit: 'KiB',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'reminder_values',
    part: 'Writing',
    resource: 'Members and elements of one reminder, at any depth',
    value: MAX_REMINDER_VALUES,
    unit: 'values',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
];
