import type { Operator, Role } from '@chairside/domain';

/** Maximum number of networks that are remembered for each operator. */
export const MAX_KNOWN_NETWORKS = 20;

export type OperatorDocument = {
  _id: string;
  organizationId: string;
  email: string;
  emailLowerCase: string;
  role: Role;
  passwordHash: string;
  /**
   * Increases when the role or the password changes, when the operator is disabled or enabled, and when all sessions
   * are ended explicitly. Sessions with an older revision are invalid.
   */
  accessRevision?: number;
  /** Set if somebody else chose the password. The operator must then change it before any other request. */
  passwordChangeRequired?: true;
  /** The networks that the operator has signed in from; the most recent one is last. */
  networks?: string[];
  createdTime: Date;
  /** Set when the operator is disabled. A disabled operator cannot sign in. */
  disabledTime?: Date;
};

/** Matches operators who may sign in. */
export const isActive = { disabledTime: { $exists: false } };

export const toOperator = (document: OperatorDocument): Operator => ({
  _id: document._id,
  email: document.email,
  role: document.role,
  active: document.disabledTime === undefined,
  passwordChangeRequired: document.passwordChangeRequired === true,
  createdTime: document.createdTime.toISOString(),
  ...(document.disabledTime && { disabledTime: document.disabledTime.toISOString() }),
});
