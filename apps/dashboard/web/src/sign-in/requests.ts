import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { withFactor } from '../session/factor.ts';

/** Whether a forgotten password can be replaced with a mailed link. */
export const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: async ({ signal }) =>
    (await api.request<{ mail: boolean }>('GET', '/api/passwordresets', { signal })).mail,
  staleTime: 60_000,
});

/** Begins a sign-in by passkey alone. */
export const beginPasskeySignIn = (): Promise<{ challenge: string; options: object }> =>
  api.request('POST', '/api/sessions/passkey', { body: {} });

/** Mails a link for a new password, if there is an operator with this address. */
export const requestReset = async (email: string): Promise<void> => {
  await api.request('POST', '/api/passwordresets', { body: { email } });
};

/** Sets a new password with a mailed link. @param secret the fragment of the link */
export const completeReset = async (secret: string, password: string): Promise<void> => {
  await withFactor((answer) =>
    api.request('POST', '/api/passwordresets/complete', { body: { secret, password, ...answer } }),
  );
};

/**
 * Accepts an invitation.
 *
 * @param invitation.name empty if the operator has not entered one
 * @returns the e-mail address to sign in with
 */
export const acceptInvitation = async ({
  name,
  ...fields
}: {
  secret: string;
  name: string;
  password: string;
}): Promise<string> => {
  const body = { ...fields, ...(name !== '' && { name }) };
  return (await api.request<{ email: string }>('POST', '/api/invitations/complete', { body })).email;
};
