import type { OperatorChanges } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { findUnique } from './database.ts';
import { type OperatorDocument, type OperatorResult, operatorsOf } from './operators.ts';
import type { SessionDocument } from './sessions.ts';

/** How operators of all organizations get in, by their e-mail address. Each change ends their sessions. */
export type OperatorAccess = {
  resetPassword(email: string, password: string, now: Date): Promise<OperatorResult>;
  disable(email: string, now: Date): Promise<OperatorResult>;
  enable(email: string, now: Date): Promise<OperatorResult>;
};

export const openOperatorAccess = (
  operators: Collection<OperatorDocument>,
  sessions: Collection<SessionDocument>,
): OperatorAccess => {
  const change = async (email: string, changes: OperatorChanges, now: Date): Promise<OperatorResult> => {
    const found = await findUnique(operators, { emailLowerCase: email.toLowerCase() });
    if (found === undefined) return { outcome: 'missing' };
    return operatorsOf(operators, sessions, found.organizationId).update(found._id, changes, now);
  };

  return {
    resetPassword: (email, password, now) => change(email, { password }, now),
    disable: (email, now) => change(email, { active: false }, now),
    enable: (email, now) => change(email, { active: true }, now),
  };
};
