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
