import { z } from 'zod';
import { appointmentSchema } from './appointment.ts';
import { type AuditAction, auditEntrySchema } from './audit-entry.ts';
import { loggedEventSchema } from './event-schemas.ts';
import { timeOf } from './fields.ts';
import { invoiceSchema } from './invoice.ts';
import { patientSchema } from './patient.ts';
import { paymentSchema } from './payment.ts';
import { treatmentSchema } from './treatment.ts';

/** The actions of audit entries by which somebody has received a patient. */
export const readActions = ['read', 'listed', 'events_read', 'exported'] as const satisfies AuditAction[];

/**
 * A read of a patient, from its audit entry. It lacks the `ids` of the entry, because those of a list are the ids of other
 * patients.
 */
export const patientReadSchema = auditEntrySchema
  .pick({ time: true, action: true, principal: true, by: true, result: true, requestId: true })
  .extend({
    time: timeOf('When the patient was read.'),
    action: z.enum(readActions).meta({
      description:
        '`read` (alone), `listed` (with others), `events_read` (events about the patient) or `exported`.',
      examples: ['read'],
    }),
    result: z.string().meta({
      description: '`ok`, or why no record was sent: `not_modified` or `headers` (a HEAD request).',
      examples: ['ok'],
    }),
  })
  .meta({ id: 'PatientRead', description: 'Who has read a patient, when, and by which request.' });
export type PatientRead = z.infer<typeof patientReadSchema>;

/** What the service has stored about one patient. The order of the fields is that of the response. */
export const patientExportSchema = z
  .object({
    patient: patientSchema,
    appointments: z.array(appointmentSchema).describe('The appointments of the patient.'),
    invoices: z.array(invoiceSchema).describe('The invoices to the patient.'),
    payments: z.array(paymentSchema).describe('The payments of the patient.'),
    treatments: z.array(treatmentSchema).describe('The treatments of the patient.'),
    events: z
      .array(loggedEventSchema)
      .describe(
        'The events of the last 30 days whose `data` is the patient, or a record of the patient. Records that were deleted since are among them.',
      ),
    reads: z
      .array(patientReadSchema)
      .describe('The reads of the patient, the newest first. This export is among them.'),
  })
  .meta({ id: 'PatientExport', description: 'What is stored about one patient.' });
