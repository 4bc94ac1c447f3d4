import { ServiceError } from '@chairside/domain';
import { Pool } from 'undici';
import { z } from 'zod';

/**
 * How long the dashboard may take to check a token. Even while one organization floods the dashboard, a check takes
 * less.
 */
const TIMEOUT_MS = 10_000;
/** The largest response of the dashboard, in bytes. */
const MAX_RESPONSE_BYTES = 16_384;
/** Maximum number of concurrent requests to the dashboard. Further requests wait until a connection is free. */
const MAX_CONNECTIONS = 32;
/** The user name of the connector at the introspection endpoint. */
const USER = 'connector';
/**
 * Error codes of a connection that the dashboard has closed meanwhile. On another connection, the request can succeed.
 */
const STALE_CONNECTION: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/** A token that is valid now (RFC 7662, section 2.2), with the organization and the grant that it belongs to. */
const liveToken = z.object({
  active: z.literal(true),
  scope: z.string(),
  client_id: z.string(),
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  token_type: z.literal('Bearer'),
  organization_id: z.string().min(1),
  grant_id: z.string().min(1),
  suspended: z.boolean(),
});
export type LiveToken = z.infer<typeof liveToken>;

const introspectionResponse = z.discriminatedUnion('active', [
  liveToken,
  z.object({ active: z.literal(false) }),
]);
export type TokenState = z.infer<typeof introspectionResponse>;

/** The dashboard did not say whether a token is valid. */
export class IntrospectionFailed extends ServiceError {
  override readonly name: string = 'IntrospectionFailed';
}

/** The dashboard's secret differs from the connector's. The log contains the name of this error. */
export class IntrospectionSecretRefused extends IntrospectionFailed {
  override readonly name = 'IntrospectionSecretRefused';
}

/** Asks the authorization server, which is a part of the dashboard, about access tokens. */
export type Introspection = {
  /**
   * Sends a request for each call, without a cache, so that a grant that has ended is refused at once.
   *
   * @param tool the tool that the app has called with the token, which the dashboard then stores
   * @throws {IntrospectionFailed} if no usable response arrives in time
   */
  introspect(token: string, tool?: string): Promise<TokenState>;
  close(): Promise<void>;
};

/**
 * Opens a client for token introspection (RFC 7662).
 *
 * @param url the introspection endpoint
 * @param secret the password of the connector there
 * @param timeout how long the endpoint may take, in milliseconds
 */
export const openIntrospection = (url: string, secret: string, timeout = TIMEOUT_MS): Introspection => {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: MAX_CONNECTIONS, maxResponseSize: MAX_RESPONSE_BYTES });
  const headers = {
    authorization: `Basic ${Buffer.from(`${USER}:${secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };

  const ask = async (form: Record<string, string>, signal: AbortSignal): Promise<TokenState> => {
    const body = new URLSearchParams(form).toString();
    const response = await pool.request({ path: pathname + search, method: 'POST', headers, body, signal });
    if (response.statusCode === 401) throw new IntrospectionSecretRefused();
    if (response.statusCode !== 200)
      throw new IntrospectionFailed(`The dashboard responded with ${response.statusCode}.`);
    const { success, data } = introspectionResponse.safeParse(await response.body.json());
    if (!success) throw new IntrospectionFailed('The dashboard responded with something else.');
    return data;
  };

  return {
    async introspect(token, tool) {
      const form = { token, ...(tool !== undefined && { tool }) };
      const signal = AbortSignal.timeout(timeout);
      try {
        return await ask(form, signal).catch((error: NodeJS.ErrnoException) => {
          if (!STALE_CONNECTION.includes(error.code)) throw error;
          return ask(form, signal);
        });
      } catch (cause) {
        if (cause instanceof IntrospectionFailed) throw cause;
        throw new IntrospectionFailed('The dashboard does not respond.', { cause });
      }
    },
    close: () => pool.destroy(),
  };
};
