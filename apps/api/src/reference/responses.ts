import type { ErrorBody } from '@chairside/domain';
import type { JsonSchema } from './schemas.ts';

const REQUEST_ID = '01JB00000000000REQVEST1D00';

const text = (description: string, example: string): JsonSchema => ({
  description,
  schema: { type: 'string' },
  example,
});

/** The documented headers of responses. */
export const headers = {
  'X-Request-Id': text('The id of the request. Quote it when you report a problem.', REQUEST_ID),
  'RateLimit-Policy': text(
    'The requests (`q`) that the API key or access token may make in a window (`w`, in seconds). The responses of writes also have `"event-bytes"`: the bytes that the events of the organization may have.',
    '"key";q=600;w=60, "event-bytes";q=67108864;w=60;qu="content-bytes"',
  ),
  RateLimit: text(
    'The remaining quota of each policy (`r`), and the seconds until the window ends (`t`).',
    '"key";r=598;t=41, "event-bytes";r=66934211;t=41',
  ),
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
    example: 2,
  },
  'WWW-Authenticate': text(
    'The two authentication schemes.',
    'Basic realm="Chairside API key", charset="UTF-8", Token realm="Chairside operator"',
  ),
  ETag: text('The version of the record, for `If-Match` and `If-None-Match`.', '"3"'),
  'Idempotent-Replayed': {
    description: 'The request is a retry. The response contains the result of the first request.',
    schema: { const: 'true' },
    example: 'true',
  },
  'X-Record-Created': text('Whether the request has created the record.', 'false'),
  'X-Record-Changed': text(
    'Whether the request has written something, and sent an event. A created record is changed, too.',
    'true',
  ),
  Link: text(
    'The URL of the next page. Absent on the last page.',
    '</api/patients?limit=100&cursor=AbC>; rel="next"',
  ),
  'X-Next-Cursor': text('The `cursor` of the next page. Absent on the last page.', 'AbC'),
  'X-Resume-Cursor': text(
    'The `cursor` with which a later request continues after this page, the last page included. Send it with `order=asc` and the same `clinicId`, `event` and `recordId`.',
    'AbC',
  ),
} as const satisfies Record<string, JsonSchema>;
export type HeaderName = keyof typeof headers;

type Failure = {
  status: number;
  description: string;
  headers?: readonly HeaderName[];
  examples: Record<
    string,
    Omit<ErrorBody, 'statusCode' | 'details'> & { details?: Partial<ErrorBody['details']> }
  >;
};

