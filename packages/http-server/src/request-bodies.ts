import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTally } from '@chairside/concurrency';
import { Refusal, type ResourceLimit } from '@chairside/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { disconnected, untilClosed } from './closed-response.ts';

/**
 * A body may have 1,024 parts of any size. Beyond that, its parts must have 64 bytes on average: a body in chunks of one
 * byte costs 300 times as much CPU time as a whole one.
 */
const MAX_SMALL_PARTS = 1024;
const BYTES_OF_PART = 64;

/**
 * The most values of a JSON body: members and elements. An empty object takes three bytes in the body and twenty times as
 * many in memory.
 */
const MAX_VALUES = 50_000;

/** Bounds on the request bodies that a process holds in memory, in bytes. */
export type BodyBounds = {
  /** The largest body. */
  max: number;
  /** The routes whose bodies may be larger, and how docs/limits.md names them. */
  larger?: { max: number; id: string; resource: string; isOf(request: FastifyRequest): boolean };
  /**
   * The largest body of a caller without credentials, and the id of this limit. The number of connections bounds how many
   * of these bodies are in memory.
   */
  ofStranger?: { max: number; id: string };
  /**
   * All bodies of one organization together: those that are arriving, and those of requests that are being handled or
   * whose response has not ended.
   */
  maxOfOrganization: number;
  /** All bodies of all organizations together. Bodies of callers without credentials do not count. */
  maxOfProcess: number;
  /** The ids of the limits that a refusal names. */
  ids: { body: string; ofOrganization: string; ofProcess: string };
};

const partsLimitOf = (ids: Pick<BodyBounds['ids'], 'body'>): string => `${ids.body}_parts`;
const valuesLimitOf = (ids: Pick<BodyBounds['ids'], 'body'>): string => `${ids.body}_values`;

/**
 * The bounds of a server whose callers have no credentials. The number of connections bounds how many bodies are in
 * memory.
 */
export const boundsOfStrangers = (max: number, id: string): BodyBounds => ({
  max,
  maxOfOrganization: 0,
  maxOfProcess: 0,
  ids: { body: id, ofOrganization: id, ofProcess: id },
});

/**
 * The rows for docs/limits.md.
 *
 * @param options.metric the metric that counts the refusals, if there is one
 * @param options.isParsed whether the server parses the bodies
 */
export const bodyLimitsOf = (
  { max, larger, ofStranger, maxOfOrganization, maxOfProcess, ids }: BodyBounds,
  part: ResourceLimit['part'],
  { whose = '', metric, isParsed = true }: { whose?: string; metric?: string; isParsed?: boolean } = {},
): ResourceLimit[] => {
  const counted = metric === undefined ? {} : { metric };
  return [
    {
      id: ids.body,
      part,
      resource: `Body of a request${whose}`,
      value: max / 1024,
      unit: 'KiB',
      beyond: '413 PayloadTooLarge',
      ...counted,
    },
    ...(larger === undefined
      ? []
      : [
          {
            id: larger.id,
            part,
            resource: larger.resource,
            value: larger.max / 1024,
            unit: 'KiB',
            beyond: '413 PayloadTooLarge',
            ...counted,
          },
        ]),
    ...(ofStranger === undefined
      ? []
      : [
          {
            id: ofStranger.id,
            part,
            resource: `Body of a request${whose} without credentials`,
            value: ofStranger.max / 1024,
            unit: 'KiB',
            beyond: '413 PayloadTooLarge',
            ...counted,
          },
        ]),
    {
      id: partsLimitOf(ids),
      part,
      resource: `Parts of a body${whose} in which it arrives, such as chunks, with less than ${BYTES_OF_PART} bytes on average`,
      value: MAX_SMALL_PARTS,
      unit: 'parts',
      beyond: '400 BadRequest',
      ...counted,
    },
    ...(isParsed
      ? [
          {
            id: valuesLimitOf(ids),
            part,
            resource: `Members and elements of a JSON body${whose}`,
            value: MAX_VALUES,
            unit: 'values',
            beyond: '413 PayloadTooLarge',
            ...counted,
          },
        ]
      : []),
    {
      id: ids.ofOrganization,
      part,
      resource: `Bodies of requests${whose} in memory, for each organization`,
      value: maxOfOrganization / 2 ** 20,
      unit: 'MiB in each process',
      beyond: '429 TooManyRequests',
      ...counted,
    },
    {
      id: ids.ofProcess,
      part,
      resource: `Bodies of requests${whose} in memory, for all organizations together`,
      value: maxOfProcess / 2 ** 20,
      unit: 'MiB in each process',
      beyond: '503 ServiceUnavailable',
      ...counted,
    },
  ];
};

/**
 * Creates the function that reads the body of a request into memory, within bounds. Call it in the parser of a content
 * type. Every request that is counted under an organization must get a response, even if its caller has disconnected:
 * its handler throws or sends, and does not hijack the reply. Otherwise its bytes count forever.
 *
 * @param organizationOf the organization under which the body is counted; undefined for a caller without credentials
 * @returns a function that throws the refusals PayloadTooLarge, TooManyRequests and ServiceUnavailable, and BadRequest if
 *   the body comes in too many small parts or the caller disconnects
 */
