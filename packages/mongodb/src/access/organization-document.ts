import { ServiceError } from '@chairside/domain';
import type { Database } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import type { KeyedOrganization } from '../encryption/data-keys.ts';
import type { SearchedOrganization } from '../encryption/search-state.ts';
import type { LogExpiry } from '../events/event-document.ts';

export type OrganizationDocument = LogExpiry &
  KeyedOrganization &
  SearchedOrganization & {
    name: string;
    createdTime: Date;
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
