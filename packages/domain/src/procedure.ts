import { z } from 'zod';
import { decimalPrice } from './appointment.ts';
import type { Issue } from './errors.ts';
import { ownId, sentBack } from './fields.ts';
import { clinicIds } from './provider.ts';
import { currency, text } from './text.ts';

/** The longest procedure and the longest slot that can be searched for, in minutes: one day. */
export const MAX_DURATION_MINUTES = 1440;

/** A duration in whole minutes, for procedures and for searches for free slots. */
export const durationMinutes = z
  .int({ error: 'must be a whole number of minutes' })
  .min(1, `must be from 1 to ${MAX_DURATION_MINUTES} minutes`)
  .max(MAX_DURATION_MINUTES, `must be from 1 to ${MAX_DURATION_MINUTES} minutes`)
  .meta({ description: 'Duration in minutes.', examples: [30] });

/** An entry of the price list: a setting of the practice. */
export const procedureSchema = z
  .strictObject({
    _id: ownId('01JB00000000000000PR0CED00'),
    name: text(500)
      .min(1, 'must not be empty')
      .meta({
        description: 'Name of the procedure.',
        examples: ['Check-up'],
      }),
    code: text(100)
      .optional()
      .meta({ description: 'Code of the procedure in the fee schedule of the country.', examples: ['2060'] }),
    price: decimalPrice.optional(),
    currency: currency.optional(),
    durationMinutes,
    bookable: z
      .boolean({ error: 'must be true or false' })
      .meta({ description: 'Whether patients may book the procedure themselves.', examples: [true] }),
    clinicIds: clinicIds.optional().describe('The clinics that offer the procedure; absent: all of them.'),
  })
  .meta({ id: 'Procedure', description: 'An entry of the price list.' });
export type Procedure = z.infer<typeof procedureSchema>;

const { name, code, price, bookable, clinicIds: ofClinics } = procedureSchema.shape;
const details = {
  code: code.nullish(),
  price: price.nullish(),
  currency: currency.nullish(),
  bookable: bookable.optional(),
  clinicIds: ofClinics.nullish(),
};

/** The body of POST /api/procedures. `null` for an optional field is the same as leaving it out. */
export const procedureCreateSchema = z
  .strictObject({ name, durationMinutes, ...details })
  .meta({ id: 'ProcedureCreate' });
export type ProcedureCreate = z.infer<typeof procedureCreateSchema>;

/** The body of PUT /api/procedures/{procedureId}. `_id` must equal the path. */
export const procedureUpdateSchema = z
  .strictObject({
    _id: sentBack._id,
    name: name.optional(),
    durationMinutes: durationMinutes.optional(),
    ...details,
  })
  .meta({ id: 'ProcedureUpdate' });
export type ProcedureUpdate = z.infer<typeof procedureUpdateSchema>;

/** @returns no issue, or one for `currency` */
export const procedurePriceIssues = ({
  price: amount,
  currency: unit,
}: Pick<Procedure, 'price' | 'currency'>): Issue[] =>
  amount === undefined || unit !== undefined
    ? []
    : [{ path: 'currency', message: 'must be given with a price', code: 'required' }];
