import { z } from 'zod';

/** What of the record the body of a webhook has: the whole of it, or its ids. */
export const payloads = ['full', 'ids'] as const;
export type Payload = (typeof payloads)[number];

/** The field `payload` of a subscription. */
export const payload = z.enum(payloads, { error: `must be one of ${payloads.join(', ')}` }).meta({
  description:
    'What `data` of each webhook has. `full`: the record. `ids`: only its `_id`, `clinicId` and `lastEditTime`, and `patientId`, `appointmentId`, `invoiceId` and `externalId`, where the record has them; read the rest with `GET`. It takes effect within a second, for redeliveries, too.',
  examples: ['full'],
});
