import { ServiceError } from '@chairside/domain';
import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { type Access, scopesOf } from '../http/authorization.ts';
import { type FailureName, failures, type HeaderName, headersOf } from './responses.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

/** The parts of a route's configuration that the reference uses. */
type Route = {
  method: string;
  access: Access;
  isIdempotent: boolean;
  isVersioned: boolean;
  /** Whether the entity tag covers the whole record, so that a GET can be conditional. */
  isConditional: boolean;
  /** Whether a PUT also creates the record. */
  isCreating: boolean;
  /** Whether a PUT creates the record if there is none, and tells in headers what it did. */
  isUpserting: boolean;
  isResumable: boolean;
  schema: NonNullable<RouteOptions['schema']>;
};

const readRoute = ({ method, config, schema = {} }: RouteOptions): Route => ({
  method: String(method),
  access: config?.access ?? 'public',
  isIdempotent: config?.idempotent === true,
  isVersioned: config?.versioned !== undefined,
  isConditional: config?.versioned === true,
  isCreating: config?.creates === true,
  isUpserting: config?.upserts === true,
  isResumable: config?.resumable === true,
  schema,
});

/** The sentence that states the required credentials of an operation. */
const credentialsFor = (access: Access): string => {
  if (access === 'public') return 'Needs no credentials.';
  if ('role' in access) {
    const whose = access.role === 'staff' ? '' : ` with the role \`${access.role}\``;
    const confirmation = access.confirmed
      ? ' The operator must have entered the password in the last ten minutes: at sign-in, or with `POST /api/sessions/current/confirm`.'
      : '';
    const program = access.program ? ', or a program token' : '';
    return `Needs the access token of an operator${whose}${program}.${confirmation}`;
  }
  if ('keysOnly' in access) return 'Needs an API key.';
  const scopes = scopesOf(access);
  if (scopes.length === 0) return 'Needs an API key, or the access token of an operator.';
  const program = access.program ? ', or a program token' : '';
  return `Needs an API key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}, or the access token of an operator${program}.`;
};

const securityOf = (access: Access): JsonSchema => {
  if (access === 'public') return { security: [] };
  if ('role' in access) {
    return { security: [{ accessToken: [access.role] }], 'x-required-role': access.role };
  }
  if ('keysOnly' in access) return { security: [{ apiKey: [] }] };
  const scopes = scopesOf(access);
  const keys = scopes.length === 0 ? [{ apiKey: [] }] : scopes.map((scope) => ({ apiKey: [scope] }));
  return {
    security: [...keys, { accessToken: [] }],
    ...(scopes.length > 0 && { 'x-required-scope': scopes.length === 1 ? scopes[0] : scopes }),
  };
};

/** The failures that an operation can respond with. */
const failuresOf = ({
  method,
  access,
  isIdempotent,
  isVersioned,
  isUpserting,
  schema,
}: Route): FailureName[] => {
  const isGuarded = access !== 'public';
  const hasBody = method !== 'GET';
  const own = schema.refusals ?? [];
  const applies: Record<FailureName, boolean> = {
    BadRequest: true,
    Unauthorized: isGuarded || own.includes(401),
    ForbiddenScope: isGuarded && !('role' in access),
    ForbiddenRole: isGuarded && 'role' in access,
    ForbiddenProxy: !isGuarded && own.includes(403),
    NotFound: (schema.params !== undefined && !isUpserting) || own.includes(404),
    Conflict: isIdempotent || own.includes(409),
    LogExpired: own.includes(410),
    PreconditionFailed: isVersioned && (method === 'PUT' || method === 'DELETE'),
    RequestTimeout: hasBody,
    PayloadTooLarge: hasBody,
    UnsupportedMediaType: hasBody,
    TooManyRequests: isGuarded || own.includes(429),
    InternalServerError: true,
    ServiceUnavailable: isGuarded || own.includes(503),
  };
  return (Object.keys(applies) as FailureName[]).filter((name) => applies[name]);
};

const shapeOf = (schema: unknown): Record<string, z.ZodType> =>
  schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};

