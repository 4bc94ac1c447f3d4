import { z } from 'zod';
import { roleSchema, scopeSchema } from './principal.ts';
import type { ResourceLimit } from './resource-limit.ts';

const issueSchema = z.object({
  path: z.string().meta({ description: 'Where, as a dotted path.', examples: ['clinicId'] }),
  message: z.string().meta({ description: 'What to do about it.', examples: ['is required'] }),
});
/** One thing that is wrong with a request. */
export type Issue = z.infer<typeof issueSchema>;

/** The most issues in one answer. */
export const MAX_ISSUES = 100;
/** The most bytes of JSON that the issues of one answer have together. */
export const MAX_ISSUES_BYTES = 24_576;
/** The longest path or message of an issue, in characters: an unknown key is as long as its sender likes. */
const MAX_ISSUE_TEXT = 200;
/** The longest `message` of a ValidationError, in characters. */
const MAX_MESSAGE = 2000;

/** The stable names of refusals; the error handler of the api maps each to one HTTP status. */
export const refusalNames = [
  'ValidationError',
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'MethodNotAllowed',
  'Conflict',
  'PreconditionFailed',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'TooManyRequests',
  'ServiceUnavailable',
] as const;
export type RefusalName = (typeof refusalNames)[number];

/** The one body of every failure. */
export const errorSchema = z
  .object({
    message: z.string().describe('What is wrong and what to do about it, for people.'),
    name: z
      .enum([...refusalNames, 'RequestTimeout', 'InternalServerError'])
      .describe('What is wrong, for programs.'),
    statusCode: z.int().describe('The status of the answer.'),
    details: z
      .looseObject({
        requestId: z.string().describe('The same as in `X-Request-Id`: name it when you ask us.'),
        issues: z
          .array(issueSchema)
          .optional()
          .describe(
            `With a ValidationError: everything that is wrong, at most ${MAX_ISSUES} issues of ${MAX_ISSUES_BYTES} bytes together.`,
          ),
        moreIssues: z
          .int()
          .optional()
          .describe('With a ValidationError: how many more issues there are than `issues` lists.'),
        requiredScope: scopeSchema.optional().describe('With a 403: the scope that the key lacks.'),
        requiredRole: roleSchema.optional().describe('With a 403: the role that is needed.'),
        requiredConfirmation: z
          .literal('password')
          .optional()
          .describe(
            'With a 403: enter the password again with `POST /api/sessions/current/confirm`, then repeat the request.',
          ),
        requiredPasswordChange: z
          .literal(true)
          .optional()
          .describe(
            'With a 403: somebody else has chosen your password. Change it with `PUT /api/sessions/current/password`.',
          ),
      })
      .describe('More about it.'),
  })
  .meta({ id: 'Error', description: 'The one body of every failure.' });
export type ErrorBody = z.infer<typeof errorSchema>;

/**
 * A request that is refused for a reason that the caller may know.
 * `message` and `details` are public; `cause` is for the log.
 */
export class Refusal extends Error {
  override readonly name: RefusalName;
  readonly details: Record<string, unknown>;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;
  /** The id of the `ResourceLimit` that the request exceeded, if that is the reason. */
  readonly limit: string | undefined;

  constructor(
    name: RefusalName,
    message: string,
    options: { details?: Record<string, unknown>; retryAfter?: number; limit?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = name;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter;
    this.limit = options.limit;
  }
}

/** A text of at most so many characters; a longer one ends in an ellipsis. */
const shortened = (value: string, max: number): string =>
  value.length <= max ? value : `${value.slice(0, max - 1).toWellFormed()}…`;

/** The first issues, as far as they are within the bounds of one answer. */
const withinBounds = (issues: readonly Issue[]): Issue[] => {
  const kept: Issue[] = [];
  let bytes = 0;
  for (const { path, message } of issues.slice(0, MAX_ISSUES)) {
    const issue = { path: shortened(path, MAX_ISSUE_TEXT), message: shortened(message, MAX_ISSUE_TEXT) };
    bytes += new TextEncoder().encode(JSON.stringify(issue)).length;
    if (bytes > MAX_ISSUES_BYTES) break;
    kept.push(issue);
  }
  return kept;
};

/**
 * A refusal of what was sent, with everything that is wrong with it, up to the bounds of one answer: a body within its
 * limit can have more than a hundred thousand faults.
 *
 * @param total how many issues there are, if `issues` are only the first of them
 */
export const validationError = (issues: readonly Issue[], total: number = issues.length): Refusal => {
  const kept = withinBounds(issues);
  const more = total - kept.length;
  const texts = kept.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const joined = shortened(texts.join('; '), MAX_MESSAGE);
  return new Refusal(
    'ValidationError',
    `The request is not valid: ${joined}${more > 0 ? `; and ${more} more` : ''}.`,
    { details: { issues: kept, ...(more > 0 && { moreIssues: more }) } },
  );
};

/** The same words for a record that never existed and for one of another organization. */
export const notFound = (): Refusal => new Refusal('NotFound', 'There is no such record.');

export const issueLimits: readonly ResourceLimit[] = [
  {
    id: 'issues',
    part: 'Connections and requests',
    resource: 'Issues in one answer',
    value: MAX_ISSUES,
    unit: 'issues',
    beyond: 'the rest is counted in `details.moreIssues`',
  },
  {
    id: 'issue_bytes',
    part: 'Connections and requests',
    resource: 'Issues in one answer, together',
    value: MAX_ISSUES_BYTES / 1024,
    unit: 'KiB',
    beyond: 'the rest is counted in `details.moreIssues`',
  },
];
