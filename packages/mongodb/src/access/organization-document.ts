import type { LogExpiry } from '../events/event-document.ts';

export type OrganizationDocument = LogExpiry & {
  name: string;
  createdTime: Date;
  /** When chairside-admin began to delete the organization. */
  deletingSince?: Date;
};
