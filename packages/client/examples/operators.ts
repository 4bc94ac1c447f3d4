import { Chairside, ChairsideError, type CreateApiKey } from '@chairside/client';

export async function createKey(
  { baseUrl, email, password }: { baseUrl: string; email: string; password: string },
  key: CreateApiKey,
) {
  const { token } = await Chairside.signIn({ baseUrl, email, password });
  const chairside = new Chairside({ baseUrl, accessToken: token });
  return confirmed(chairside, password, () => chairside.apiKeys.create(key));
}

/** Calls an operation. If the api asks for a password confirmation, confirms the password and repeats the call. */
export async function confirmed<T>(
  chairside: Chairside,
  password: string,
  call: () => PromiseLike<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ChairsideError) || error.details.requiredConfirmation !== 'password') throw error;
    await chairside.sessions.confirm({ password });
    return call();
  }
}
