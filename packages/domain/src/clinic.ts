import { z } from 'zod';
import { instant } from './instant.ts';
import { id, text } from './text.ts';

/** A clinic as the API returns it. Clinics are read-only there. */
export const clinicSchema = z
  .object({
    _id: id,
    name: text(500).optional(),
    currency: text(10).optional(),
    defaultLocale: text(100).optional(),
    timezone: text(100).optional(),
    lastEditTime: instant,
  })
  .meta({ id: 'Clinic' });
export type Clinic = z.infer<typeof clinicSchema>;
