import type { Role } from '@chairside/domain';

/** The most networks that are remembered for each operator. */
export const MAX_KNOWN_NETWORKS = 20;

export type OperatorDocument = {
  _id: string;
  organizationId: string;
  email: string;
  emailLowerCase: string;
  role: Role;
  passwordHash: string;
  /**
   * Counts the changes of role, password and activity. A session that was created before the last change is invalid.
   */
  accessRevision?: number;
  /** Set while the password was chosen by somebody else. The operator must change it before anything else. */
  passwordChangeRequired?: true;
  /** The networks that the operator has signed in from, the latest last. */
  networks?: string[];
  createdTime: Date;
  /** Set while the operator may not sign in. */
  disabledTime?: Date;
};

/** An operator who may sign in. */
export const isActive = { disabledTime: { $exists: false } };
