import { z } from 'zod';
import type { Issue } from './errors.ts';
import { instant } from './instant.ts';
import { id, text } from './text.ts';

export const appointmentStatuses = [
  'REQUESTED',
  'SCHEDULED',
  'PATIENT_ARRIVED',
  'NO_SHOW',
  'CANCELED',
] as const;

/** The longest appointment, in days. It keeps a range query on one index. */
export const MAX_APPOINTMENT_DAYS = 31;
export const MAX_PROCEDURES = 100;
export const MAX_REMINDERS = 20;
/** The longest reminder, in bytes of its JSON. */
export const MAX_REMINDER_BYTES = 4096;
const MAX_REMINDER_DEPTH = 32;

const status = z.enum(appointmentStatuses, { error: `must be one of ${appointmentStatuses.join(', ')}` });

/** A price: a number or a decimal string; it comes back with the JSON type it was sent with. */
export const price = z.union([z.number(), text(100)], { error: 'must be a number or a string' });

const procedure = z.object({
  _id: id,
  procedureId: id,
  name: text(500).optional(),
  price: price.optional(),
});

const procedureInput = z.strictObject({
  _id: id.optional(),
  procedureId: id,
  name: text(500).nullish(),
  price: price.nullish(),
});

/** Why a JSON value could not be given back as it came, or undefined if it can. */
const storageProblem = (value: unknown, depth = 0): string | undefined => {
  if (depth > MAX_REMINDER_DEPTH) return `must not be nested deeper than ${MAX_REMINDER_DEPTH} levels`;
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'must not contain a NUL character';
    if (!value.isWellFormed()) return 'must be well-formed Unicode (it has a lone surrogate)';
  }
  const isLossy =
    typeof value === 'number' && (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER);
  if (isLossy) return 'must not contain a number past 2^53 (send it as a string)';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const problem = storageProblem(key) ?? storageProblem(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const reminder = z.record(z.string(), z.unknown(), { error: 'must be an object' });
const reminderInput = reminder.superRefine((value, context) => {
  const problem = storageProblem(value);
  if (problem !== undefined) return context.addIssue({ code: 'custom', message: problem });
  if (new TextEncoder().encode(JSON.stringify(value)).length > MAX_REMINDER_BYTES) {
    context.addIssue({ code: 'custom', message: `must have at most ${MAX_REMINDER_BYTES} bytes of JSON` });
  }
});

/** An appointment as the API returns it. */
export const appointmentSchema = z
  .object({
    _id: id,
    clinicId: id,
    patientId: id.optional(),
    startTime: instant.optional(),
    endTime: instant.optional(),
    status,
    procedures: z.array(procedure),
    reminders: z.array(reminder),
    lastEditTime: instant,
  })
  .meta({ id: 'Appointment' });
export type Appointment = z.infer<typeof appointmentSchema>;

const details = {
  patientId: id.nullish(),
  startTime: instant.nullish(),
  endTime: instant.nullish(),
  status: status.optional(),
  procedures: z
    .array(procedureInput)
    .max(MAX_PROCEDURES, `must have at most ${MAX_PROCEDURES} entries`)
    .nullish(),
  reminders: z
    .array(reminderInput)
    .max(MAX_REMINDERS, `must have at most ${MAX_REMINDERS} entries`)
    .nullish(),
};

/** The body of POST /api/appointments. `null` for an optional field is the same as leaving it out. */
export const appointmentCreateSchema = z.strictObject({ clinicId: id, ...details });
export type AppointmentCreate = z.infer<typeof appointmentCreateSchema>;

/** The body of PUT /api/appointments/{appointmentId}. `_id` must equal the path; `lastEditTime` is ignored. */
export const appointmentUpdateSchema = z.strictObject({
  _id: id.optional(),
  clinicId: id.optional(),
  ...details,
  lastEditTime: instant.optional(),
});
export type AppointmentUpdate = z.infer<typeof appointmentUpdateSchema>;

/**
 * The lists of an appointment as they are stored: every procedure has an `_id`, a cleared list is empty.
 * A list that was not sent is absent from the result.
 *
 * @param sent what the caller sent
 * @param newId makes the `_id` of a procedure that was sent without one
 */
export const appointmentLists = (
  sent: Pick<AppointmentUpdate, 'procedures' | 'reminders'>,
  newId: () => string,
): Partial<Pick<Appointment, 'procedures' | 'reminders'>> => ({
  ...(sent.procedures !== undefined && {
    procedures: (sent.procedures ?? []).map((entry) => ({
      _id: entry._id ?? newId(),
      procedureId: entry.procedureId,
      ...(entry.name != null && { name: entry.name }),
      ...(entry.price != null && { price: entry.price }),
    })),
  }),
  ...(sent.reminders !== undefined && { reminders: sent.reminders ?? [] }),
});

/** The status of a new appointment whose caller sent none. */
export const initialStatus = (sent: { startTime?: unknown; endTime?: unknown }): Appointment['status'] =>
  sent.startTime != null && sent.endTime != null ? 'SCHEDULED' : 'REQUESTED';

/**
 * What is wrong with the times of an appointment as it would become.
 *
 * @returns no issue, or one that names `endTime`
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
