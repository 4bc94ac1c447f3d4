import { z } from 'zod';
import { instant } from './instant.ts';
import { email, id, text } from './text.ts';

const name = text(500);
const phone = text(100);
const language = text(100);

/** A patient as the API returns it. */
export const patientSchema = z
  .object({
    _id: id,
    clinicId: id,
    name: name.optional(),
    email: email.optional(),
    phone: phone.optional(),
    language: language.optional(),
    lastEditTime: instant,
  })
  .meta({ id: 'Patient' });
export type Patient = z.infer<typeof patientSchema>;

const details = {
  name: name.nullish(),
  email: email.nullish(),
  phone: phone.nullish(),
  language: language.nullish(),
};

/** The body of POST /api/patients. `null` for an optional field is the same as leaving it out. */
export const patientCreateSchema = z.strictObject({ clinicId: id, ...details });
export type PatientCreate = z.infer<typeof patientCreateSchema>;

/** The body of PUT /api/patients/{patientId}. `_id` must equal the path; `lastEditTime` is ignored. */
export const patientUpdateSchema = z.strictObject({
  _id: id.optional(),
  clinicId: id.optional(),
  ...details,
  lastEditTime: instant.optional(),
});
export type PatientUpdate = z.infer<typeof patientUpdateSchema>;
