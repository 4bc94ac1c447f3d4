import { validationError } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { Strength } from '@chairside/passwords';

/**
 * Refuses a new password that is too easy to guess.
 *
 * @param field the field of the body that has the password
 * @param of the operator: the e-mail address, and the name of the organization
 * @throws {Refusal} ValidationError with the reason; TooManyRequests or ServiceUnavailable if too many passwords wait
 */
export const requireStrongPassword = async (
  strength: Strength,
  field: 'password' | 'newPassword',
  password: string,
  of: { email: string; organizationName: string },
  callerAddress: string,
): Promise<void> => {
  const problem = await strength.problemOf(password, [of.email, of.organizationName], siteOf(callerAddress));
  if (problem !== undefined) throw validationError([{ path: field, message: problem, code: 'invalid' }]);
};
