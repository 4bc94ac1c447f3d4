import { newId, type Operator, type OperatorChanges, type Role, type Session } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import { isActive, type OperatorDocument } from './operator-document.ts';
import type { Passwords } from './passwords.ts';
import { type SessionDocument, toSession } from './sessions.ts';

/** Proof that a password was right while the operator was in this state. */
export type Confirmation = { passwordHash: string; accessRevision: number };

export type NewOperator = {
  email: string;
  password: string;
  role: Role;
  /** Whether the operator must choose another password at the first sign-in. */
  passwordChangeRequired?: boolean;
};

/** Options of a change that hashes a password first, which may take seconds. */
export type HashingOptions = {
  /** The site whose turn the hash uses: sites take turns. */
  site?: string | undefined;
  /**
   * Called after hashing, before anything is stored.
   *
   * @throws {Refusal} if the caller may no longer make this change
   */
  stillAllowed?: (() => Promise<void>) | undefined;
};

/** The result of a change to an operator. */
export type OperatorResult =
  | { outcome: 'done'; operator: Operator; endedSessions: number }
  /** There is no such operator in this organization. */
  | { outcome: 'missing' }
  /** An operator with this e-mail address exists, in this organization or another. */
  | { outcome: 'emailTaken' }
  /** After the change, no administrator of the organization could sign in. */
  | { outcome: 'lastAdministrator' };

/** The operators of one organization. */
export type Operators = {
  list(): Promise<Operator[]>;
  find(id: string): Promise<Operator | undefined>;
  create(operator: NewOperator, now: Date, options?: HashingOptions): Promise<Operator | 'emailTaken'>;
  /** Changes an operator. Ends the operator's sessions unless only the e-mail address changes. */
  update(
    id: string,
    changes: OperatorChanges & { passwordChangeRequired?: boolean },
    now: Date,
    options?: HashingOptions,
  ): Promise<OperatorResult>;
  /** Deletes an operator and the operator's sessions. */
  remove(id: string): Promise<OperatorResult>;
  /** The sessions that have not ended, oldest first; undefined when the operator does not exist. */
  sessions(id: string, now: Date): Promise<Session[] | undefined>;
  /**
   * Ends all sessions, including those of sign-ins in progress.
   *
   * @returns the sessions that had not ended, oldest first; undefined when the operator does not exist
   */
  endSessions(id: string, now: Date): Promise<Session[] | undefined>;
  /** Whether the operator has signed in from this network before. */
  isKnown(id: string, network: string): Promise<boolean>;
  /**
   * Checks the operator's password, before something is shown that must not leak.
   *
   * @returns undefined when the password is wrong, or when the operator's access has changed during the check
   */
  confirmPassword(id: string, password: string, site?: string): Promise<Confirmation | undefined>;
  /**
   * Sets the operator's own password, and ends all sessions but this one.
   *
   * @param confirmation of the present password; the change is made only while it is valid and the session exists
   * @returns false when it is not valid or the session does not exist; nothing has changed then
   */
  changePassword(
    id: string,
    confirmation: Confirmation,
    password: string,
    keptSessionId: string,
    now: Date,
    site?: string,
  ): Promise<boolean>;
};

/** Matches an `accessRevision`. The field is absent until the first change. */
const atRevision = (revision: number) => (revision === 0 ? { $not: { $gt: 0 } } : revision);

export const toOperator = (document: OperatorDocument): Operator => ({
  _id: document._id,
  email: document.email,
  role: document.role,
  active: document.disabledTime === undefined,
  passwordChangeRequired: document.passwordChangeRequired === true,
  createdTime: document.createdTime.toISOString(),
  ...(document.disabledTime && { disabledTime: document.disabledTime.toISOString() }),
});

const isAdministrator = ({ role, disabledTime }: OperatorDocument): boolean =>
  role === 'administrator' && disabledTime === undefined;

/** Whether a change removes an active administrator from the organization. */
const losesAdministrator = (before: OperatorDocument, after: OperatorDocument | undefined): boolean =>
  isAdministrator(before) && (after === undefined || !isAdministrator(after));

