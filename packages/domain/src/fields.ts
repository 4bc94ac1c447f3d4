import { z } from 'zod';
import { instant } from './instant.ts';
import { id } from './text.ts';

/*
 * What the reference says of fields that many schemas have, written once. Examples are made up and fit together:
 * the reference composes them to whole records.
 */

const EXAMPLE_TIME = '2030-01-31T09:30:00.000Z';

/** An identifier, as the reference shows it. */
export const idOf = (what: string, example: string) =>
  id.meta({ description: `The \`_id\` of ${what}.`, examples: [example] });

/** A time, as the reference shows it. */
export const timeOf = (description: string, example: string = EXAMPLE_TIME) =>
  instant.meta({ description, examples: [example] });

export const clinicId = idOf('the clinic that it belongs to', '01JB0000000000000000CHN1C0');
export const patientId = idOf('the patient', '01JB0000000000000000PAT1E0');
export const appointmentId = idOf('the appointment', '01JB00000000000000APP01NT0');
export const invoiceId = idOf('the invoice', '01JB00000000000000001NV010');
export const procedureId = idOf(
  'the procedure in the price list of the practice',
  '01JB00000000000000PR0CED00',
);

/** The `_id` of a record itself. */
export const ownId = (example: string) =>
  id.meta({
    description: 'Identifier, made by the server: opaque, never used again for another record.',
    examples: [example],
  });

export const lastEditTime = timeOf('When it was last written: always later than the version before.');
export const creationTime = timeOf('When it was created.', '2030-01-15T08:00:00.000Z');

/** What the server owns, in the body of a PUT. */
export const ignored = z.unknown().optional().describe('Set by the server: may be sent back and is ignored.');

/** `_id` and `lastEditTime` in the body of a PUT. */
export const sentBack = {
  _id: id.optional().describe('Must equal the id in the path when it is sent.'),
  lastEditTime: instant.optional().describe('Set by the server: may be sent back and is ignored.'),
};
