import type { Context } from './command.ts';
import { AdminFailure } from './failure.ts';

/**
 * Adds a stop in the name of the caller. Returns whether it is new.
 *
 * @throws {AdminFailure} if there are as many stops as the store takes
 */
export const addStop = async (
  { administration, author }: Context,
  target: { organizationId: string } | { host: string },
): Promise<'added' | 'present'> => {
  const added = await administration.stops.add({ ...target, ...author });
  if (added === 'limitReached')
    throw new AdminFailure(
      'There are too many suspended organizations and blocked hosts. Resume or unblock one first.',
    );
  return added;
};
