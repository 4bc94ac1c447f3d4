import { z } from 'zod';
import type { EventName } from './event.ts';
import { instant } from './instant.ts';
import { currency, id, text } from './text.ts';

export const invoiceStatuses = ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID', 'REFUNDED'] as const;

/** An invoice as the API returns it. Invoices are read-only there; `total` is in units of `currency`. */
export const invoiceSchema = z
  .object({
    _id: id,
    clinicId: id,
    patientId: id,
    number: z.union([z.int(), text(100)], { error: 'must be an integer or a string' }),
    total: z.number({ error: 'must be a number' }),
    currency,
    status: z.enum(invoiceStatuses, { error: `must be one of ${invoiceStatuses.join(', ')}` }),
    dueTime: instant.optional(),
    creationTime: instant,
    lastEditTime: instant,
  })
  .meta({ id: 'Invoice' });
export type Invoice = z.infer<typeof invoiceSchema>;

/** The one event that tells of a write of an invoice. */
export const invoiceEvent = (before: Invoice | undefined, after: Invoice): EventName => {
  if (before === undefined) return 'invoice.created';
  if (before.status === after.status) return 'invoice.updated';
  if (after.status === 'PAID') return 'invoice.paid';
  return after.status === 'VOID' ? 'invoice.voided' : 'invoice.updated';
};
