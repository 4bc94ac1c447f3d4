import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import type { Access } from '../http/authorization.ts';
import { type FailureName, failures, type HeaderName, headersOf } from './responses.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

/** A route with all that it says of itself. */
type Route = {
  method: string;
  access: Access;
  isIdempotent: boolean;
  isVersioned: boolean;
  isResumable: boolean;
  schema: NonNullable<RouteOptions['schema']>;
};

const readRoute = ({ method, config, schema = {} }: RouteOptions): Route => ({
  method: String(method),
  access: config?.access ?? 'public',
  isIdempotent: config?.idempotent === true,
  isVersioned: config?.versioned === true,
  isResumable: config?.resumable === true,
  schema,
});

/** The words in which an operation says who may call it. */
const neededBy = (access: Access): string => {
  if (access === 'public') return 'Needs no credentials.';
  if ('role' in access) {
    const whose = access.role === 'staff' ? '' : ` with the role \`${access.role}\``;
    const confirmation = access.confirmed
      ? ' The password must have been entered in the last ten minutes: at sign-in, or with `POST /api/sessions/current/confirm`.'
      : '';
    return `Needs the access token of an operator${whose}.${confirmation}`;
  }
  const scopes = 'scope' in access ? [access.scope] : access.anyScope;
  return `Needs an API key with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}, or the access token of an operator.`;
};

const securityOf = (access: Access): JsonSchema => {
  if (access === 'public') return { security: [] };
  if ('role' in access) {
    return { security: [{ accessToken: [access.role] }], 'x-required-role': access.role };
  }
  const scopes = 'scope' in access ? [access.scope] : access.anyScope;
  return {
    security: [...scopes.map((scope) => ({ apiKey: [scope] })), { accessToken: [] }],
    'x-required-scope': scopes.length === 1 ? scopes[0] : scopes,
  };
};

/** What an operation can answer with besides what it is for. */
const failuresOf = ({ method, access, isIdempotent, isVersioned, schema }: Route): FailureName[] => {
  const isGuarded = access !== 'public';
  const hasBody = method !== 'GET';
  const own = schema.refusals ?? [];
  const applies: Record<FailureName, boolean> = {
    BadRequest: true,
    Unauthorized: isGuarded || own.includes(401),
    ForbiddenScope: isGuarded && !('role' in access),
    ForbiddenRole: isGuarded && 'role' in access,
    NotFound: schema.params !== undefined || own.includes(404),
    Conflict: isIdempotent || own.includes(409),
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
  { method, isIdempotent, isVersioned, schema }: Route,
): JsonSchema[] => {
  const within = (place: 'path' | 'query', part: unknown) =>
    Object.entries(shapeOf(part)).map(([name, field]) => {
      const { description, examples, ...rest } = schemas.convert(field, 'input');
      // Zod leaves the example out where the value is transformed: it might be one of the result.
      const example = (field.meta()?.examples as unknown[] | undefined)?.[0];
      if (typeof description !== 'string') throw new Error(`the parameter ${name} has no description`);
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
    ...header('If-None-Match', isVersioned && method === 'GET'),
    ...header('If-Match', isVersioned && (method === 'PUT' || method === 'DELETE')),
  ];
};

const answerHeaders = ({
  method,
  access,
  isIdempotent,
  isResumable,
  isVersioned,
  schema,
}: Route): HeaderName[] => [
  'X-Request-Id',
  ...(access === 'public' ? [] : (['RateLimit-Policy', 'RateLimit'] as const)),
  ...(isVersioned && method !== 'DELETE' ? (['ETag'] as const) : []),
  ...(isIdempotent ? (['Idempotent-Replayed'] as const) : []),
  ...('cursor' in shapeOf(schema.querystring) ? (['Link', 'X-Next-Cursor'] as const) : []),
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

const answerOf = (schemas: Schemas, { response, rows, produces, example }: Route['schema']): JsonSchema => {
  if (produces !== undefined) return { [String(produces[0])]: { schema: { type: 'string' } } };
  if (rows !== undefined) return jsonContent(schemas, schemas.convertRows(rows));
  const answer = (response as Record<number, z.ZodType> | undefined)?.[200];
  if (answer === undefined) throw new Error('says not what it answers');
  return jsonContent(schemas, schemas.convert(answer, 'output'), example);
};

const responsesOf = (schemas: Schemas, route: Route): JsonSchema => {
  const headers = answerHeaders(route);
  const isRedirect = 302 in ((route.schema.response ?? {}) as object);
  return {
    ...(isRedirect
      ? { 302: { description: 'See `Location`.', headers: headersOf([...headers, 'Location']) } }
      : {
          200: {
            description: 'Done.',
            headers: headersOf(headers),
            content: answerOf(schemas, route.schema),
          },
        }),
    ...(route.isVersioned &&
      route.method === 'GET' && {
        304: { description: 'You have this version already.', headers: headersOf(headers) },
      }),
    ...Object.fromEntries(
      failuresOf(route).map((name) => [failures[name].status, { $ref: `#/components/responses/${name}` }]),
    ),
  };
};

/**
 * What the document says of a route. Everything that follows from who may call it and from what it takes is derived.
 *
 * @throws {Error} when the route does not say enough of itself
 */
export const operationOf = (schemas: Schemas, options: RouteOptions): JsonSchema => {
  const route = readRoute(options);
  const { operationId, summary, description, tags, body } = route.schema;
  if (!operationId || !summary || !description || !tags?.length) {
    throw new Error('needs an operationId, a summary, a description and tags');
  }
  const parameters = parametersOf(schemas, route);
  return {
    operationId,
    summary,
    description: `${description}\n\n${neededBy(route.access)}`,
    tags,
    ...securityOf(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...(body instanceof z.ZodType && {
      requestBody: { required: true, content: jsonContent(schemas, schemas.convert(body, 'input')) },
    }),
    responses: responsesOf(schemas, route),
  };
};
