/**
 * A connected app: the grant that an administrator made with OAuth 2.0. The grant lives as long as this document.
 * Deleting the document disconnects the app.
 */
export type ConnectionDocument = {
  /** The id of the grant. */
  _id: string;
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
  /** The host that the app is redirected to. */
  redirectHost: string;
  createdTime: Date;
  /** When a token of the grant was last used, to the minute. */
  lastUsedTime?: Date;
  /** When the grant ends if it is not used. */
  expireAt: Date;
};
