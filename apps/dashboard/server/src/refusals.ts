import type { Readable } from 'node:stream';
import { ServiceError } from '@chairside/domain';

/**
 * The largest body of a 401 or 403 that is read before it is forwarded, in bytes. The error bodies of the api are a few
 * hundred bytes long.
 */
const MAX_BYTES = 65_536;

/** Whether the api refused the secret of the dashboard, and not the caller. @param body of a 403 of the api */
export const isSecretRefused = (body: unknown): boolean => {
  const { details } = (body ?? {}) as { details?: { wrongProxySecret?: unknown } };
  return details?.wrongProxySecret === true;
};

/** Whether the api refused the answer of an operator with a factor, so that the session goes on. @param body of a 401 */
export const isWrongAnswer = (body: unknown): boolean => {
  const { details } = (body ?? {}) as { details?: { requiredSecondFactor?: unknown } };
  return details?.requiredSecondFactor !== undefined;
};

/** Reads the body of a refusal. @throws {Error} if the body is incomplete or too large */
export const readRefusal = async (stream: Readable): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > MAX_BYTES) throw new ServiceError('The body of a refusal is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** The parsed JSON; undefined if the text is not JSON. */
export const parsed = (text: Buffer): unknown => {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
};