const parametersOf = (
  schemas: Schemas,
  { method, isIdempotent, isVersioned, isConditional, isCreating, schema }: Route,
): JsonSchema[] => {
  const within = (place: 'path' | 'query', part: unknown) =>
    Object.entries(shapeOf(part)).map(([name, field]) => {
      const { description, examples, ...rest } = schemas.convert(field, 'input');
      // Zod omits the example of a transformed value, because the example might be one of the result.
      const example = (field.meta()?.examples as unknown[] | undefined)?.[0];
      if (typeof description !== 'string') throw new ServiceError(`the parameter ${name} has no description`);
      return {
        name,
        in: place,
        description,
        ...((place === 'path' || !field.safeParse(undefined).success) && { required: true }),
        ...(rest.type === 'array' && { style: 'form', explode: false }),
        schema: rest,
        ...(example !== undefined && { example }),
      };
    });
  const header = (name: string, isTaken: boolean) =>
    isTaken ? [{ $ref: `#/components/parameters/${name}` }] : [];
  return [
    ...within('path', schema.params),
    ...within('query', schema.querystring),
    ...header('Idempotency-Key', isIdempotent),
    ...header('If-None-Match', isConditional && method === 'GET'),
    ...header('If-None-Match-Any', isCreating),
    ...header('If-Match', isVersioned && (method === 'PUT' || method === 'DELETE')),
  ];
};

const responseHeaders = ({
  method,
  access,
  isIdempotent,
  isResumable,
  isUpserting,
  isVersioned,
  schema,
}: Route): HeaderName[] => [
  'X-Request-Id',
  ...(access === 'public' ? [] : (['RateLimit-Policy', 'RateLimit'] as const)),
  ...(isVersioned && method !== 'DELETE' ? (['ETag'] as const) : []),
  ...(isIdempotent ? (['Idempotent-Replayed'] as const) : []),
  ...(isUpserting ? (['X-Record-Created', 'X-Record-Changed'] as const) : []),
  ...('cursor' in shapeOf(schema.querystring) ? (['Link', 'X-Next-Cursor'] as const) : []),
  ...('cursor' in shapeOf(schema.body) ? (['X-Next-Cursor'] as const) : []),
  ...(isResumable ? (['X-Resume-Cursor'] as const) : []),
];

const jsonContent = (
  schemas: Schemas,
  schema: JsonSchema,
  differences: Readonly<Record<string, unknown>> = {},
): JsonSchema => {
  const composed = schemas.exampleOf(schema);
  const differing = (example: unknown) => ({ ...(example as object), ...differences });
  const example = Array.isArray(composed) ? composed.map(differing) : differing(composed);
  return { 'application/json': { schema, example } };
};

const contentOf = (schemas: Schemas, { response, rows, produces, example }: Route['schema']): JsonSchema => {
  if (produces !== undefined) return { [String(produces[0])]: { schema: { type: 'string' } } };
  if (rows !== undefined) return jsonContent(schemas, schemas.convertRows(rows));
  const success = (response as Record<number, z.ZodType> | undefined)?.[200];
  if (success === undefined)
    throw new ServiceError('has no schema for its response. Set schema.response, rows or produces.');
  return jsonContent(schemas, schemas.convert(success, 'output'), example);
};

const responsesOf = (schemas: Schemas, route: Route): JsonSchema => {
  const headers = responseHeaders(route);
  return {
    200: { description: 'Success.', headers: headersOf(headers), content: contentOf(schemas, route.schema) },
    ...(route.isConditional &&
      route.method === 'GET' && {
        304: {
          description: 'The caller already has this version. The response has no body.',
          headers: headersOf(headers),
        },
      }),
    ...Object.fromEntries(
      failuresOf(route).map((name) => [failures[name].status, { $ref: `#/components/responses/${name}` }]),
    ),
  };
};

/**
 * The description of a route in the document. Security, parameters and failures are derived from its access and its
 * schemas.
 *
 * @throws {Error} if the documentation of the route is incomplete
 */
export const operationOf = (schemas: Schemas, options: RouteOptions): JsonSchema => {
  const route = readRoute(options);
  const { operationId, summary, description, tags, body } = route.schema;
  if (!operationId || !summary || !description || !tags?.length) {
    throw new ServiceError('needs an operationId, a summary, a description and tags');
  }
  const parameters = parametersOf(schemas, route);
  return {
    operationId,
    summary,
    description: `${description}\n\n${credentialsFor(route.access)}`,
    tags,
    ...securityOf(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(body instanceof z.ZodType && {
      requestBody: { required: true, content: jsonContent(schemas, schemas.convert(body, 'input')) },
    }),
    responses: responsesOf(schemas, route),
  };
};
