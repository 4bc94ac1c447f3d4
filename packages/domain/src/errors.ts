import { z } from 'zod';
import { factorKinds } from './factor.ts';
import { MAX_ISSUES } from './list.ts';
import { roleSchema, scopeSchema } from './principal.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** The kinds of issues. A name never changes its meaning. */
export const issueCodes = [
  'required',
  'unknown',
  'repeated',
  'wrong_type',
  'too_large',
  'too_small',
  'invalid',
  'not_found',
  'taken',
  'limit_reached',
  'read_only',
] as const;
export type IssueCode = (typeof issueCodes)[number];

const issueSchema = z.object({
  path: z.string().meta({ description: 'The field, as a dotted path.', examples: ['clinicId'] }),
  message: z.string().meta({ description: 'What the field must be.', examples: ['is required'] }),
  code: z.enum(issueCodes).meta({
    description:
      'The kind of the issue, for programs. `required`: it is absent. `unknown`: there is no field or parameter of this name. `repeated`: the parameter occurs more than once. `wrong_type`: another JSON type. `too_large`, `too_small`: too long, too many or too high, or the opposite. `not_found`: it names nothing in the organization. `taken`: something else has it. `limit_reached`: there is the maximum already. `read_only`: it cannot be set or changed. `invalid`: any other value that is not accepted. Later versions may add kinds.',
    examples: ['required'],
  }),
});
/** One problem of a request or of a line of an import. Without a code, it is `invalid`. */
export type Issue = { path: string; message: string; code?: IssueCode };

/** The kinds of conflicts. A name never changes its meaning. */
export const conflictCodes = [
  'idempotency_key_reused',
  'idempotency_key_in_flight',
  'idempotency_record_deleted',
  'later_write_made',
  'time_not_free',
  'external_id_taken',
  'subscription_replaced',
  'replacement_exists',
  'replacement_pending',
  'delivery_not_final',
  'event_expired',
  'last_administrator',
  'not_invited',
  'no_mail',
  'factor_exists',
  'own_factors',
  'no_factor',
  'passkeys_off',
  'session_ended',
  'app_changed',
  'too_many_connections',
] as const;
export type ConflictCode = (typeof conflictCodes)[number];

/** Maximum size of all issues in one response, in bytes of JSON. */
export const MAX_ISSUES_BYTES = 24_576;
/** The maximum length of an issue's path or message, in characters. Keys in a request can be long. */
const MAX_ISSUE_TEXT = 200;
/** The maximum length of the joined issues in the `message` of a ValidationError, in characters. */
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
  'LogExpired',
  'PreconditionFailed',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'TooManyRequests',
  'ServiceUnavailable',
] as const;
export type RefusalName = (typeof refusalNames)[number];

