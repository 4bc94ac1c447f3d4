import { z } from 'zod';
import { externalId, lastEditTime, ownId } from './fields.ts';
import { text } from './text.ts';

/** A clinic as the API returns it. Clinics are read-only in the API. */
export const clinicSchema = z
  .object({
    _id: ownId('01JB0000000000000000CHN1C0'),
    externalId: externalId.optional(),
    name: text(500)
      .optional()
      .meta({ description: 'Name of the clinic.', examples: ['North clinic'] }),
    currency: text(10)
      .optional()
      .meta({ description: 'Currency code of ISO 4217.', examples: ['EUR'] }),
    defaultLocale: text(100)
      .optional()
      .meta({ description: 'Language tag of BCP 47.', examples: ['de-DE'] }),
    timezone: text(100)
      .optional()
      .meta({ description: 'IANA time zone.', examples: ['Europe/Berlin'] }),
    lastEditTime,
  })
  .meta({ id: 'Clinic', description: 'A clinic of the organization.' });
export type Clinic = z.infer<typeof clinicSchema>;
