import { type Chairside, ChairsideError } from '@chairside/client';
import { withFactor } from './factor.ts';
import { canAsk, readPassword } from './prompt.ts';

/**
 * Runs a call that the api may refuse because the password was not confirmed in the last ten minutes. After such a
 * refusal, this function asks for the password on a terminal and repeats the call. Without a terminal, it throws the
 * refusal, and `describe` adds the command to run.
 */
export const withConfirmation = async <T>(client: Chairside, work: () => PromiseLike<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const needsPassword = error instanceof ChairsideError && error.details.requiredConfirmation !== undefined;
    if (!needsPassword || !canAsk()) throw error;
    const { requiredConfirmation } = error.details;
    const entered = await readPassword('Confirm your password', false);
    const { password } = entered;
    const what = requiredConfirmation === 'factors' ? { for: requiredConfirmation } : {};
    await withFactor(entered, (answer) => client.sessions.confirm({ password, ...what, ...answer }));
    return await work();
  }
};
