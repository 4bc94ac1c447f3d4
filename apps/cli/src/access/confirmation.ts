import { type Chairside, ChairsideError } from '@chairside/client';
import { canAsk, readPassword } from './prompt.ts';

/**
 * Runs a call that may need a password confirmation of the last ten minutes. On a terminal, it asks for the password
 * and repeats the call. Elsewhere, it throws the refusal, and `describe` adds the command to run.
 */
export const withConfirmation = async <T>(client: Chairside, work: () => PromiseLike<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const needsPassword = error instanceof ChairsideError && error.details.requiredConfirmation !== undefined;
    if (!needsPassword || !canAsk()) throw error;
    await client.sessions.confirm({ password: await readPassword('Confirm your password', false) });
    return await work();
  }
};