/** Whether sessions stay valid after this change. */
const hasSameAccess = (one: OperatorDocument, other: OperatorDocument): boolean =>
  one.passwordHash === other.passwordHash &&
  one.role === other.role &&
  one.disabledTime === other.disabledTime;

/** @param organizationId bound into every query of the result */
export const operatorsOf = (
  operators: Collection<OperatorDocument>,
  sessions: Collection<SessionDocument>,
  passwords: Passwords,
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

  const hasAdministratorBesides = async (id: string): Promise<boolean> => {
    const others = { organizationId, role: 'administrator' as const, ...isActive, _id: { $ne: id } };
    return (await operators.find(others, { projection: { _id: 1 } }).toArray()).length > 0;
  };

  /** Matches the operator only in the state that was read. */
  const unchanged = ({ _id, email, role, passwordHash, ...rest }: OperatorDocument) => {
    const { accessRevision = { $exists: false }, disabledTime = { $exists: false } } = rest;
    return { ...one(_id), email, role, passwordHash, accessRevision, disabledTime };
  };

  /** Replaces this version by the next, unless another caller has written in between. */
  const swap = async (current: OperatorDocument, next: OperatorDocument | undefined): Promise<boolean> => {
    if (next === undefined) return deleteUnique(operators, unchanged(current));
    return (await operators.replaceOne(unchanged(current), next)).matchedCount === 1;
  };

  /**
   * Takes back a change that left the organization without an administrator. If another caller has written meanwhile,
   * only the administrator's access is restored. Sessions from before the change stay valid, unless another caller has
   * changed the access as well.
   */
  const takeBack = async (before: OperatorDocument, changed: OperatorDocument | undefined): Promise<void> => {
    if (changed === undefined) return void (await operators.insertOne(before));
    const revision = before.accessRevision ?? 0;
    const restored = { ...before, accessRevision: revision + 2 };
    if (!(await swap(changed, restored))) {
      await operators.updateOne(one(before._id), {
        $set: { role: before.role },
        $unset: { disabledTime: '' },
        $inc: { accessRevision: 1 },
      });
      return;
    }
    await sessions.updateMany(
      { organizationId, operatorId: before._id, accessRevision: atRevision(revision) },
      { $set: { accessRevision: restored.accessRevision } },
    );
  };

  /**
   * Changes an operator. A change that would leave no administrator is refused in advance. When two callers remove each
   * other at the same moment, both changes are made, both callers notice, and the changes are taken back.
   */
  const change = async (
    id: string,
    next: (current: OperatorDocument) => OperatorDocument | undefined,
  ): Promise<OperatorResult> => {
    const current = await findUnique(operators, one(id));
    if (current === undefined) return { outcome: 'missing' };
    const wanted = next(current);
    const mayBeLast = losesAdministrator(current, wanted);
    if (mayBeLast && !(await hasAdministratorBesides(id))) return { outcome: 'lastAdministrator' };
    const keepsAccess = wanted !== undefined && hasSameAccess(current, wanted);
    const accessRevision = (current.accessRevision ?? 0) + 1;
    const changed = wanted && (keepsAccess ? wanted : { ...wanted, accessRevision });
    const isSwapped = await swap(current, changed).catch((error: unknown) => {
      if (isDuplicateKey(error)) return 'emailTaken' as const;
      throw error;
    });
    if (isSwapped === 'emailTaken') return { outcome: isSwapped };
    if (!isSwapped) return change(id, next);
    if (mayBeLast && !(await hasAdministratorBesides(id))) {
      await takeBack(current, changed);
      return { outcome: 'lastAdministrator' };
    }
    const endedSessions = keepsAccess ? 0 : await endSessions(id);
    return { outcome: 'done', operator: toOperator(changed ?? current), endedSessions };
  };

  return {
    async list() {
      const found = await operators.find({ organizationId }, { sort: { _id: 1 } }).toArray();
      return found.map(toOperator);
    },

    async find(id) {
      const found = await findUnique(operators, one(id));
      return found && toOperator(found);
    },

    async create(
      { email, password, role, passwordChangeRequired },
      now,
      { site = 'local', stillAllowed } = {},
    ) {
      const document: OperatorDocument = {
        _id: newId(now),
        organizationId,
        email,
        emailLowerCase: email.toLowerCase(),
        role,
        passwordHash: await passwords.hash(password, site),
        ...(passwordChangeRequired && { passwordChangeRequired }),
        createdTime: now,
      };
      await stillAllowed?.();
      try {
        await operators.insertOne(document);
      } catch (error) {
        if (isDuplicateKey(error)) return 'emailTaken';
        throw error;
      }
      return toOperator(document);
    },

    async update(
      id,
      { email, role, active, password, passwordChangeRequired },
      now,
      { site = 'local', stillAllowed } = {},
    ) {
      const passwordHash = password === undefined ? undefined : await passwords.hash(password, site);
      await stillAllowed?.();
      return change(id, ({ disabledTime, passwordChangeRequired: wasRequired, ...current }) => {
        const isRequired = passwordHash === undefined ? wasRequired : passwordChangeRequired;
        return {
          ...current,
          ...(email !== undefined && { email, emailLowerCase: email.toLowerCase() }),
          ...(role !== undefined && { role }),
          ...(passwordHash !== undefined && { passwordHash }),
          ...(isRequired && { passwordChangeRequired: true }),
          ...(active === false && { disabledTime: disabledTime ?? now }),
          ...(active === undefined && disabledTime && { disabledTime }),
        };
      });
    },

    remove: (id) => change(id, () => undefined),

    async sessions(operatorId, now) {
      const operator = await findUnique(operators, one(operatorId), { role: 1 });
      if (operator === undefined) return undefined;
      const open = { organizationId, operatorId, expireAt: { $gt: now } };
      const found = await sessions.find(open, { sort: { _id: 1 } }).toArray();
      return found.map((session) => toSession(session, operator.role));
    },

    async endSessions(operatorId, now) {
      // A session is valid only for the revision that the operator had at its sign-in.
      const operator = await operators.findOneAndUpdate(
        one(operatorId),
        { $inc: { accessRevision: 1 } },
        { returnDocument: 'after', projection: { role: 1, accessRevision: 1 } },
      );
      if (operator === null) return undefined;
      const { role, accessRevision = 1 } = operator;
      const ended = { organizationId, operatorId, accessRevision: { $not: { $gte: accessRevision } } };
      const open = { ...ended, expireAt: { $gt: now } };
      const found = await sessions.find(open, { sort: { _id: 1 } }).toArray();
      await sessions.deleteMany(ended);
      return found.map((session) => toSession(session, role));
    },

    async isKnown(id, network) {
      return (await findUnique(operators, { ...one(id), networks: network }, { _id: 1 })) !== undefined;
    },

    async confirmPassword(id, password, site = 'local') {
      const operator = await findUnique(operators, { ...one(id), ...isActive });
      const isRight = await passwords.matches(password, operator?.passwordHash, site);
      if (!isRight || operator === undefined) return undefined;
      const same = await findUnique(operators, unchanged(operator), { _id: 1 });
      const { passwordHash, accessRevision = 0 } = operator;
      return same && { passwordHash, accessRevision };
    },

    async changePassword(id, { passwordHash, accessRevision }, password, keptSessionId, now, site = 'local') {
      const changed = await passwords.hash(password, site);
      const kept = { _id: keptSessionId, organizationId, operatorId: id };
      if ((await findUnique(sessions, kept, { _id: 1 })) === undefined) return false;
      const next = accessRevision + 1;
      const { matchedCount } = await operators.updateOne(
        {
          ...one(id),
          ...isActive,
          passwordHash,
          accessRevision: atRevision(accessRevision),
        },
        { $set: { passwordHash: changed, accessRevision: next }, $unset: { passwordChangeRequired: '' } },
      );
      if (matchedCount === 0) return false;
      await sessions.updateOne(kept, { $set: { accessRevision: next, confirmedTime: now } });
      await endSessions(id, keptSessionId);
      return true;
    },
  };
};
