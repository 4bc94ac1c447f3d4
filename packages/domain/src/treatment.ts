import { z } from 'zod';
import { price } from './appointment.ts';
import { instant } from './instant.ts';
import { currency, id, text } from './text.ts';

export const treatmentStatuses = ['PLANNED', 'IN_PROGRESS', 'COMPLETED', 'CANCELED'] as const;
/** Mesial, occlusal, incisal, buccal, distal, facial, lingual, palatal. */
export const toothSurfaces = ['M', 'O', 'I', 'B', 'D', 'F', 'L', 'P'] as const;

/** A tooth in the two-digit notation of ISO 3950 (FDI): quadrants 1 to 4 permanent, 5 to 8 deciduous. */
export const tooth = z
  .string()
  .regex(/^([1-4][1-8]|[5-8][1-5])$/, 'must be a tooth in FDI notation, such as 11 or 85');

/** A treatment (one procedure on one place) as the API returns it. Treatments are read-only there. */
export const treatmentSchema = z
  .object({
    _id: id,
    clinicId: id,
    patientId: id,
    appointmentId: id.optional(),
    providerId: id.optional(),
    procedureId: id,
    procedureCode: text(100).optional(),
    name: text(500),
    teeth: z.array(tooth).max(52, 'must have at most 52 entries'),
    surfaces: z
      .array(z.enum(toothSurfaces, { error: `must be one of ${toothSurfaces.join(', ')}` }))
      .max(toothSurfaces.length, `must have at most ${toothSurfaces.length} entries`),
    status: z.enum(treatmentStatuses, { error: `must be one of ${treatmentStatuses.join(', ')}` }),
    notes: text(10_000).optional(),
    price,
    currency,
    performedTime: instant.optional(),
    creationTime: instant,
    lastEditTime: instant,
  })
  .meta({ id: 'Treatment' });
export type Treatment = z.infer<typeof treatmentSchema>;
