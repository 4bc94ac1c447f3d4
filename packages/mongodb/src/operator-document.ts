import type { Role } from '@chairside/domain';

/** From how many networks an operator's sign-ins are remembered. */
export const MAX_KNOWN_NETWORKS = 20;

export type OperatorDocument = {
  _id: string;
  organizationId: string;
  email: string;
  emailLowerCase: string;
  role: Role;
  passwordHash: string;
  /** Counts the changes of role, password and activity: a session made before the last one is not valid. */
  accessRevision?: number;
  /** Set while somebody else has chosen the password: the operator must change it first of all. */
  passwordChangeRequired?: true;
  /** Where the operator has signed in from, the latest last. */
  networks?: string[];
  createdTime: Date;
  /** Set while the operator may not sign in. */
  disabledTime?: Date;
};

/** An operator who may sign in. */
export const isActive = { disabledTime: { $exists: false } };
