import { type Issue, validationError } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const PARTS = { params: 'params', querystring: 'query', body: 'body' } as const;
type Part = keyof typeof PARTS;
type Schemas = { [part in Part]?: z.ZodType };

const noQuery = z.strictObject({});

const toIssues = (issue: z.core.$ZodIssue, part: Part, sent: unknown): Issue[] => {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const thing = part === 'querystring' ? 'query parameter' : 'field';
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join('.'),
      message: `is not a known ${thing}`,
    }));
  }
  if (part === 'querystring' && Array.isArray((sent as Record<string, unknown>)[path]))
    return [{ path, message: 'must be given only once' }];
  if (issue.code === 'invalid_type' && part === 'body' && path === '')
    return [{ path, message: 'The body must be a JSON object' }];
  if (issue.input === undefined && issue.code !== 'custom') return [{ path, message: 'is required' }];
  return [{ path, message: issue.message }];
};

/**
 * Checks path, query and body of a request against the zod schemas of its route, and tells everything that is wrong
 * with all of them at once. A route without a schema for its query takes none.
 */
export const validation = (app: FastifyInstance): void => {
  // The framework would stop at the first part that is wrong.
  app.setValidatorCompiler(() => (value) => ({ value }));

  app.addHook('onRoute', (route) => {
    route.schema = { querystring: noQuery, ...route.schema };
  });

  app.addHook('preValidation', async (request) => {
    const schemas = (request.routeOptions.schema ?? {}) as Schemas;
    const issues: Issue[] = [];
    for (const [part, property] of Object.entries(PARTS) as [Part, (typeof PARTS)[Part]][]) {
      const result = schemas[part]?.safeParse(request[property], { reportInput: true });
      if (result?.success) request[property] = result.data;
      else if (result !== undefined)
        issues.push(...result.error.issues.flatMap((issue) => toIssues(issue, part, request[property])));
    }
    if (issues.length > 0) throw validationError(issues);
  });
};
