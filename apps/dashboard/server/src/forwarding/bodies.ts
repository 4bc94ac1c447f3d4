import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Refusal, type ResourceLimit } from '@chairside/domain';
import { createTally } from '@chairside/runtime';

/** The largest body that the api reads, in bytes. */
const MAX_BODY = 256 * 1024;
/**
 * Maximum number of bytes of request bodies in memory: of one organization, and of all organizations together. A body
 * counts until the response to its request has ended.
 */
const MAX_OF_ORGANIZATION = 4 * 1024 * 1024;
const MAX_OF_PROCESS = 64 * 1024 * 1024;

const part = 'Dashboard';
export const dashboardBodyLimits: readonly ResourceLimit[] = [
  {
    id: 'dashboard_body',
    part,
    resource: 'Body of a request',
    value: MAX_BODY / 1024,
    unit: 'KiB',
    beyond: '413 PayloadTooLarge',
  },
  {
    id: 'dashboard_bodies_of_organization',
    part,
    resource: 'Request bodies waiting in memory, per organization',
    value: MAX_OF_ORGANIZATION / 2 ** 20,
    unit: 'MiB in each process',
    beyond: '429 TooManyRequests',
  },
  {
    id: 'dashboard_bodies',
    part,
    resource: 'Request bodies waiting in memory, all organizations together',
    value: MAX_OF_PROCESS / 2 ** 20,
    unit: 'MiB in each process',
    beyond: '503 ServiceUnavailable',
  },
];

const tooLarge = (): Refusal =>
  new Refusal('PayloadTooLarge', `The body is larger than ${MAX_BODY} bytes. Send a smaller body.`, {
    limit: 'body',
  });

/** @throws {Refusal} PayloadTooLarge if the declared length is larger than the api reads */
export const checkLength = (declared: string | undefined): void => {
  if (Number(declared ?? 0) > MAX_BODY) throw tooLarge();
};

/**
 * Reads bodies into memory before their requests take a connection to the api, so that a slow upload occupies only
 * memory and no connection.
 */
export const createBodies = () => {
  const held = createTally();
  let total = 0;
  const hold = (organization: string, bytes: number): void => {
    total += bytes;
    held.add(organization, bytes);
  };

  /**
   * @param response when it has ended, the bytes are no longer counted
   * @throws {Refusal} PayloadTooLarge, TooManyRequests, ServiceUnavailable; BadRequest if the caller disconnects
   */
  return async (payload: Readable, response: ServerResponse, organization: string): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.once('close', () => hold(organization, -size));
    try {
      for await (const chunk of payload as AsyncIterable<Buffer>) {
        if (size + chunk.length > MAX_BODY) throw tooLarge();
        if (held.of(organization) + chunk.length > MAX_OF_ORGANIZATION)
          throw new Refusal(
            'TooManyRequests',
            'This organization sends too many bytes at once. Try again later.',
            {
              retryAfter: 1,
            },
          );
        if (total + chunk.length > MAX_OF_PROCESS)
          throw new Refusal('ServiceUnavailable', 'The dashboard is overloaded. Try again later.', {
            retryAfter: 1,
          });
        // After the end of the response nothing is counted any more.
        if (!response.closed) hold(organization, chunk.length);
        size += chunk.length;
        chunks.push(chunk);
      }
    } catch (cause) {
      if (cause instanceof Refusal) throw cause;
      throw new Refusal('BadRequest', 'The caller has disconnected.', { cause });
    }
    return Buffer.concat(chunks);
  };
};
