import type { Slotted } from '../driver/slots.ts';

/**
 * A connected app: the grant that an administrator made with OAuth 2.0. The grant lives as long as this document.
 * Deleting the document disconnects the app. Its `_id` is the id of the grant.
 */
export type ConnectionDocument = Slotted & {
  organizationId: string;
  /** The administrator who made the grant. */
  operatorId: string;
  /**
   * The operator's `accessRevision` at the time of the grant. The grant is valid only while the operator still has this
   * revision.
   */
  accessRevision: number;
  clientId: string;
  /** The name that the app gives itself. */
  clientName: string;
  /** The host that the browser is sent back to after the grant. */
  redirectHost: string;
  createdTime: Date;
  /** When a token of the grant was last used, to the minute. */
  lastUsedTime?: Date;
  /** When the grant ends unless it is used before. */
  expireAt: Date;
};
