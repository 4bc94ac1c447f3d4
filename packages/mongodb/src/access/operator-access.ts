import { newId, type Operator } from '@chairside/domain';
import { type AuditTrail, type Run, type SecurityAction, SYSTEM } from '../audit/audit.ts';
import { findUnique } from '../driver/ferretdb.ts';
import type { OperatorResult } from './operator-writes.ts';
import { type NewOperator, type Operators, operatorsOf } from './operators.ts';
import type { Passwords } from './passwords.ts';
import { type ProgramTokenCollections, programTokensOf } from './program-tokens.ts';

/** Changes the access of operators in any organization, for chairside-admin. Every change is audited. */
export type OperatorAccess = {
  create(run: Run, operator: NewOperator, now: Date): Promise<Operator | 'emailTaken' | 'limitReached'>;
  /**
   * Sets a new password and ends all sessions of the operator.
   *
   * @param passwordChangeRequired whether the operator must choose another password at the first sign-in
   */
  resetPassword(
    email: string,
    password: string,
    passwordChangeRequired: boolean,
    now: Date,
  ): Promise<OperatorResult>;
  /** Disables an operator and ends all of the operator's sessions. */
  disable(email: string, now: Date): Promise<OperatorResult>;
  enable(email: string, now: Date): Promise<OperatorResult>;
};

export const openOperatorAccess = (
  collections: ProgramTokenCollections,
  passwords: Passwords,
  trail: Pick<AuditTrail, 'begin' | 'addUnique'>,
): OperatorAccess => {
  const operatorsIn = (organizationId: string): Operators =>
    operatorsOf(
      { ...collections, organizationId },
      passwords,
      programTokensOf({ ...collections, trail }, organizationId),
    );
  const begin = (
    { id: requestId, organizationId }: Run,
    action: Omit<SecurityAction, 'kind' | 'principal' | 'requestId'>,
  ) => trail.begin(organizationId, { ...action, kind: 'operator', principal: SYSTEM, requestId });

  const change = async (
    email: string,
    changes: Parameters<Operators['update']>[1],
    shown: SecurityAction['changes'] & object,
    now: Date,
  ): Promise<OperatorResult> => {
    const found = await findUnique(collections.operators, { emailLowerCase: email.toLowerCase() });
    if (found === undefined) return { outcome: 'missing' };
    const { _id, organizationId } = found;
    const run = { id: `admin-${newId()}`, organizationId };
    const end = await begin(run, { action: 'updated', ids: [_id], changes: shown });
    const result = await operatorsIn(organizationId).update(_id, changes, now);
    await end({ result: result.outcome === 'done' ? 'ok' : result.outcome });
    return result;
  };
  const setActive = (email: string, active: boolean, now: Date) =>
    change(email, { active }, [{ field: 'active', value: active }], now);

  return {
    async create(run, operator, now) {
      const changes = [{ field: 'email' }, { field: 'role', value: operator.role }, { field: 'password' }];
      const end = await begin(run, { action: 'created', ids: [], changes });
      const made = await operatorsIn(run.organizationId).create(operator, now);
      await end(typeof made === 'string' ? { result: made } : { result: 'ok', ids: [made._id] });
      return made;
    },
    resetPassword: (email, password, passwordChangeRequired, now) =>
      change(email, { password, passwordChangeRequired }, [{ field: 'password' }], now),
    disable: (email, now) => setActive(email, false, now),
    enable: (email, now) => setActive(email, true, now),
  };
};
