import { z } from 'zod';
import { roleSchema, scopeSchema } from './principal.ts';

const issueSchema = z.object({
  path: z.string().meta({ description: 'Where, as a dotted path.', examples: ['clinicId'] }),
  message: z.string().meta({ description: 'What to do about it.', examples: ['is required'] }),
});
/** One thing that is wrong with a request. */
export type Issue = z.infer<typeof issueSchema>;

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
    name: z.enum([...refusalNames, 'InternalServerError']).describe('What is wrong, for programs.'),
    statusCode: z.int().describe('The status of the answer.'),
    details: z
      .looseObject({
        requestId: z.string().describe('The same as in `X-Request-Id`: name it when you ask us.'),
        issues: z
          .array(issueSchema)
          .optional()
          .describe('With a ValidationError: all that is wrong, at once.'),
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

  constructor(
    name: RefusalName,
    message: string,
    options: { details?: Record<string, unknown>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = name;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter;
  }
}

/** A refusal of what was sent, with all that is wrong with it. */
export const validationError = (issues: Issue[]): Refusal =>
  new Refusal(
    'ValidationError',
    `The request is not valid: ${issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ')}.`,
    { details: { issues } },
  );

/** The same words for a record that never existed and for one of another organization. */
export const notFound = (): Refusal => new Refusal('NotFound', 'There is no such record.');
