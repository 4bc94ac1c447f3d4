import { ChairsideError, type ChallengeAnswer } from '@chairside/client';
import { sharedValue, useSharedValue } from '../shared-value.ts';
import { Dismissed } from './prompts.ts';

export type FactorKind = NonNullable<ChairsideError['details']['requiredSecondFactor']>[number];

/** What an operator is asked besides the password, and who waits for the answer. */
export type Question = {
  kinds: readonly FactorKind[];
  challenge: string;
  /** Sends an answer. Rejects with the refusal. */
  send(answer: ChallengeAnswer): Promise<void>;
  dismiss(): void;
};

const question = sharedValue<Question>();

/** The open question. */
export const useQuestion = (): Question | undefined => useSharedValue(question);

/** What a refusal asks besides the password; undefined if it does not. */
const askedIn = (error: unknown): Pick<Question, 'kinds' | 'challenge'> | undefined => {
  if (!(error instanceof ChairsideError)) return undefined;
  const { requiredSecondFactor: kinds, challenge } = error.details ?? {};
  return kinds === undefined || challenge === undefined ? undefined : { kinds, challenge };
};

/** Asks for the factor in a dialog, until an answer is right. */
const askFor = <T>(
  asked: Pick<Question, 'kinds' | 'challenge'>,
  send: (answer: ChallengeAnswer) => PromiseLike<T>,
): Promise<T> => {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  question.set({
    ...asked,
    async send(answer) {
      const result = await send(answer);
      question.set(undefined);
      resolve(result);
    },
    dismiss() {
      question.set(undefined);
      reject(new Dismissed());
    },
  });
  return promise;
};

/**
 * Sends a request with a password. If the operator has a factor, a dialog asks for it, and the request is sent again with
 * the answer.
 *
 * @throws {Dismissed} if the operator closes the dialog
 */
export const withFactor = async <T>(send: (answer?: ChallengeAnswer) => PromiseLike<T>): Promise<T> => {
  try {
    return await send();
  } catch (error) {
    const asked = askedIn(error);
    if (asked === undefined) throw error;
    return askFor(asked, send);
  }
};
