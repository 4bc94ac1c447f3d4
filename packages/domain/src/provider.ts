import { z } from 'zod';
import { idOf, ownId, sentBack } from './fields.ts';
import { listOf } from './list.ts';
import { externalId, id, text } from './text.ts';

/** Maximum number of clinics that a provider or a procedure can reference. */
export const MAX_CLINICS_OF_SETTING = 100;

const clinicsBy = (entry: z.ZodType<string, string>) =>
  listOf(entry, MAX_CLINICS_OF_SETTING)
    .refine((ids) => ids.length > 0, 'must name at least one clinic')
    .refine((ids) => new Set(ids).size === ids.length, 'must name each clinic once');

/** The clinics of a practice setting in a line of an import: their external ids, or ids of ours. */
export const clinicReferences = clinicsBy(externalId);
/** The `_id`s of clinics in a practice setting, without duplicates. */
export const clinicIds = clinicsBy(id).meta({
  description: 'The `_id`s of the clinics.',
  examples: [['01JB0000000000000000CHN1C0']],
});

/** The `_id` of a provider. */
export const providerId = idOf('the provider', '01JB0000000000000PR0V1DER0');

/** A person who treats patients, such as a dentist: a setting of the practice. */
export const providerSchema = z
  .strictObject({
    _id: ownId('01JB0000000000000PR0V1DER0'),
    name: text(500)
      .min(1, 'must not be empty')
      .meta({
        description: 'Display name.',
        examples: ['Dr. Ines Albers'],
      }),
    clinicIds,
  })
  .meta({ id: 'Provider', description: 'A person who treats patients.' });
export type Provider = z.infer<typeof providerSchema>;

const { name } = providerSchema.shape;
const sentId = { _id: sentBack._id };

/** The body of POST /api/providers. */
export const providerCreateSchema = z.strictObject({ name, clinicIds }).meta({ id: 'ProviderCreate' });
export type ProviderCreate = z.infer<typeof providerCreateSchema>;

/** The body of PUT /api/providers/{providerId}. `_id` must equal the path. */
export const providerUpdateSchema = z
  .strictObject({ ...sentId, name: name.optional(), clinicIds: clinicIds.optional() })
  .meta({ id: 'ProviderUpdate' });
export type ProviderUpdate = z.infer<typeof providerUpdateSchema>;
