import { errorSchema, ServiceError } from '@chairside/domain';
import type { RouteOptions } from 'fastify';
import { description, tags } from './introduction.ts';
import { operationOf } from './operation.ts';
import { failureResponses, headers } from './responses.ts';
import { createSchemas, type JsonSchema, type Schemas } from './schemas.ts';
import { webhookParameters, webhooksOf } from './webhooks.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document, as JSON. */
    openApi: string;
  }
}

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      '`Basic <base64 of the secret of an API key>`. Encode only the secret, without a user name and without a colon. This document describes the scheme as an API key, because clients for HTTP Basic would add a colon.',
  },
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      '`Token <access token>`: the `token` from the response of POST /api/sessions, or a program token from the response of POST /api/sessions/current/tokens. A program token works only where the operation says so. A session ends after 60 minutes without use. A request with the header `X-Background: 1` does not count as use: send it with requests that no person caused, such as polling.',
  },
};

const header = (name: string, text: string, example: string): JsonSchema => ({
  name,
  in: 'header',
  description: text,
  schema: { type: 'string' },
  example,
});

const parameters = {
  'Idempotency-Key': {
    ...header(
      'Idempotency-Key',
      'Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.',
      'b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10',
    ),
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'If-Match': header(
    'If-Match',
    'Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.',
    '"3"',
  ),
  'If-None-Match-Any': header(
    'If-None-Match',
    '`*` refuses the change with 412 if the record exists already. It cannot be sent together with `If-Match`.',
    '*',
  ),
  'If-None-Match': header('If-None-Match', 'Returns 304 if the record still has this version.', '"3"'),
};

const pathsOf = (schemas: Schemas, routes: readonly RouteOptions[]): JsonSchema => {
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes) {
    // Generated clients would have methods for redirects and for the script of a page.
    if (route.method === 'HEAD' || route.schema?.hide === true) continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    try {
      paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: operationOf(schemas, route) };
    } catch (error) {
      throw new ServiceError(`${route.method} ${route.url}: ${(error as Error).message}`);
    }
  }
  return paths;
};

/**
 * Builds the OpenAPI 3.1 document of these routes from the schemas that validate requests and from the documentation
 * of each route.
 *
 * @throws {Error} naming the route whose documentation is incomplete
 */
export const openApiDocument = (routes: readonly RouteOptions[]): JsonSchema => {
  const schemas = createSchemas();
  schemas.convert(errorSchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chairside',
      version: '1.0.0',
      summary: 'Dental Practice Management REST API',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: {
      description: 'Integrator guide',
      url: '/docs/guide',
    },
    servers: [{ url: '/', description: 'The server that returned this document' }],
    tags,
    paths: pathsOf(schemas, routes),
    webhooks: webhooksOf(schemas),
    components: {
      securitySchemes,
      parameters: { ...parameters, ...webhookParameters() },
      headers,
      responses: failureResponses(),
      schemas: Object.fromEntries(
        Object.entries(schemas.components).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    },
  };
};
