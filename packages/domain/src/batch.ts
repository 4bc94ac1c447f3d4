import { z } from 'zod';
import { appointmentSchema } from './appointment.ts';
import { errorSchema } from './errors.ts';
import { listOf } from './list.ts';
import { patientSchema } from './patient.ts';
import type { ResourceLimit } from './resource-limit.ts';
import { externalId, id, text } from './text.ts';

/** Maximum number of writes in a batch. */
export const MAX_WRITES = 500;
/** The largest body of a batch, in bytes. */
export const MAX_BATCH_BYTES = 1024 * 1024;
/** How many rows an API key, or an operator, may send in a minute. */
export const ROWS_OF_PRINCIPAL = 8000;
/** So many bytes of the body of a batch count as a write, if they are more than its writes. */
export const BYTES_OF_ROW = 2048;
/** How many rows an organization may send in a minute. */
export const ROWS_OF_ORGANIZATION = 16_000;

export const writeMethods = ['create', 'update', 'upsert', 'delete'] as const;
export type WriteMethod = (typeof writeMethods)[number];
export const writeKinds = ['patient', 'appointment'] as const;
export type WriteKind = (typeof writeKinds)[number];

/** The fields of a write in a batch, besides its body. Which of them it may have depends on its method. */
const writeSchema = z
  .strictObject({
    method: z
      .enum(writeMethods, { error: `must be one of ${writeMethods.join(', ')}` })
      .meta({ description: 'What to do, like the single call.', examples: ['upsert'] }),
    kind: z
      .enum(writeKinds, { error: `must be one of ${writeKinds.join(', ')}` })
      .meta({ description: 'The kind of record.', examples: ['patient'] }),
    _id: id.optional().meta({ description: 'Names the record of an update or a deletion.' }),
    externalId: externalId.optional().meta({
      description: 'Names the record of an upsert, or instead of `_id`. A creation has it in its body.',
      examples: ['pms:4711'],
    }),
    ifMatch: text(1000)
      .optional()
      .meta({ description: 'The version that the record must have, like the header `If-Match`.' }),
    body: z
      .record(z.string(), z.unknown(), { error: 'must be an object' })
      .optional()
      .meta({
        description: 'The body of the single call.',
        examples: [{ clinicId: '01JB0000000000000000CHN1C0', name: 'Test Patient' }],
      }),
  })
  .meta({ description: 'A write in a batch.' });
export type BatchWrite = z.infer<typeof writeSchema>;

const oneName = ({ _id, externalId: named }: BatchWrite): boolean =>
  (_id === undefined) !== (named === undefined);

/** A write with all rules about its fields: a malformed one is refused alone, and not the batch that has it. */
export const batchWriteSchema = writeSchema.superRefine((write, context) => {
  const refuse = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [path], message });
  const { method, body } = write;
  if (method === 'create') {
    for (const name of ['_id', 'externalId', 'ifMatch'] as const)
      if (write[name] !== undefined) refuse(name, 'must not be sent with the method create');
  } else if (method === 'upsert') {
    if (write._id !== undefined) refuse('_id', 'must not be sent with the method upsert');
    if (write.externalId === undefined) refuse('externalId', 'is required with the method upsert');
  } else if (!oneName(write)) refuse('externalId', 'must be sent, or _id, and not both');
  if (method === 'delete' && body !== undefined) refuse('body', 'must not be sent with the method delete');
  if (method !== 'delete' && body === undefined) refuse('body', `is required with the method ${method}`);
});

/** The body of POST /api/batch. Each write is checked on its own. */
export const batchSchema = z
  .strictObject({
    // A malformed write is refused alone, so each is read on its own.
    writes: listOf(z.unknown().meta({ documented: writeSchema }), MAX_WRITES)
      .refine((writes) => writes.length > 0, 'must have at least one entry')
      .meta({
        description: `The writes, at most ${MAX_WRITES}.`,
        examples: [
          [
            {
              method: 'upsert',
              kind: 'patient',
              externalId: 'pms:4711',
              body: { clinicId: '01JB0000000000000000CHN1C0', name: 'Test Patient' },
            },
          ],
        ],
      }),
    return: z
      .literal('minimal', { error: 'must be minimal' })
      .optional()
      .meta({ description: 'With `minimal`, the results have no records.', examples: ['minimal'] }),
  })
  .meta({ id: 'Batch' });

const resultSchema = z
  .object({
    status: z.int().meta({ description: 'The status that the single call would have.', examples: [200] }),
    _id: z.string().optional().describe('The record that was written, or read if nothing has changed.'),
    created: z.boolean().optional().describe('Whether the write has created the record.'),
    changed: z.boolean().optional().describe('Whether the write has changed something, and sent an event.'),
    record: z
      .union([patientSchema, appointmentSchema])
      .optional()
      .describe('The record, like the response of the single call.'),
    error: errorSchema.optional().describe('The error that the single call would respond with.'),
    retryAfter: z
      .int()
      .optional()
      .describe('The number of seconds after which the write may be sent again: the header `Retry-After`.'),
  })
  .meta({ id: 'WriteResult', description: 'The result of a write in a batch.' });
export type WriteResult = z.infer<typeof resultSchema>;

export const batchResultSchema = z
  .object({ results: z.array(resultSchema).describe('The results, in the order of the writes.') })
  .meta({ id: 'BatchResult', description: 'The results of a batch.' });

const part = 'Writing';
export const batchLimits: readonly ResourceLimit[] = [
  {
    id: 'batch_writes',
    part,
    resource: 'Writes of one batch',
    value: MAX_WRITES,
    unit: 'writes',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
];
