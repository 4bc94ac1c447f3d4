import { newId, type Operator, type OperatorChanges, type Role, type Session } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { deleteUnique, findUnique, isDuplicateKey } from './database.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { type SessionDocument, toSession } from './sessions.ts';

export type OperatorDocument = {
  _id: string;
  organizationId: string;
  email: string;
  emailLowerCase: string;
  role: Role;
  passwordHash: string;
  createdTime: Date;
  /** Set while the operator may not sign in. */
  disabledTime?: Date;
};

/** What came of a change to an operator. */
export type OperatorResult =
  | { outcome: 'done'; operator: Operator; endedSessions: number }
  /** There is no such operator in this organization. */
  | { outcome: 'missing' }
  /** An operator with this e-mail address exists, in this organization or another. */
  | { outcome: 'emailTaken' }
  /** The organization would be left without an administrator who can sign in. */
  | { outcome: 'lastAdministrator' };

/** The operators of one organization. */
export type Operators = {
  list(): Promise<Operator[]>;
  create(
    operator: { email: string; password: string; role: Role },
    now: Date,
  ): Promise<Operator | 'emailTaken'>;
  /** Changes an operator, and ends the sessions unless it is the e-mail address alone. */
  update(id: string, changes: OperatorChanges, now: Date): Promise<OperatorResult>;
  /** Removes an operator with the sessions. */
  remove(id: string): Promise<OperatorResult>;
  /** The sessions that have not ended, oldest first; undefined when there is no such operator. */
  sessions(id: string, now: Date): Promise<Session[] | undefined>;
  /** Whether this is the password of the operator: asked again before something is shown that must not leak. */
  confirmPassword(id: string, password: string): Promise<boolean>;
  /** Sets one's own password, and ends all sessions but this one. */
  changePassword(id: string, password: string, keptSessionId: string): Promise<void>;
};

const isActive = { disabledTime: { $exists: false } };

const toOperator = ({ _id, email, role, createdTime, disabledTime }: OperatorDocument): Operator => ({
  _id,
  email,
  role,
  active: disabledTime === undefined,
  createdTime: createdTime.toISOString(),
  ...(disabledTime && { disabledTime: disabledTime.toISOString() }),
});

const isAdministrator = ({ role, disabledTime }: OperatorDocument): boolean =>
  role === 'administrator' && disabledTime === undefined;

/** @param organizationId bound into every query of the result */
export const operatorsOf = (
  operators: Collection<OperatorDocument>,
  sessions: Collection<SessionDocument>,
  organizationId: string,
): Operators => {
  const one = (id: string) => ({ _id: id, organizationId });

  const endSessions = async (operatorId: string, kept?: string): Promise<number> => {
    const { deletedCount } = await sessions.deleteMany({
      organizationId,
      operatorId,
      ...(kept !== undefined && { _id: { $ne: kept } }),
    });
    return deletedCount;
  };

  const hasAdministrator = async (): Promise<boolean> => {
    const administrators = { organizationId, role: 'administrator' as const, ...isActive };
    return (await operators.find(administrators, { projection: { _id: 1 } }).toArray()).length > 0;
  };

  /** Puts the next version in the place of this one, if nobody wrote between. */
  const swap = async (current: OperatorDocument, next: OperatorDocument | undefined): Promise<boolean> => {
    const { email, role, passwordHash, disabledTime = { $exists: false } } = current;
    const same = { ...one(current._id), email, role, passwordHash, disabledTime };
    if (next === undefined) return deleteUnique(operators, same);
    return (await operators.replaceOne(same, next)).matchedCount === 1;
  };

  /**
   * Changes an operator, and takes the change back if nobody is left to administrate: of two callers at once who would
   * remove each other both see it.
   */
  const change = async (
    id: string,
    next: (current: OperatorDocument) => OperatorDocument | undefined,
  ): Promise<OperatorResult> => {
    const current = await findUnique(operators, one(id));
    if (current === undefined) return { outcome: 'missing' };
    const changed = next(current);
    try {
      if (!(await swap(current, changed))) return change(id, next);
    } catch (error) {
      if (isDuplicateKey(error)) return { outcome: 'emailTaken' };
      throw error;
    }
    const mayBeLast = isAdministrator(current) && (changed === undefined || !isAdministrator(changed));
    if (mayBeLast && !(await hasAdministrator())) {
      await operators.replaceOne(one(id), current, { upsert: true });
      return { outcome: 'lastAdministrator' };
    }
    // After the change: a sign-in between the two sees it and ends its own session.
    const isSameAccess =
      changed?.passwordHash === current.passwordHash &&
      changed.role === current.role &&
      changed.disabledTime === current.disabledTime;
    const endedSessions = isSameAccess ? 0 : await endSessions(id);
    return { outcome: 'done', operator: toOperator(changed ?? current), endedSessions };
  };

  return {
    async list() {
      const found = await operators.find({ organizationId }, { sort: { _id: 1 } }).toArray();
      return found.map(toOperator);
    },

    async create({ email, password, role }, now) {
      const document: OperatorDocument = {
        _id: newId(now),
        organizationId,
        email,
        emailLowerCase: email.toLowerCase(),
        role,
        passwordHash: await hashPassword(password),
        createdTime: now,
      };
      try {
        await operators.insertOne(document);
      } catch (error) {
        if (isDuplicateKey(error)) return 'emailTaken';
        throw error;
      }
      return toOperator(document);
    },

    async update(id, { email, role, active, password }, now) {
      const passwordHash = password === undefined ? undefined : await hashPassword(password);
      return change(id, ({ disabledTime, ...current }) => ({
        ...current,
        ...(email !== undefined && { email, emailLowerCase: email.toLowerCase() }),
        ...(role !== undefined && { role }),
        ...(passwordHash !== undefined && { passwordHash }),
        ...(active === false && { disabledTime: disabledTime ?? now }),
        ...(active === undefined && disabledTime && { disabledTime }),
      }));
    },

    remove: (id) => change(id, () => undefined),

    async sessions(operatorId, now) {
      if ((await findUnique(operators, one(operatorId), { _id: 1 })) === undefined) return undefined;
      const open = { organizationId, operatorId, expireAt: { $gt: now } };
      return (await sessions.find(open, { sort: { _id: 1 } }).toArray()).map(toSession);
    },

    async confirmPassword(id, password) {
      const operator = await operators.findOne(one(id));
      return isPassword(password, operator?.passwordHash);
    },

    async changePassword(id, password, keptSessionId) {
      await operators.updateOne(one(id), { $set: { passwordHash: await hashPassword(password) } });
      await endSessions(id, keptSessionId);
    },
  };
};
