import { counted, startSlice, step } from '@chairside/concurrency';
import {
  type BatchWrite,
  batchWriteSchema,
  type Issue,
  Refusal,
  type ResourceLimit,
  validationError,
} from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { furtherIssues, type SentBody } from '../http/further-issues.ts';
import { MAX_BODY_BYTES } from '../http/json-bodies.ts';
import { issuesOf } from '../http/validation.ts';

/** The deepest nesting of a write. What a record may contain is less deep. */
const MAX_DEPTH = 40;

export const batchWriteLimits: readonly ResourceLimit[] = [
  {
    id: 'batch_depth',
    part: 'Writing',
    resource: 'Nesting of one write in a batch',
    value: MAX_DEPTH,
    unit: 'levels',
    beyond: '400 ValidationError for the write',
    metric: 'chairside_api_refusals_total',
  },
];

/** Whether a JSON value is nested more deeply than a write may be. It does not recurse, because a body can be deep. */
const isTooDeep = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
};

const TOO_DEEP: Issue = { path: '', message: `must not be nested deeper than ${MAX_DEPTH} levels` };

const tooLarge = (): Refusal =>
  new Refusal('PayloadTooLarge', `The write is larger than ${MAX_BODY_BYTES} bytes. Send a smaller body.`, {
    limit: 'body',
  });

const refusalOfIssues = (error: z.ZodError, sent: unknown, further: readonly Issue[]): Refusal => {
  const { issues, total } = issuesOf(error, 'body', sent);
  return validationError([...issues, ...further], total + further.length);
};

/** A write, or why it is refused. */
export type ReadWrite = { write: BatchWrite } | { refusal: Error };

/**
 * Reads the writes of a batch.
 *
 * @returns them in their order, and a text that is the same for the same writes
 */
export const readWrites = async (
  sent: readonly unknown[],
): Promise<{ writes: ReadWrite[]; text: string }> => {
  const slice = startSlice();
  const writes: ReadWrite[] = [];
  const texts: string[] = [];
  for (const one of sent) {
    counted(() => {
      if (isTooDeep(one)) {
        writes.push({ refusal: validationError([TOO_DEEP]) });
        texts.push('too deep');
        return;
      }
      const text = JSON.stringify(one) ?? '';
      texts.push(text);
      writes.push(Buffer.byteLength(text) > MAX_BODY_BYTES ? { refusal: tooLarge() } : readOne(one));
    });
    if (slice.isOver()) await slice.pause();
  }
  return { writes, text: JSON.stringify(texts) };
};

const readOne = (sent: unknown): ReadWrite => {
  const result = batchWriteSchema.safeParse(sent, { reportInput: true });
  return result.success ? { write: result.data } : { refusal: refusalOfIssues(result.error, sent, []) };
};

/**
 * Reads the body of a write by the schema of its single call.
 *
 * @throws {Refusal} ValidationError with all issues that the single call would name
 */
export const readBody = async <T>(
  request: FastifyRequest,
  schema: z.ZodType<T>,
  sent: SentBody,
): Promise<T> => {
  const result = await step(() => schema.safeParse(sent.body, { reportInput: true }));
  if (result.success) return result.data;
  const known = issuesOf(result.error, 'body', sent.body).issues;
  throw refusalOfIssues(result.error, sent.body, await furtherIssues(request, sent, known));
};
