import { z } from 'zod';
import { instant } from './instant.ts';
import { id } from './text.ts';

/*
 * Descriptions of fields that many schemas have. The examples are made up and fit together, because the API reference
 * composes them into whole records.
 */

const EXAMPLE_TIME = '2030-01-31T09:30:00.000Z';

/** An identifier, with its description in the API reference. */
export const idOf = (what: string, example: string) =>
  id.meta({ description: `The \`_id\` of ${what}.`, examples: [example] });

/** A time, with its description in the API reference. */
export const timeOf = (description: string, example: string = EXAMPLE_TIME) =>
  instant.meta({ description, examples: [example] });

export const clinicId = idOf('the clinic that the record belongs to', '01JB0000000000000000CHN1C0');
export const patientId = idOf('the patient', '01JB0000000000000000PAT1E0');
export const appointmentId = idOf('the appointment', '01JB00000000000000APP01NT0');
export const invoiceId = idOf('the invoice', '01JB00000000000000001NV010');
export const procedureId = idOf(
  'the procedure in the price list of the practice',
  '01JB00000000000000PR0CED00',
);

/** The `_id` of the object itself. */
export const ownId = (example: string) =>
  id.meta({
    description: 'Identifier, created by the server. It is opaque and never reused.',
    examples: [example],
  });

export const lastEditTime = timeOf(
  'Time of the last change. It is always later than that of the previous version.',
);
export const creationTime = timeOf('When the record was created.', '2030-01-15T08:00:00.000Z');

/** A field in the body of a PUT that only the server sets. It is accepted and ignored. */
export const ignored = z
  .unknown()
  .optional()
  .describe('Set by the server. It may be sent back and is ignored.');

/** `_id` and `lastEditTime` in the body of a PUT. */
export const sentBack = {
  _id: id.optional().describe('Optional. It must equal the id in the path.'),
  lastEditTime: instant.optional().describe('Set by the server. It may be sent back and is ignored.'),
};
