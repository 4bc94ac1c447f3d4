import { type Chairside, ChairsideError } from '@chairside/client';
import { canAsk, readPassword } from './prompt.ts';

/**
 * Does work that may need a password that was entered lately. On a terminal, it asks for the password and does the work
 * again; elsewhere, the refusal says what to do.
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
