import { z } from 'zod';
import type { EventName } from './event.ts';
import { instant } from './instant.ts';
import { currency, id } from './text.ts';

export const paymentMethods = [
  'CASH',
  'CARD',
  'BANK_TRANSFER',
  'DIRECT_DEBIT',
  'INSURANCE',
  'VOUCHER',
  'OTHER',
] as const;
export const paymentStatuses = ['PENDING', 'COMPLETED', 'FAILED', 'REFUNDED'] as const;

/** A payment as the API returns it. Payments are read-only there; `amount` is in units of `currency`. */
export const paymentSchema = z
  .object({
    _id: id,
    clinicId: id,
    patientId: id,
    invoiceId: id.optional(),
    amount: z.number({ error: 'must be a number' }),
    currency,
    method: z.enum(paymentMethods, { error: `must be one of ${paymentMethods.join(', ')}` }),
    status: z.enum(paymentStatuses, { error: `must be one of ${paymentStatuses.join(', ')}` }),
    paidTime: instant.optional(),
    creationTime: instant,
    lastEditTime: instant,
  })
  .meta({ id: 'Payment' });
export type Payment = z.infer<typeof paymentSchema>;

/** The one event that tells of a write of a payment. */
export const paymentEvent = (before: Payment | undefined, after: Payment): EventName => {
  if (before === undefined) return 'payment.created';
  return before.status !== 'REFUNDED' && after.status === 'REFUNDED' ? 'payment.refunded' : 'payment.updated';
};
