import { z } from 'zod';
import type { EventName } from './event.ts';
import { clinicId, creationTime, externalId, lastEditTime, ownId, patientId, timeOf } from './fields.ts';
import { currency, text } from './text.ts';

export const invoiceStatuses = ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID', 'REFUNDED'] as const;

/** An invoice as the API returns it. Invoices are read-only in the API. `total` is in units of `currency`. */
export const invoiceSchema = z
  .object({
    _id: ownId('01JB00000000000000001NV010'),
    clinicId,
    externalId: externalId.optional(),
    patientId,
    number: z.union([z.int(), text(100)], { error: 'must be an integer or a string' }).meta({
      description: 'Invoice number, with the JSON type it was stored with.',
      examples: ['R-2030-17'],
    }),
    total: z
      .number({ error: 'must be a number' })
      .meta({ description: 'Total amount due, in units of `currency`.', examples: [120.5] }),
    currency,
    status: z
      .enum(invoiceStatuses, { error: `must be one of ${invoiceStatuses.join(', ')}` })
      .meta({ description: 'Status of the invoice.', examples: ['OPEN'] }),
    dueTime: timeOf('When the payment is due.', '2030-02-14T23:00:00.000Z').optional(),
    creationTime,
    lastEditTime,
  })
  .meta({ id: 'Invoice', description: 'An invoice to a patient.' });
export type Invoice = z.infer<typeof invoiceSchema>;

/** The event of creating or changing an invoice. */
export const invoiceEvent = (before: Invoice | undefined, after: Invoice): EventName => {
  if (before === undefined) return 'invoice.created';
  if (before.status === after.status) return 'invoice.updated';
  if (after.status === 'PAID') return 'invoice.paid';
  return after.status === 'VOID' ? 'invoice.voided' : 'invoice.updated';
};
