import type { LogExpiry } from '../events/event-document.ts';

export type OrganizationDocument = LogExpiry & { name: string; createdTime: Date };