export const boundedBodies = (
  app: FastifyInstance,
  { max, larger, ids, ofStranger = { max, id: ids.body }, maxOfOrganization, maxOfProcess }: BodyBounds,
  organizationOf: (request: FastifyRequest) => string | undefined,
): ((request: FastifyRequest, payload: IncomingMessage) => Promise<Buffer>) => {
  const held = createTally();
  /** @throws {Refusal} PayloadTooLarge */
  const checkSize = (size: number, limit: { max: number; id: string }): void => {
    if (size <= limit.max) return;
    throw new Refusal('PayloadTooLarge', `The body is larger than ${limit.max} bytes. Send a smaller body.`, {
      limit: limit.id,
    });
  };
  /** @throws {Refusal} BadRequest. The connection ends with the response, because Node.js parses the rest of the body, too */
  const checkParts = (parts: number, size: number, response: ServerResponse): void => {
    if (parts <= MAX_SMALL_PARTS + size / BYTES_OF_PART) return;
    response.setHeader('Connection', 'close');
    throw new Refusal('BadRequest', 'The body comes in too many small parts. Send larger chunks.', {
      limit: partsLimitOf(ids),
    });
  };
  /** @throws {Refusal} if one more part of a body would exceed a bound */
  const checkRoom = (organization: string, bytes: number): void => {
    if (held.of(organization) + bytes > maxOfOrganization)
      throw new Refusal(
        'TooManyRequests',
        'This organization sends too many bytes at once. Try again later.',
        {
          retryAfter: 1,
          limit: ids.ofOrganization,
        },
      );
    if (held.total() + bytes > maxOfProcess)
      throw new Refusal('ServiceUnavailable', 'The service is overloaded. Try again later.', {
        retryAfter: 1,
        limit: ids.ofProcess,
      });
  };

  /** The responses of requests whose body is read. A parser does not get the response. */
  const responses = new WeakMap<FastifyRequest, ServerResponse>();
  app.addHook('preParsing', async (request, { raw }, payload) => {
    responses.set(request, raw);
    return payload;
  });
  /** The counted requests that have not been handled yet, and what to call when they are. */
  const unhandled = new WeakMap<FastifyRequest, () => void>();
  app.addHook('onSend', async (request, _reply, payload) => {
    unhandled.get(request)?.();
    return payload;
  });

  return async (request, payload) => {
    const organization = organizationOf(request);
    const response = responses.get(request) as ServerResponse;
    const own = larger?.isOf(request) ? larger : { max, id: ids.body };
    const limit = organization === undefined ? ofStranger : own;
    checkSize(Number(request.headers['content-length'] ?? 0), limit);
    // One buffer that grows by doubling. A list of parts would cost some hundred bytes for each part of one byte.
    let body = Buffer.alloc(0);
    let size = 0;
    let parts = 0;
    // The bytes count until the request has been handled and the response has ended. A caller that disconnects ends the
    // response, while the request still waits for its turn with its body in memory.
    let counted = 0;
    if (organization !== undefined) {
      const isHandled = new Promise<void>((resolve) => unhandled.set(request, resolve));
      Promise.all([untilClosed(response), isHandled]).then(() => held.add(organization, -counted));
    }
    try {
      // A refusal must not destroy the connection on which it is sent.
      for await (const part of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        checkSize(size + part.length, limit);
        checkParts(++parts, size + part.length, response);
        if (organization !== undefined) {
          checkRoom(organization, part.length);
          held.add(organization, part.length);
          counted += part.length;
        }
        if (size + part.length > body.length) {
          const larger = Buffer.allocUnsafe(Math.max(2 * body.length, size + part.length, 1024));
          body.copy(larger, 0, 0, size);
          body = larger;
        }
        part.copy(body, size);
        size += part.length;
      }
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      throw disconnected(cause);
    }
    return body.subarray(0, size);
  };
};

const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0));
const BEGINS_VALUE = new Set([',', '[', '{'].map((character) => character.charCodeAt(0)));

/** Whether a JSON text has more values than a body may have. It is read before it is parsed, because parsing costs more. */
const hasTooManyValues = (text: string): boolean => {
  if (text.length <= MAX_VALUES) return false;
  let values = 0;
  let isInString = false;
  for (let place = 0; place < text.length; place++) {
    const character = text.charCodeAt(place);
    if (character === QUOTE) isInString = !isInString;
    else if (isInString) place += character === BACKSLASH ? 1 : 0;
    else if (BEGINS_VALUE.has(character) && ++values > MAX_VALUES) return true;
  }
  return false;
};

/**
 * Creates the function that parses the text of a JSON body as Fastify does: it refuses keys such as `__proto__`.
 *
 * @returns a function that throws the refusal PayloadTooLarge if the body has too many values
 */
export const jsonParserOf = (
  app: FastifyInstance,
  { ids }: { ids: Pick<BodyBounds['ids'], 'body'> },
): ((request: FastifyRequest, text: string) => Promise<unknown>) => {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request, text) =>
    new Promise((resolve, reject) => {
      if (hasTooManyValues(text))
        throw new Refusal(
          'PayloadTooLarge',
          `The body has more than ${MAX_VALUES} values. Send a smaller body.`,
          { limit: valuesLimitOf(ids) },
        );
      parse(request, text, (error, value) => (error ? reject(error) : resolve(value)));
    });
};

/** Accepts only JSON bodies, within bounds. The parameters are those of `boundedBodies`. */
export const boundedJsonBodies = (...[app, ...bounds]: Parameters<typeof boundedBodies>): void => {
  const parse = jsonParserOf(app, bounds[0]);
  const read = boundedBodies(app, ...bounds);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) =>
    parse(request, (await read(request, payload)).toString()),
  );
};
