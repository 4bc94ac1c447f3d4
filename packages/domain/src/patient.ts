import { z } from 'zod';
import { clinicId, createdTime, externalId, lastEditTime, ownId, sentBack } from './fields.ts';
import { email as emailAddress, text } from './text.ts';

const name = text(500).meta({ description: 'Full name.', examples: ['Test Patient'] });
const email = emailAddress.meta({
  description: 'E-mail address. Searches ignore case; it is returned as it was sent.',
  examples: ['test.patient@example.com'],
});
const phone = text(100).meta({ description: 'Telephone number.', examples: ['+1 202 555 0100'] });
const language = text(100).meta({ description: 'Language, such as a tag of BCP 47.', examples: ['en'] });

/** A patient as the API returns it. */
export const patientSchema = z
  .object({
    _id: ownId('01JB0000000000000000PAT1E0'),
    clinicId,
    externalId: externalId.optional(),
    name: name.optional(),
    email: email.optional(),
    phone: phone.optional(),
    language: language.optional(),
    createdTime,
    lastEditTime,
  })
  .meta({ id: 'Patient', description: 'A patient of a clinic.' });
export type Patient = z.infer<typeof patientSchema>;

const details = {
  externalId: externalId.nullish(),
  name: name.nullish(),
  email: email.nullish(),
  phone: phone.nullish(),
  language: language.nullish(),
};

/** The body of POST /api/patients. `null` for an optional field is the same as leaving it out. */
export const patientCreateSchema = z.strictObject({ clinicId, ...details }).meta({ id: 'PatientCreate' });
export type PatientCreate = z.infer<typeof patientCreateSchema>;

/** The body of PUT /api/patients/{patientId}. `_id` must be that of the record; `createdTime` and `lastEditTime` are ignored. */
export const patientUpdateSchema = z
  .strictObject({ ...sentBack, clinicId: clinicId.optional(), ...details })
  .meta({ id: 'PatientUpdate' });
export type PatientUpdate = z.infer<typeof patientUpdateSchema>;