/** The body of every error response. */
export const errorSchema = z
  .object({
    message: z
      .string()
      .describe('Describes for people what is wrong and what to do. The wording may change.'),
    name: z
      .enum([...refusalNames, 'RequestTimeout', 'InternalServerError'])
      .describe('The kind of error, for programs.'),
    statusCode: z.int().describe('The status of the response.'),
    details: z
      .looseObject({
        requestId: z.string().describe('The same as `X-Request-Id`. Quote it when you contact us.'),
        issues: z
          .array(issueSchema)
          .optional()
          .describe(
            `ValidationError only: every issue found, at most ${MAX_ISSUES} issues and ${MAX_ISSUES_BYTES} bytes in all.`,
          ),
        moreIssues: z
          .int()
          .optional()
          .describe('ValidationError only: the number of issues that `issues` does not list.'),
        code: z
          .enum(conflictCodes)
          .optional()
          .describe('409 only: the kind of the conflict, for programs. Later versions may add kinds.'),
        requiredScope: scopeSchema.optional().describe('403 only: the scope that the key lacks.'),
        requiredRole: roleSchema.optional().describe('403 only: the required role.'),
        requiredConfirmation: z
          .enum(['password', 'factors'])
          .optional()
          .describe(
            '403 only: confirm the password with `POST /api/sessions/current/confirm`, with `for: "factors"` if this is `factors`; then repeat the request.',
          ),
        requiredSecondFactor: z
          .array(z.enum(factorKinds))
          .optional()
          .describe(
            '401 without a session and 403 inside one: the password is right, and the operator has a factor. Answer `challenge` in one of these ways. 401 with a `challenge` in the request: the answer was wrong; the same challenge can be answered again, up to five times.',
          ),
        challenge: z
          .string()
          .optional()
          .describe(
            'With `requiredSecondFactor`: what the answer belongs to, for five minutes. For a passkey, it is the challenge of WebAuthn, in base64url.',
          ),
        requiredFactor: z
          .literal(true)
          .optional()
          .describe(
            '403 only: your organization requires a factor besides the password. Add a passkey or an app with `POST /api/sessions/current/factors/…`.',
          ),
        requiredPasswordChange: z
          .literal(true)
          .optional()
          .describe(
            '403 only: somebody else chose your password. Change it with `PUT /api/sessions/current/password`.',
          ),
        earliestTime: z.iso
          .datetime()
          .optional()
          .describe('410 only: the event log contains all events that entered it at this time or later.'),
        _id: z
          .string()
          .optional()
          .describe('409 only: the record that has the external id, if the caller may read it.'),
        replacedBy: z.string().optional().describe('409 only: the subscription that replaces this one.'),
        reason: z
          .string()
          .optional()
          .describe(
            '409 of a booking with `onlyIfFree`: why the time is not free. The values are those of `reason` in `GET /api/availability`. 409 of an external id that another record has: `external_id_taken`. 403 of every request: `organization_suspended`, if the operator of the service has suspended the access of the organization.',
          ),
        nextSlots: z
          .array(z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) }))
          .optional()
          .describe(
            '409 of a booking with `onlyIfFree`: the next three free slots of this length, at this time or later, in local time of the clinic. Fewer if there are no more within 31 days.',
          ),
        wrongProxySecret: z
          .literal(true)
          .optional()
          .describe(
            '403 only: the dashboard that forwarded the request has another `PROXY_SECRET` than the api.',
          ),
      })
      .describe('Details of the error.'),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });
export type ErrorBody = z.infer<typeof errorSchema>;

/**
 * Refuses a request for a reason that the caller may see. `message` and `details` are public; `cause` is for the log
 * only.
 */
export class Refusal extends Error {
  override readonly name: RefusalName;
  readonly details: Record<string, unknown>;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /**
   * The id of the `ResourceLimit` that the request exceeded, for the metrics; undefined if the refusal names no limit.
   */
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

/** Refuses a request that conflicts with the current state. */
export const conflict = (
  code: ConflictCode,
  message: string,
  { details = {}, retryAfter }: { details?: Record<string, unknown>; retryAfter?: number } = {},
): Refusal =>
  new Refusal('Conflict', message, {
    details: { code, ...details },
    ...(retryAfter !== undefined && { retryAfter }),
  });

/** Shortens a text to at most `max` characters. A shortened text ends in an ellipsis. */
const shortened = (value: string, max: number): string =>
  value.length <= max ? value : `${value.slice(0, max - 1).toWellFormed()}…`;

/** The first issues that fit within the limits of one response. */
const withinBounds = (issues: readonly Issue[]): Required<Issue>[] => {
  const kept: Required<Issue>[] = [];
  let bytes = 0;
  for (const { path, message, code = 'invalid' } of issues.slice(0, MAX_ISSUES)) {
    const issue = {
      path: shortened(path, MAX_ISSUE_TEXT),
      message: shortened(message, MAX_ISSUE_TEXT),
      code,
    };
    bytes += new TextEncoder().encode(JSON.stringify(issue)).length;
    if (bytes > MAX_ISSUES_BYTES) break;
    kept.push(issue);
  }
  return kept;
};

/**
 * Refuses a request with the issues found, up to the limits of one response. The limits are needed, because a body can
 * have very many issues.
 *
 * @param total the number of all issues, if `issues` contains only the first of them
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

/** The response is the same for a record that does not exist and for a record of another organization. */
export const notFound = (): Refusal => new Refusal('NotFound', 'There is no such record.');

export const issueLimits: readonly ResourceLimit[] = [
  {
    id: 'issues',
    part: 'Connections and requests',
    resource: 'Issues that one error lists',
    value: MAX_ISSUES,
    unit: 'issues',
    beyond: '`details.moreIssues` is the number of the other issues that were found',
  },
  {
    id: 'issue_bytes',
    part: 'Connections and requests',
    resource: 'Size of all issues that one error lists',
    value: MAX_ISSUES_BYTES / 1024,
    unit: 'KiB',
    beyond: '`details.moreIssues` is the number of the other issues',
  },
];
