import type { Context } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';

/**
 * The organization, and the clinic if one is named, as a filter.
 *
 * @throws {UsageFailure} for a clinic without its organization
 * @throws {AdminFailure} when there is no such organization or clinic
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
      `There is no clinic ${clinic} in this organization. List them with: chairside-admin clinic list`,
    );
  }
  return { organizationId, clinicId: clinic };
};
