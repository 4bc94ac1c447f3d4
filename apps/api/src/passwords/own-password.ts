import {
  answerIn,
  clock,
  enteredPassword,
  type FactorAnswer,
  Refusal,
  type Role,
  withFactor,
} from '@chairside/domain';
import { networkOf, siteOf } from '@chairside/http-server';
import type { Challenges, Confirmation } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Answers, askingFor, wrongAnswer } from '../factors/answers.ts';
import type { PasswordGuard } from './password-guard.ts';

const ownPassword = {
  password: enteredPassword.meta({
    description: 'Your own password.',
    examples: ['correct horse battery'],
  }),
};

/**
 * The schema of a body with the operator's own password, and with the factor of an operator who has one.
 *
 * @param id its name in the OpenAPI document
 */
export const ownPasswordBody = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  withFactor(id, { ...ownPassword, ...shape });

/** What checks the password and the factor of a signed-in operator. */
export type OwnPasswordChecks = {
  guard: PasswordGuard;
  challenges: Challenges;
  answers: Answers;
};

/** The own password, with the factor of an operator who has one. */
export type EnteredPassword = { password: string; challenge?: string | undefined } & Omit<
  FactorAnswer,
  'challenge'
>;

/**
 * Checks what a signed-in operator has entered again: the password, and the factor if there is one.
 *
 * @param requiredRole the role that the route needs
 * @throws {Refusal} Forbidden if the password is wrong or the factor is missing, Unauthorized if the answer is wrong,
 *   TooManyRequests after too many attempts, ServiceUnavailable if too many passwords wait to be checked, and the refusals
 *   of `authorizeAgain`
 */
export const requireOwnPassword = async (
  { guard, challenges, answers }: OwnPasswordChecks,
  request: FastifyRequest,
  entered: EnteredPassword,
  requiredRole: Role,
): Promise<Confirmation> => {
  const { principal, callerAddress } = request;
  const { operators } = request.store;
  const [network, site] = [networkOf(callerAddress), siteOf(callerAddress)];
  // The attempt is counted under the e-mail address, like a sign-in. Otherwise a stolen token would allow additional
  // guesses.
  const { email } = (await operators.find(principal.id)) ?? { email: principal.id };
  const right = await guard.attempt(
    { name: email, network, site },
    () => operators.isKnown(principal.id, network),
    () => operators.confirmPassword(principal.id, entered.password, site),
  );
  const wrongPassword = () =>
    new Refusal('Forbidden', 'Wrong password. Enter the password that you sign in with.', {
      details: { requiredRole },
    });
  if (right === undefined) throw wrongPassword();
  const { confirmation, kinds } = right;
  if (kinds.length > 0) {
    const { organizationId, id: operatorId } = principal;
    const answer = answerIn(entered);
    if (answer === undefined) {
      const { accessRevision } = confirmation;
      const asked = { organizationId, operatorId, accessRevision };
      const challenge = await challenges.create('session', asked, clock.now());
      throw askingFor('Forbidden', { kinds, challenge }, { requiredRole });
    }
    const answered = await answers.check(answer, ['session'], { organizationId, operatorId });
    if (answered.outcome === 'unknown') throw wrongPassword();
    if (answered.outcome === 'wrong') throw wrongAnswer(kinds);
  }
  await request.authorizeAgain();
  return confirmation;
};
