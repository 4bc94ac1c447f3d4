import { ChairsideError, type ErrorDetails, type Session } from '@chairside/client';

/** The body of an error response of the dashboard or the api. */
type ErrorBody = { message: string; name: string; details: ErrorDetails & { requestId?: string } };

const refusalOf = async (response: Response): Promise<ChairsideError> => {
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new ChairsideError({
    name: body?.name ?? 'UnexpectedResponse',
    message: body?.message ?? 'The service sent an unexpected response. Try again later.',
    status: response.status,
    details: body?.details,
    issues: body?.details.issues,
    requestId: body?.details.requestId,
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
  });
};

/** The longest wait for a response of the dashboard, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** Sends a request to the dashboard itself. @throws {ChairsideError} unless it succeeds */
export const send = async (
  method: string,
  path: string,
  body?: object,
  { isBackground = false } = {},
): Promise<Response> => {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(isBackground && { 'X-Background': '1' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw new ChairsideError({ name: 'ConnectionError', message: String(error) });
  });
  if (!response.ok) throw await refusalOf(response);
  return response;
};

/** Signs in. The access token goes into a cookie that scripts cannot read. @throws {ChairsideError} */
export const signIn = async (email: string, password: string): Promise<void> => {
  const response = await send('POST', '/session', { email, password });
  await response.json();
};

/**
 * Reads the session of the cookie. Returns null if nobody is signed in.
 *
 * @param options.isBackground whether the page sends the request by itself, which does not keep the session alive
 * @throws {ChairsideError}
 */
export const readSession = async (options?: { isBackground: boolean }): Promise<Session | null> => {
  const response = await send('GET', '/session', undefined, options);
  return (await response.json()) as Session | null;
};

/** Ends the session and removes its cookie. @throws {ChairsideError} */
export const signOut = async (): Promise<void> => {
  await send('DELETE', '/session');
};

/** Starts another session and returns its access token, which is never shown again. @throws {ChairsideError} */
export const createAccessToken = async (password: string): Promise<string> => {
  const response = await send('POST', '/session/tokens', { password });
  const { token } = (await response.json()) as { token: string };
  return token;
};
