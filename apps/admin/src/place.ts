import type { Context } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';

/**
 * Returns a filter for the given organization and clinic. It is empty if neither is given.
 *
 * @throws {UsageFailure} for a clinic without its organization
 * @throws {AdminFailure} if the organization or the clinic does not exist
 */
export const placeOf = async (
  { begin, store }: Context,
  { organization, clinic }: { organization?: string; clinic?: string },
): Promise<{ organizationId?: string; clinicId?: string }> => {
  if (organization === undefined) {
    if (clinic !== undefined) throw new UsageFailure('Give --organization with --clinic.');
    return {};
  }
  const { organizationId } = await begin(organization);
  if (clinic === undefined) return { organizationId };
  if (!(await store.organization(organizationId).clinics.exists(clinic))) {
    throw new AdminFailure(
      `There is no clinic ${clinic} in this organization. List the clinics with: chairside-admin clinic list`,
    );
  }
  return { organizationId, clinicId: clinic };
};
