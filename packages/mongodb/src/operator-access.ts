import type { Collection } from 'mongodb';
import { findUnique } from './database.ts';
import { hashPassword } from './passwords.ts';
import type { OperatorDocument, SessionDocument } from './sessions.ts';

/** What came of a change to an operator's access. */
export type AccessResult =
  | { outcome: 'done'; _id: string; organizationId: string; endedSessions: number }
  /** Nobody has this e-mail address. */
  | { outcome: 'missing' }
  /** The organization would be left without an administrator who can sign in. */
  | { outcome: 'lastAdministrator' };

/** How operators of all organizations get in, by their e-mail address. Each change ends their sessions. */
export type OperatorAccess = {
  resetPassword(email: string, password: string): Promise<AccessResult>;
  disable(email: string, now: Date): Promise<AccessResult>;
  enable(email: string): Promise<AccessResult>;
};

const isActive = { disabledTime: { $exists: false } };

export const openOperatorAccess = (
  operators: Collection<OperatorDocument>,
  sessions: Collection<SessionDocument>,
): OperatorAccess => {
  const find = (email: string) => findUnique(operators, { emailLowerCase: email.toLowerCase() });

  /** The change first, then the sessions: a sign-in between the two sees the change and ends its own. */
  const change = async (
    email: string,
    update: { $set?: Partial<OperatorDocument>; $unset?: { disabledTime: '' } },
  ): Promise<AccessResult> => {
    const operator = await find(email);
    if (operator === undefined) return { outcome: 'missing' };
    const { _id, organizationId } = operator;
    const { matchedCount } = await operators.updateOne({ _id, organizationId }, update);
    if (matchedCount === 0) return { outcome: 'missing' };
    const { deletedCount } = await sessions.deleteMany({ organizationId, operatorId: _id });
    return { outcome: 'done', _id, organizationId, endedSessions: deletedCount };
  };

  return {
    resetPassword: async (email, password) =>
      change(email, { $set: { passwordHash: await hashPassword(password) } }),

    async disable(email, now) {
      const operator = await find(email);
      if (operator === undefined) return { outcome: 'missing' };
      if (operator.role === 'administrator') {
        const { organizationId } = operator;
        const active = await operators
          .find({ organizationId, role: 'administrator', ...isActive }, { projection: { _id: 1 } })
          .toArray();
        if (active.every(({ _id }) => _id === operator._id)) return { outcome: 'lastAdministrator' };
      }
      return change(email, { $set: { disabledTime: now } });
    },

    enable: (email) => change(email, { $unset: { disabledTime: '' } }),
  };
};
