import { ChairsideError } from '@chairside/client';
import { CliError, EXIT } from '../failure.ts';
import type { Entered } from './prompt.ts';

/** What answers a challenge on a terminal. A passkey needs a browser. */
export type Answer = { challenge: string } & ({ code: string } | { recoveryCode: string });

/** Six digits are a code of an app; everything else is a recovery code. */
const answerOf = (challenge: string, text: string): Answer =>
  /^(\s*\d\s*){6}$/.test(text) ? { challenge, code: text } : { challenge, recoveryCode: text };

/**
 * Sends a password, and what the operator is asked besides.
 *
 * @param send is called once without an answer, and once more with it if the operator has a factor
 * @throws {CliError} if only a passkey can answer
 */
export const withFactor = async <T>(
  { code }: Pick<Entered, 'code'>,
  send: (answer?: Answer) => PromiseLike<T>,
): Promise<T> => {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ChairsideError)) throw error;
    const { requiredSecondFactor: kinds, challenge } = error.details;
    if (kinds === undefined || challenge === undefined) throw error;
    if (kinds.every((kind) => kind === 'passkey'))
      throw new CliError(
        'Only a passkey can answer, and a passkey needs a browser. Add an app for codes in the dashboard first.',
        EXIT.notAllowed,
      );
    return await send(answerOf(challenge, await code()));
  }
};
