import { MAX_OPERATORS, type NoticeSettingsUpdate, type Operator, type Role } from '@chairside/domain';
import type { SlotScope, Slotted } from '../driver/slots.ts';
import type { Noticed, UntoldTimes } from '../mails/notice-time.ts';
import { addedKindsOf, type FactorFields } from './factor-document.ts';

/** Maximum number of networks that are stored for each operator. */
export const MAX_KNOWN_NETWORKS = 20;

/** A link that was sent to an operator: the hash of its secret, and its end. */
export type OperatorLink = {
  secretHash: string;
  expiryTime: Date;
  /** The id of the mail that has it, if it is mailed. */
  mailId: string;
};

/** What has happened to an operator's account and was not told. */
export type UntoldFacts = {
  password?: UntoldTimes;
  factors?: UntoldTimes;
  /** A pause of codes. */
  codes?: UntoldTimes;
  role?: UntoldTimes;
  /** The e-mail addresses before the changes. They are told. */
  email?: UntoldTimes & { addresses: string[] };
  /** The last network that the account was not used from before, and how many there were. */
  network?: UntoldTimes & { network: string; count: number };
};

export type OperatorDocument = Slotted &
  Noticed &
  FactorFields & {
    organizationId: string;
    email: string;
    emailLowerCase: string;
    role: Role;
    name?: string;
    /** Empty until an invited operator has chosen a password. */
    passwordHash: string;
    /** Set while the operator has been invited and has no password. The hash is empty if the link was withdrawn. */
    invitation?: OperatorLink;
    /** The link for a new password. */
    passwordReset?: OperatorLink;
    /**
     * Increases when the role or the password changes, when the operator is disabled or enabled, and when all sessions
     * are ended explicitly. Sessions with another revision are invalid.
     */
    accessRevision?: number;
    /** Set if somebody else chose the password. The operator can then only change it or sign out. */
    passwordChangeRequired?: true;
    /** The networks that the operator has signed in from, in the order in which they were added. */
    networks?: string[];
    createdTime: Date;
    lastSignInTime?: Date;
    /** Set when the operator is disabled. A disabled operator cannot sign in. */
    disabledTime?: Date;
    untold?: UntoldFacts;
    /** The notices that the operator has switched on or off. Others are on. */
    notices?: NoticeSettingsUpdate;
  };

/** The slots of an organization's operators. An e-mail address belongs to only one operator of all organizations. */
export const slotsFor = ({
  organizationId,
  emailLowerCase,
}: Pick<OperatorDocument, 'organizationId' | 'emailLowerCase'>): SlotScope<OperatorDocument> => ({
  scope: { organizationId },
  maximum: MAX_OPERATORS,
  otherKey: { emailLowerCase },
});

/** Matches operators who have a password: not those who have been invited. */
export const hasPassword = { invitation: { $exists: false } };

/** Matches operators who are not disabled. */
export const isActive = { disabledTime: { $exists: false } };

/** Whether this is an administrator who can sign in. */
export const isAdministrator = ({
  role,
  disabledTime,
  invitation,
}: Pick<OperatorDocument, 'role' | 'disabledTime' | 'invitation'>): boolean =>
  role === 'administrator' && disabledTime === undefined && invitation === undefined;

export const toOperator = (document: OperatorDocument): Operator => ({
  _id: document._id,
  email: document.email,
  role: document.role,
  active: document.disabledTime === undefined,
  passwordChangeRequired: document.passwordChangeRequired === true,
  factors: addedKindsOf(document),
  ...(document.name !== undefined && { name: document.name }),
  createdTime: document.createdTime.toISOString(),
  ...(document.lastSignInTime && { lastSignInTime: document.lastSignInTime.toISOString() }),
  ...(document.invitation && { invitation: { expiryTime: document.invitation.expiryTime.toISOString() } }),
  ...(document.disabledTime && { disabledTime: document.disabledTime.toISOString() }),
});
