import type { IncomingMessage } from 'node:http';
import { MAX_BATCH_BYTES, Refusal, type ResourceLimit } from '@chairside/domain';
import {
  type BodyBounds,
  bodyLimitsOf,
  boundedBodies,
  jsonParserOf,
  otherMediaType,
} from '@chairside/http-server';
import { parse } from 'content-type';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body may be as large as that of a batch. */
    isLarge?: true;
  }
  interface FastifyRequest {
    /** The size of the body as it has arrived. */
    bodyBytes: number;
  }
}

/** The largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;
/** The largest body of a request without credentials, which is a sign-in, in bytes. */
export const MAX_PUBLIC_BODY_BYTES = 16 * 1024;

const bounds: BodyBounds = {
  max: MAX_BODY_BYTES,
  larger: {
    max: MAX_BATCH_BYTES,
    id: 'batch_body',
    resource: 'Body of a batch',
    isOf: ({ routeOptions }) => routeOptions.config.isLarge === true,
  },
  ofStranger: { max: MAX_PUBLIC_BODY_BYTES, id: 'body_without_credentials' },
  maxOfOrganization: 8 * 2 ** 20,
  // A parsed body takes several times as much memory, in a heap of 384 MiB.
  maxOfProcess: 32 * 2 ** 20,
  ids: { body: 'body', ofOrganization: 'bodies_of_organization', ofProcess: 'bodies' },
};

export const bodyLimits: readonly ResourceLimit[] = bodyLimitsOf(bounds, 'Connections and requests', {
  metric: 'chairside_api_refusals_total',
});

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Names of UTF-8 in a content type; a content type without a charset means UTF-8 too (RFC 8259, 8.1). */
const UTF_8: readonly (string | undefined)[] = [undefined, 'utf-8', 'utf8'];

const readsBody = ({ routeOptions }: FastifyRequest): boolean => routeOptions.schema?.body !== undefined;

/**
 * Accepts JSON bodies in UTF-8 only, without a content coding. A route that reads no body accepts an empty one of any
 * type: many clients send a content type with every request, and `curl -d ''` sends the one of a form.
 *
 * Waits for the turn of the request when its body has arrived. Refuses another charset with 415, and bytes that are not
 * UTF-8 with 400. If such bytes were replaced by U+FFFD, damaged names would be stored.
 */
export const jsonBodies = (app: FastifyInstance): void => {
  const parseJson = jsonParserOf(app, bounds);
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyBytes', 0);
  const readBody = boundedBodies(app, bounds, ({ principal }) => principal?.organizationId);

  const readText = async (request: FastifyRequest, payload: IncomingMessage): Promise<string> => {
    const body = await readBody(request, payload);
    request.bodyBytes = body.length;
    await request.takeTurn();
    try {
      return utf8.decode(body);
    } catch {
      throw new Refusal('BadRequest', 'The body is not valid UTF-8. Encode it as UTF-8.');
    }
  };

  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const text = await readText(request, payload);
    if (text === '' && !readsBody(request)) return undefined;
    return parseJson(request, text);
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (!readsBody(request) && (await readText(request, payload)) === '') return undefined;
    throw otherMediaType();
  });
  app.addHook('preParsing', async ({ method, headers }, _reply, payload) => {
    if (method === 'GET' || method === 'HEAD') return payload;
    const { charset } = parse(headers['content-type'] ?? '').parameters;
    if (!UTF_8.includes(charset?.toLowerCase()))
      throw new Refusal(
        'UnsupportedMediaType',
        'The charset of the body must be utf-8. Encode the body as UTF-8.',
      );
    // Names of codings are case-insensitive (RFC 9110, section 8.4.1).
    if ((headers['content-encoding']?.toLowerCase() ?? 'identity') !== 'identity')
      throw new Refusal(
        'UnsupportedMediaType',
        'This API does not accept compressed bodies. Send the body without the header Content-Encoding.',
      );
    return payload;
  });
};
