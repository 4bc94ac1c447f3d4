import type { FactorKind } from '@chairside/domain';
import { findUnique } from '../driver/ferretdb.ts';
import { kindsOf } from './factor-document.ts';
import { telling } from './operator-change.ts';
import { isActive } from './operator-document.ts';
import { atRevision, endSessions, type OperatorCollections, unchanged } from './operator-writes.ts';
import type { Passwords } from './passwords.ts';

/**
 * Proof that the operator entered the right password, valid only while the operator's password and access are
 * unchanged.
 */
export type Confirmation = { passwordHash: string; accessRevision: number };

/** A right password: the confirmation, and what the operator is asked besides. Empty without a factor. */
export type RightPassword = { confirmation: Confirmation; kinds: FactorKind[] };

/** Checks an operator's password. See `Operators`. */
export const confirmPassword = async (
  { operators, organizationId }: OperatorCollections,
  passwords: Passwords,
  id: string,
  password: string,
  site: string,
): Promise<RightPassword | undefined> => {
  const operator = await findUnique(operators, { _id: id, organizationId, ...isActive });
  const isRight = await passwords.matches(password, operator?.passwordHash, site);
  if (!isRight || operator === undefined) return undefined;
  const same = await findUnique(operators, unchanged(operator), { _id: 1 });
  const { passwordHash, accessRevision = 0 } = operator;
  return same && { confirmation: { passwordHash, accessRevision }, kinds: kindsOf(operator) };
};

/** Sets the operator's own password. See `Operators`. */
export const changeOwnPassword = async (
  collections: OperatorCollections,
  passwords: Passwords,
  id: string,
  { passwordHash, accessRevision }: Confirmation,
  password: string,
  keptSessionId: string,
  now: Date,
  site: string,
): Promise<boolean> => {
  const { operators, sessions, organizationId } = collections;
  const changed = await passwords.hash(password, site);
  const kept = { _id: keptSessionId, organizationId, operatorId: id };
  if ((await findUnique(sessions, kept, { _id: 1 })) === undefined) return false;
  const next = accessRevision + 1;
  const { matchedCount } = await operators.updateOne(
    { _id: id, organizationId, ...isActive, passwordHash, accessRevision: atRevision(accessRevision) },
    telling(['password'], now, {
      $set: { passwordHash: changed, accessRevision: next },
      $unset: { passwordChangeRequired: '', passwordReset: '' },
    }),
  );
  if (matchedCount === 0) return false;
  await sessions.updateOne(kept, { $set: { accessRevision: next, confirmedTime: now } });
  await endSessions(collections, id, keptSessionId);
  return true;
};
