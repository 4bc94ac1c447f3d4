import { enteredPassword, Refusal, type Role } from '@chairside/domain';
import { networkOf, siteOf } from '@chairside/http-server';
import type { Confirmation } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { PasswordGuard } from './password-guard.ts';

/** The schema of a body with the operator's own password. @param id its name in the OpenAPI document */
export const ownPasswordBody = (id: string) =>
  z
    .strictObject({
      password: enteredPassword.meta({
        description: 'Your own password.',
        examples: ['correct horse battery'],
      }),
    })
    .meta({ id });

/**
 * Checks the password that a signed-in operator has entered again.
 *
 * @param requiredRole the role that the route needs
 * @throws {Refusal} Forbidden if the password is wrong, TooManyRequests after too many attempts, ServiceUnavailable if
 *   too many passwords wait to be checked, and the refusals of `authorizeAgain`
 */
export const requireOwnPassword = async (
  guard: PasswordGuard,
  request: FastifyRequest,
  password: string,
  requiredRole: Role,
): Promise<Confirmation> => {
  const { principal, callerAddress } = request;
  const { operators } = request.store;
  const [network, site] = [networkOf(callerAddress), siteOf(callerAddress)];
  // The attempt is counted under the e-mail address, like a sign-in. Otherwise a stolen token would allow additional
  // guesses.
  const { email } = (await operators.find(principal.id)) ?? { email: principal.id };
  const confirmation = await guard.attempt(
    { name: email, network, site },
    () => operators.isKnown(principal.id, network),
    () => operators.confirmPassword(principal.id, password, site),
  );
  if (confirmation === undefined)
    throw new Refusal('Forbidden', 'Wrong password. Enter the password that you sign in with.', {
      details: { requiredRole },
    });
  await request.authorizeAgain();
  return confirmation;
};