/** Every failure that an operation can respond with. */
export const failures = {
  BadRequest: {
    status: 400,
    description:
      'The body, the query, the path or a header is not valid. `details.issues` lists up to 100 issues; `details.moreIssues` is the number of further issues.',
    examples: {
      ValidationError: {
        name: 'ValidationError',
        message: 'The request is not valid: clincId is not a known query parameter.',
        details: {
          issues: [{ path: 'clincId', message: 'is not a known query parameter', code: 'unknown' }],
        },
      },
      BadRequest: { name: 'BadRequest', message: 'The body is not valid JSON. Send a JSON object.' },
    },
  },
  Unauthorized: {
    status: 401,
    description: 'Credentials are missing or not valid.',
    headers: ['WWW-Authenticate'],
    examples: {
      Unauthorized: {
        name: 'Unauthorized',
        message: 'This API key is not valid. Check the secret, and encode only the secret in base64.',
      },
    },
  },
  ForbiddenScope: {
    status: 403,
    description: 'The API key lacks the required scope.',
    examples: {
      Forbidden: {
        name: 'Forbidden',
        message: 'This API key lacks the scope patients:write. Ask an administrator to add it.',
        details: { requiredScope: 'patients:write' },
      },
    },
  },
  ForbiddenRole: {
    status: 403,
    description:
      'The caller is not an operator with the required role, or the operator must first confirm or change the password.',
    examples: {
      Forbidden: {
        name: 'Forbidden',
        message:
          'This request needs an operator with the role administrator. Send the access token of such an operator.',
        details: { requiredRole: 'administrator' },
      },
      Confirmation: {
        name: 'Forbidden',
        message:
          'This request needs a confirmed password. Enter your password again with POST /api/sessions/current/confirm, then repeat the request.',
        details: { requiredRole: 'administrator', requiredConfirmation: 'password' },
      },
      PasswordChange: {
        name: 'Forbidden',
        message: 'Somebody else set your password. Change it with PUT /api/sessions/current/password first.',
        details: { requiredPasswordChange: true },
      },
    },
  },
  ForbiddenProxy: {
    status: 403,
    description: 'The request has the header `X-Proxy-Secret` with a wrong secret.',
    examples: {
      Forbidden: {
        name: 'Forbidden',
        message:
          'The X-Proxy-Secret is wrong. Set PROXY_SECRET of the api and of the dashboard to the same value.',
        details: { wrongProxySecret: true },
      },
    },
  },
  NotFound: {
    status: 404,
    description: 'The record does not exist or belongs to another organization.',
    examples: { NotFound: { name: 'NotFound', message: 'There is no such record.' } },
  },
  RequestTimeout: {
    status: 408,
    description: 'The request did not arrive in time. The connection is closed.',
    examples: {
      RequestTimeout: {
        name: 'RequestTimeout',
        message:
          'The request timed out. Its headers must arrive within 10 s, and the whole request within 30 s. Send it again.',
      },
    },
  },
  Conflict: {
    status: 409,
    description: 'The request conflicts with the current state.',
    headers: ['Retry-After'],
    examples: {
      Conflict: {
        name: 'Conflict',
        message: 'This Idempotency-Key was used with another body. Use a new key for a new request.',
        details: { code: 'idempotency_key_reused' },
      },
      ExternalIdTaken: {
        name: 'Conflict',
        message: 'Another record has this externalId. Send another one, or change the record that has it.',
        details: {
          code: 'external_id_taken',
          reason: 'external_id_taken',
          _id: '01JB0000000000000000PAT1E0',
        },
      },
      NotFree: {
        name: 'Conflict',
        message:
          'This time is not free: appointments fill all chairs. Choose another time, such as one of details.nextSlots.',
        details: {
          code: 'time_not_free',
          reason: 'fully_booked',
          nextSlots: [{ start: '2030-01-31T11:00:00+01:00', end: '2030-01-31T11:30:00+01:00' }],
        },
      },
    },
  },
  LogExpired: {
    status: 410,
    description: 'Events after `since` or `cursor` have expired from the log.',
    examples: {
      LogExpired: {
        name: 'LogExpired',
        message:
          'Events after this position have expired from the log, which is complete from 2030-01-01T00:00:00.001Z on. Read the full lists, and then the log from the time at which you began to read them. A request without since and cursor begins with the earliest event that is kept.',
        details: { earliestTime: '2030-01-01T00:00:00.001Z' },
      },
    },
  },
  PreconditionFailed: {
    status: 412,
    description:
      'The record has changed: `If-Match` does not contain its present version, or `If-None-Match: *` was sent and it exists.',
    examples: {
      PreconditionFailed: {
        name: 'PreconditionFailed',
        message: 'The record has changed since you read it. Read it again, then repeat your change.',
      },
    },
  },
  PayloadTooLarge: {
    status: 413,
    description: 'The body is too large.',
    examples: {
      PayloadTooLarge: {
        name: 'PayloadTooLarge',
        message: 'The body is larger than 262144 bytes. Send a smaller body.',
      },
    },
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The body must be `application/json` in UTF-8, without a `Content-Encoding`.',
    examples: {
      UnsupportedMediaType: {
        name: 'UnsupportedMediaType',
        message: 'Send the body as JSON, with the header Content-Type: application/json.',
      },
    },
  },
  TooManyRequests: {
    status: 429,
    description: 'A rate limit or another limit of the caller is exceeded.',
    headers: ['Retry-After'],
    examples: {
      TooManyRequests: {
        name: 'TooManyRequests',
        message: 'This API key may make at most 600 requests in 60 s. Try again in 41 s.',
      },
    },
  },
  InternalServerError: {
    status: 500,
    description: 'An internal error of the service.',
    examples: {
      InternalServerError: {
        name: 'InternalServerError',
        message:
          'An internal error occurred. Try again later. If the error persists, report it with its request id.',
      },
    },
  },
  ServiceUnavailable: {
    status: 503,
    description:
      'The database is unreachable or overloaded, too many requests change the record at once, or the process has reached another limit.',
    headers: ['Retry-After'],
    examples: {
      ServiceUnavailable: {
        name: 'ServiceUnavailable',
        message: 'The database is unreachable. Try again later.',
      },
    },
  },
} as const satisfies Record<string, Failure>;
export type FailureName = keyof typeof failures;

export const headersOf = (names: readonly HeaderName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const responseOf = ({ status, description, headers: own = [], examples }: Failure): JsonSchema => ({
  description,
  headers: headersOf(['X-Request-Id', 'RateLimit-Policy', 'RateLimit', ...own]),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(
        Object.entries(examples).map(([name, { details, ...example }]) => [
          name,
          { value: { ...example, statusCode: status, details: { ...details, requestId: REQUEST_ID } } },
        ]),
      ),
    },
  },
});

/** The failures, as components of the document. */
export const failureResponses = (): JsonSchema =>
  Object.fromEntries(Object.entries<Failure>(failures).map(([name, failure]) => [name, responseOf(failure)]));
