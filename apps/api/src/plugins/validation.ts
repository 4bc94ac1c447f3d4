import { type Issue, validationError } from '@chairside/domain';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

const toIssues = (issue: z.core.$ZodIssue, part: string | undefined): Issue[] => {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const thing = part === 'querystring' ? 'query parameter' : 'field';
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join('.'),
      message: `is not a known ${thing}`,
    }));
  }
  if (part === 'querystring' && Array.isArray(issue.input))
    return [{ path, message: 'must be given only once' }];
  if (part === 'body' && path === '') return [{ path, message: 'The body must be a JSON object' }];
  if (issue.input === undefined && issue.code !== 'custom') return [{ path, message: 'is required' }];
  return [{ path, message: issue.message }];
};

/** Checks a part of a request against the zod schema of its route, and tells everything that is wrong at once. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    const result = schema.safeParse(data ?? undefined, { reportInput: true });
    if (result.success) return { value: result.data };
    return { error: validationError(result.error.issues.flatMap((issue) => toIssues(issue, httpPart))) };
  };
