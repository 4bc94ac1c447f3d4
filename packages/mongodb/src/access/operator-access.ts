import { newId, type Operator } from '@chairside/domain';
import { type AuditTrail, type Author, beginRun, type Run, type SecurityAction } from '../audit/audit.ts';
import { findUnique } from '../driver/ferretdb.ts';
import type { Secrets } from '../encryption/secrets.ts';
import { toOperator } from './operator-document.ts';
import type { OperatorResult } from './operator-writes.ts';
import { type NewOperator, type Operators, type OperatorsOptions, operatorsOf } from './operators.ts';
import { ownFactorsOf } from './own-factors.ts';
import type { Passwords } from './passwords.ts';
import { type ProgramTokenCollections, programTokensOf } from './program-tokens.ts';

/** Changes the access of operators in any organization, for chairside-admin. Every change is audited. */
export type OperatorAccess = {
  create(run: Run, operator: NewOperator, now: Date): Promise<Operator | 'emailTaken' | 'limitReached'>;
  /** @param isMailed whether the dispatcher mails the link */
  invite(
    run: Run,
    operator: Pick<NewOperator, 'email' | 'role' | 'name'>,
    isMailed: boolean,
    now: Date,
  ): ReturnType<Operators['invite']>;
  /**
   * Sets a new password and ends all sessions of the operator.
   *
   * @param passwordChangeRequired whether the operator must choose another password at the first sign-in
   */
  resetPassword(
    author: Author,
    email: string,
    password: string,
    passwordChangeRequired: boolean,
    now: Date,
  ): Promise<OperatorResult>;
  /** Disables an operator and ends all of the operator's sessions. */
  disable(author: Author, email: string, now: Date): Promise<OperatorResult>;
  enable(author: Author, email: string, now: Date): Promise<OperatorResult>;
  /** Removes the factors of an operator who has lost them, and ends the operator's sessions and program tokens. */
  resetFactors(author: Author, email: string, now: Date): Promise<OperatorResult | { outcome: 'noFactor' }>;
};

export const openOperatorAccess = (
  collections: ProgramTokenCollections,
  passwords: Passwords,
  secrets: Secrets,
  trail: Pick<AuditTrail, 'begin' | 'addUnique'>,
  optionsOf: (organizationId: string) => Pick<OperatorsOptions, 'mails' | 'organizationName'>,
): OperatorAccess => {
  const operatorsIn = (organizationId: string): Operators =>
    operatorsOf({ ...collections, organizationId }, passwords, {
      programTokens: programTokensOf({ ...collections, trail }, organizationId),
      ...optionsOf(organizationId),
    });
  const begin = (run: Run, action: Pick<SecurityAction, 'action' | 'ids' | 'changes'>) =>
    beginRun(trail, run, { ...action, kind: 'operator' });

  const change = async (
    author: Author,
    email: string,
    changes: Parameters<Operators['update']>[1],
    shown: SecurityAction['changes'] & object,
    now: Date,
  ): Promise<OperatorResult> => {
    const found = await findUnique(collections.operators, { emailLowerCase: email.toLowerCase() });
    if (found === undefined) return { outcome: 'missing' };
    const { _id, organizationId } = found;
    const run = { ...author, id: `admin-${newId()}`, organizationId };
    const end = await begin(run, { action: 'updated', ids: [_id], changes: shown });
    const result = await operatorsIn(organizationId).update(_id, changes, now);
    await end({ result: result.outcome === 'done' ? 'ok' : result.outcome });
    return result;
  };
  const setActive = (author: Author, email: string, active: boolean, now: Date) =>
    change(author, email, { active }, [{ field: 'active', value: active }], now);

  return {
    async create(run, operator, now) {
      const changes = [{ field: 'email' }, { field: 'role', value: operator.role }, { field: 'password' }];
      const end = await begin(run, { action: 'created', ids: [], changes });
      const made = await operatorsIn(run.organizationId).create(operator, now);
      await end(typeof made === 'string' ? { result: made } : { result: 'ok', ids: [made._id] });
      return made;
    },
    async invite(run, operator, isMailed, now) {
      const changes = [{ field: 'email' }, { field: 'role', value: operator.role }];
      const end = await begin(run, { action: 'invited', ids: [], changes });
      const made = await operatorsIn(run.organizationId).invite(operator, isMailed, now);
      await end(typeof made === 'string' ? { result: made } : { result: 'ok', ids: [made.operator._id] });
      return made;
    },
    resetPassword: (author, email, password, passwordChangeRequired, now) =>
      change(author, email, { password, passwordChangeRequired }, [{ field: 'password' }], now),
    disable: (author, email, now) => setActive(author, email, false, now),
    enable: (author, email, now) => setActive(author, email, true, now),
    async resetFactors(author, email, now) {
      const found = await findUnique(collections.operators, { emailLowerCase: email.toLowerCase() });
      if (found === undefined) return { outcome: 'missing' };
      const { _id, organizationId } = found;
      const run = { ...author, id: `admin-${newId()}`, organizationId };
      const changes = [{ field: 'factor', value: 'all' }];
      const end = await begin(run, { action: 'factor_removed', ids: [_id], changes });
      const tokens = programTokensOf({ ...collections, trail }, organizationId);
      const factors = ownFactorsOf({ ...collections, organizationId }, secrets, tokens.endOf);
      const reset = await factors.reset(_id, now);
      await end({ result: reset === undefined ? 'noFactor' : 'ok' });
      const operator = { ...toOperator(found), factors: [] };
      return reset === undefined ? { outcome: 'noFactor' } : { outcome: 'done', operator, ...reset };
    },
  };
};
