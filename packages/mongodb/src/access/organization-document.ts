import { type FactorRequirement, ServiceError } from '@chairside/domain';
import { LRUCache } from 'lru-cache';
import type { Collection, Database } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import type { KeyedOrganization } from '../encryption/data-keys.ts';
import type { SearchedOrganization } from '../encryption/search-state.ts';
import type { LogExpiry } from '../events/event-document.ts';

export type OrganizationDocument = LogExpiry &
  KeyedOrganization &
  SearchedOrganization & {
    name: string;
    createdTime: Date;
    /** Who must have a factor besides the password. Absent: nobody. */
    requiredFactors?: FactorRequirement;
    /** When chairside-admin began to delete the organization. */
    deletingSince?: Date;
  };

/** The name of an organization. */
export const organizationNameIn = async (database: Database, id: string): Promise<string> => {
  const organizations = database.collection<OrganizationDocument & { _id: string }>('organizations');
  const found = await findUnique(organizations, { _id: id }, { name: 1 });
  if (found === undefined) throw new ServiceError(`The organization ${id} does not exist.`);
  return found.name;
};

/** How long the requirement of an organization is remembered, in milliseconds. */
const REQUIREMENT_LIFE_MS = 1000;
/** Maximum number of organizations whose requirement is remembered. */
const MAX_REMEMBERED = 10_000;

/** Whom an organization requires to have a factor. */
export type OwnRequirement = {
  /** It may be a second old, unless this process has changed it. */
  get(): Promise<FactorRequirement>;
  set(requirement: FactorRequirement): Promise<void>;
};

/** Whom organizations require to have a factor. */
export type FactorRequirements = { of(organizationId: string): OwnRequirement };

export const openFactorRequirements = (
  organizations: Collection<OrganizationDocument & { _id: string }>,
): FactorRequirements => {
  const read = async (_id: string): Promise<FactorRequirement> =>
    (await findUnique(organizations, { _id }, { requiredFactors: 1 }))?.requiredFactors ?? 'off';
  const remembered = new LRUCache<string, FactorRequirement>({
    max: MAX_REMEMBERED,
    ttl: REQUIREMENT_LIFE_MS,
    fetchMethod: read,
    // Whoever reads while the requirement changes gets what was read. It is not remembered.
    ignoreFetchAbort: true,
  });
  return {
    of: (_id) => ({
      get: async () => (await remembered.fetch(_id)) ?? 'off',
      async set(requiredFactors) {
        await organizations.updateOne({ _id }, { $set: { requiredFactors } });
        remembered.delete(_id);
      },
    }),
  };
};
