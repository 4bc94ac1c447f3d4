import { z } from 'zod';
import type { EventName } from './event.ts';
import {
  clinicId,
  creationTime,
  externalId,
  invoiceId,
  lastEditTime,
  ownId,
  patientId,
  timeOf,
} from './fields.ts';
import { currency } from './text.ts';

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

/** A payment as the API returns it. Payments are read-only in the API. `amount` is in units of `currency`. */
export const paymentSchema = z
  .object({
    _id: ownId('01JB00000000000000PAYMENT0'),
    clinicId,
    externalId: externalId.optional(),
    patientId,
    invoiceId: invoiceId.optional(),
    amount: z
      .number({ error: 'must be a number' })
      .meta({ description: 'Amount paid, in units of `currency`.', examples: [120.5] }),
    currency,
    method: z
      .enum(paymentMethods, { error: `must be one of ${paymentMethods.join(', ')}` })
      .meta({ description: 'Method of payment.', examples: ['CARD'] }),
    status: z
      .enum(paymentStatuses, { error: `must be one of ${paymentStatuses.join(', ')}` })
      .meta({ description: 'Status of the payment.', examples: ['COMPLETED'] }),
    paidTime: timeOf('When the payment was received.').optional(),
    creationTime,
    lastEditTime,
  })
  .meta({ id: 'Payment', description: 'A payment of a patient.' });
export type Payment = z.infer<typeof paymentSchema>;

/** The event of creating or changing a payment. */
export const paymentEvent = (before: Payment | undefined, after: Payment): EventName => {
  if (before === undefined) return 'payment.created';
  return before.status !== 'REFUNDED' && after.status === 'REFUNDED' ? 'payment.refunded' : 'payment.updated';
};
