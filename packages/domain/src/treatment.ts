import { z } from 'zod';
import { price } from './appointment.ts';
import {
  appointmentId,
  clinicId,
  creationTime,
  externalId,
  idOf,
  lastEditTime,
  ownId,
  patientId,
  procedureId,
  timeOf,
} from './fields.ts';
import { currency, text } from './text.ts';

export const treatmentStatuses = ['PLANNED', 'IN_PROGRESS', 'COMPLETED', 'CANCELED'] as const;
/** The tooth surfaces: mesial, occlusal, incisal, buccal, distal, facial, lingual, palatal. */
export const toothSurfaces = ['M', 'O', 'I', 'B', 'D', 'F', 'L', 'P'] as const;

/** A tooth in the two-digit notation of ISO 3950 (FDI): quadrants 1 to 4 permanent, 5 to 8 deciduous. */
export const tooth = z
  .string()
  .regex(/^([1-4][1-8]|[5-8][1-5])$/, 'must be a tooth in FDI notation, such as 11 or 85')
  .meta({ examples: ['11'] });

/** A treatment as the API returns it. Treatments are read-only in the API. */
export const treatmentSchema = z
  .object({
    _id: ownId('01JB000000000000TREATMENT0'),
    clinicId,
    externalId: externalId.optional(),
    patientId,
    appointmentId: appointmentId.optional(),
    providerId: idOf('the provider of the treatment', '01JB0000000000000PR0V1DER0').optional(),
    procedureId,
    procedureCode: text(100)
      .optional()
      .meta({ description: 'Code of the procedure in the fee schedule of the country.', examples: ['2060'] }),
    name: text(500).meta({ description: 'Name of the procedure.', examples: ['Filling'] }),
    teeth: z
      .array(tooth)
      .max(52, 'must have at most 52 entries')
      .describe('Teeth in the two-digit notation of ISO 3950 (FDI).'),
    surfaces: z
      .array(z.enum(toothSurfaces, { error: `must be one of ${toothSurfaces.join(', ')}` }))
      .max(toothSurfaces.length, `must have at most ${toothSurfaces.length} entries`)
      .meta({
        description:
          'Surfaces of the teeth: mesial, occlusal, incisal, buccal, distal, facial, lingual, palatal.',
        examples: [['O']],
      }),
    status: z
      .enum(treatmentStatuses, { error: `must be one of ${treatmentStatuses.join(', ')}` })
      .meta({ description: 'Status of the treatment.', examples: ['COMPLETED'] }),
    notes: text(10_000)
      .optional()
      .meta({ description: 'Clinical notes.', examples: ['No complications.'] }),
    price,
    currency,
    performedTime: timeOf('When the treatment was performed.').optional(),
    creationTime,
    lastEditTime,
  })
  .meta({ id: 'Treatment', description: "One procedure at one place in a patient's mouth." });
export type Treatment = z.infer<typeof treatmentSchema>;
