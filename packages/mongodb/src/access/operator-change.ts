import type { Role } from '@chairside/domain';
import type { UpdateFilter } from 'mongodb';
import { isAdministrator, type OperatorDocument, type OperatorLink } from './operator-document.ts';

/** A change to an operator: either its deletion or new values. A value that is absent stays as it is. */
export type OperatorChange =
  | 'delete'
  | {
      time: Date;
      email?: string | undefined;
      role?: Role | undefined;
      /** `null` removes the name. */
      name?: string | null | undefined;
      active?: boolean | undefined;
      /** A new password, hashed. */
      passwordHash?: string | undefined;
      /** Whether the operator must replace the new password. Without a new password, this has no effect. */
      passwordChangeRequired?: boolean | undefined;
    };

/** The effects of a change on an operator. */
export type ChangeDecision = {
  /** The next version of the operator; undefined if the operator is deleted. */
  next: OperatorDocument | undefined;
  endsSessions: boolean;
  /** Whether the organization loses an administrator who can sign in. */
  losesAdministrator: boolean;
};

/** The invitation of an operator whose link was withdrawn. Another one can be sent. */
const withdrawn = (invitation: OperatorLink, time: Date): OperatorLink => ({
  ...invitation,
  secretHash: '',
  expiryTime: time,
});

const withChange = (
  {
    disabledTime,
    passwordChangeRequired: wasRequired,
    name: nameBefore,
    invitation,
    passwordReset,
    ...current
  }: OperatorDocument,
  {
    time,
    email,
    role,
    name,
    active,
    passwordHash,
    passwordChangeRequired,
  }: Exclude<OperatorChange, 'delete'>,
): OperatorDocument => {
  const isRequired = passwordHash === undefined ? wasRequired : passwordChangeRequired;
  const isDisabled = active === undefined ? disabledTime !== undefined : !active;
  const nextName = name === undefined ? nameBefore : (name ?? undefined);
  const isMoved = email !== undefined && email !== current.email;
  const endsLinks = isMoved || passwordHash !== undefined || isDisabled;
  return {
    ...current,
    ...(nextName !== undefined && { name: nextName }),
    ...(invitation &&
      passwordHash === undefined && { invitation: endsLinks ? withdrawn(invitation, time) : invitation }),
    ...(passwordReset && !endsLinks && { passwordReset }),
    ...(email !== undefined && { email, emailLowerCase: email.toLowerCase() }),
    ...(role !== undefined && { role }),
    ...(passwordHash !== undefined && { passwordHash }),
    ...(isRequired && { passwordChangeRequired: true }),
    ...(isDisabled && { disabledTime: disabledTime ?? time }),
  };
};

/** Whether existing sessions stay valid after this change. */
const hasSameAccess = (one: OperatorDocument, other: OperatorDocument): boolean =>
  one.passwordHash === other.passwordHash &&
  one.role === other.role &&
  one.disabledTime === other.disabledTime;

/**
 * Decides the effects of a change. A change of the role, the password or `active` ends the operator's sessions and
 * increases the `accessRevision`. A change of only the e-mail address or the name does neither. A new e-mail address, a new
 * password and disabling the operator end the links that were sent to the operator.
 */
export const decideChange = (current: OperatorDocument, change: OperatorChange): ChangeDecision => {
  if (change === 'delete') {
    return { next: undefined, endsSessions: true, losesAdministrator: isAdministrator(current) };
  }
  const wanted = withChange(current, change);
  const endsSessions = !hasSameAccess(current, wanted);
  const accessRevision = (current.accessRevision ?? 0) + 1;
  return {
    next: endsSessions ? { ...wanted, accessRevision } : wanted,
    endsSessions,
    losesAdministrator: isAdministrator(current) && !isAdministrator(wanted),
  };
};

/** What a change does to an operator's account, which the operator is told. */
export type AccountFact = 'password' | 'factors' | 'codes' | 'role' | 'email';

/**
 * What a change does to the operator's account. An operator who was invited has none yet.
 *
 * @param next the next version of the operator
 */
export const factsOf = (current: OperatorDocument, next: OperatorDocument): AccountFact[] =>
  current.invitation !== undefined
    ? []
    : [
        ...(next.passwordHash !== current.passwordHash ? ['password' as const] : []),
        ...(next.role !== current.role ? ['role' as const] : []),
        ...(next.emailLowerCase !== current.emailLowerCase ? ['email' as const] : []),
      ];

/** Makes an update store facts of an account, too. */
export const telling = (
  facts: readonly AccountFact[],
  time: Date,
  update: UpdateFilter<OperatorDocument>,
): UpdateFilter<OperatorDocument> => {
  if (facts.length === 0) return update;
  const timesOf = (name: 'since' | 'time') =>
    Object.fromEntries(facts.map((fact) => [`untold.${fact}.${name}`, time]));
  return {
    ...update,
    $set: { ...update.$set, ...timesOf('time'), noticeAt: time },
    $min: timesOf('since'),
  } as UpdateFilter<OperatorDocument>;
};
