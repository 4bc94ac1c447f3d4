import { counted } from '@chairside/concurrency';
import { type Issue, type IssueCode, MAX_ISSUES, Refusal, validationError } from '@chairside/domain';
import { isDecodable } from '@chairside/http-server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { furtherIssues, idIssues } from './further-issues.ts';

const PARTS = { params: 'params', querystring: 'query', body: 'body' } as const;
type Part = keyof typeof PARTS;
type Schemas = { [part in Part]?: z.ZodType };

const noQuery = z.strictObject({});

const CODES: Readonly<Partial<Record<z.core.$ZodIssue['code'], IssueCode>>> = {
  invalid_type: 'wrong_type',
  too_big: 'too_large',
  too_small: 'too_small',
  unrecognized_keys: 'unknown',
};
/** @param issue one whose message says what is wrong */
const codeOf = (issue: z.core.$ZodIssue): IssueCode => {
  const { params } = issue as { params?: { code?: IssueCode } };
  return params?.code ?? CODES[issue.code] ?? 'invalid';
};

const toIssues = (issue: z.core.$ZodIssue, part: Part, sent: unknown): Issue[] => {
  const path = issue.path.join('.');
  // A schema with a message of its own for unknown fields does not show their names.
  if (issue.code === 'unrecognized_keys' && issue.message.startsWith('Unrecognized key')) {
    const thing = part === 'querystring' ? 'query parameter' : 'field';
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      path: [...issue.path, key].join('.'),
      message: `is not a known ${thing}`,
      code: 'unknown',
    }));
  }
  if (part === 'querystring' && Array.isArray((sent as Record<string, unknown>)[path]))
    return [{ path, message: 'must occur only once', code: 'repeated' }];
  if (issue.code === 'invalid_type' && part === 'body' && path === '')
    return [{ path, message: 'The body must be a JSON object', code: 'wrong_type' }];
  if (issue.input === undefined && issue.code !== 'custom')
    return [{ path, message: 'is required', code: 'required' }];
  return [{ path, message: issue.message, code: codeOf(issue) }];
};

const unknownIn = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);

/**
 * The issues of the option of a union that the caller most likely means: the one with the fewest unknown fields. Of
 * several, the first.
 */
const withoutUnions = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const [meant = []] = issue.errors.toSorted((one, other) => unknownIn(one) - unknownIn(other));
    return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  });

/** How many issues of the response an issue of zod represents. */
const countOf = (issue: z.core.$ZodIssue): number =>
  issue.code === 'unrecognized_keys' ? issue.keys.length : 1;

/** The issues of a value, at most as many as one response lists, and how many there are. */
export const issuesOf = (
  { issues }: z.ZodError,
  part: Part,
  sent: unknown,
): { issues: Issue[]; total: number } => {
  const all = withoutUnions(issues);
  return {
    issues: all.flatMap((issue) => toIssues(issue, part, sent)).slice(0, MAX_ISSUES),
    total: all.reduce((sum, issue) => sum + countOf(issue), 0),
  };
};

const furtherOf = async (request: FastifyRequest, known: readonly Issue[]): Promise<Issue[]> => {
  const {
    body,
    method,
    principal,
    routeOptions: { config },
  } = request;
  const isWrite = (method === 'POST' || method === 'PUT') && config.reads !== true;
  if (!isWrite || principal === undefined) return [];
  return furtherIssues(request, { body, isCreation: method === 'POST', alsoCheck: config.alsoCheck }, known);
};

/**
 * Checks path, query and body of a request against the zod schemas of its route. It reports all issues at once, up to
 * the limit of one response, and with them those that only the handler would find. A route without a schema for its query accepts no query.
 */
export const validation = (app: FastifyInstance): void => {
  // Disables Fastify's own validation, which would stop at the first invalid part.
  app.setValidatorCompiler(() => (value) => ({ value }));

  app.addHook('onRoute', (route) => {
    route.schema = { querystring: noQuery, ...route.schema };
  });

  app.addHook('preValidation', async (request) => {
    // Fastify does not refuse a query parameter that cannot be decoded.
    if (!isDecodable(request.originalUrl)) {
      throw new Refusal('BadRequest', 'The query string is not valid. Percent-encode it as UTF-8.');
    }
    const schemas = (request.routeOptions.schema ?? {}) as Schemas;
    const issues: Issue[] = [];
    let total = 0;
    for (const [part, property] of Object.entries(PARTS) as [Part, (typeof PARTS)[Part]][]) {
      const result = counted(() => schemas[part]?.safeParse(request[property], { reportInput: true }));
      if (result?.success) request[property] = result.data;
      else if (result !== undefined) {
        const found = issuesOf(result.error, part, request[property]);
        issues.push(...found.issues);
        total += found.total;
      }
    }
    issues.push(...idIssues(request));
    if (issues.length === 0) return;
    const further = await furtherOf(request, issues);
    throw validationError([...issues, ...further], Math.max(total, issues.length) + further.length);
  });
};
