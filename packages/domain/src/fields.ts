import { z } from 'zod';
import { instant } from './instant.ts';
import { externalId as externalIdText, id } from './text.ts';

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

/** The id of the object itself in somebody's own system. */
export const externalId = externalIdText.meta({
  description:
    'The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.',
  examples: ['pms:4711'],
});

/** The external id of a patient, instead of the `_id`. */
export const patientExternalId = externalIdText.meta({
  description: 'The `externalId` of the patient, instead of `patientId`.',
  examples: ['pms:4711'],
});

export const createdTime = timeOf('When the record was created.', '2030-01-15T08:00:00.000Z');
export const lastEditTime = timeOf(
  'Time of the last change. It is always later than that of the previous version.',
);
export const creationTime = timeOf('When the record was created.', '2030-01-15T08:00:00.000Z');

/** A field in the body of a PUT that only the server sets. It is accepted and ignored. */
export const ignored = z
  .unknown()
  .optional()
  .describe('Set by the server. It may be sent back and is ignored.');

/** What only the server sets, in the body of a PUT. */
export const sentBack = {
  _id: id.optional().describe('Optional. It must be the `_id` of the record.'),
  createdTime: instant.optional().describe('Set by the server. It may be sent back and is ignored.'),
  lastEditTime: instant.optional().describe('Set by the server. It may be sent back and is ignored.'),
};
