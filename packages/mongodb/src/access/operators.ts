import { newId, type Operator, type OperatorChanges, type Role, type Session } from '@chairside/domain';
import { findUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import { type OperatorDocument, slotsFor, toOperator } from './operator-document.ts';
import { changeOperator, type OperatorCollections, type OperatorResult } from './operator-writes.ts';
import { type Confirmation, changeOwnPassword, confirmPassword } from './own-password.ts';
import type { Passwords } from './passwords.ts';
import type { ProgramTokens } from './program-tokens.ts';
import { toSession } from './sessions.ts';

export type NewOperator = {
  email: string;
  password: string;
  role: Role;
  /** Whether the operator must choose another password at the first sign-in. */
  passwordChangeRequired?: boolean;
};

/** Options for changes that first hash a password, which may take seconds. */
export type HashingOptions = {
  /** The caller's site. Sites take turns in the queue of password hashes. */
  site?: string | undefined;
  /**
   * Called after hashing, before anything is stored.
   *
   * @throws {Refusal} if the caller may no longer make this change
   */
  stillAllowed?: (() => Promise<void>) | undefined;
};

/** Options of a change to an operator. */
export type ChangingOptions = HashingOptions & {
  /**
   * Called with the operator as it is. Called again if another caller has changed the operator since.
   *
   * @throws {Refusal} if the operator may not be changed
   */
  check?: ((current: Operator) => void) | undefined;
};

/**
 * The operators of one organization. A method that ends the sessions of an operator also ends the operator's program
 * tokens.
 */
export type Operators = {
  list(): Promise<Operator[]>;
  find(id: string): Promise<Operator | undefined>;
  /** @returns `limitReached` if the organization already has the maximum number of operators */
  create(
    operator: NewOperator,
    now: Date,
    options?: HashingOptions,
  ): Promise<Operator | 'emailTaken' | 'limitReached'>;
  /** Changes an operator. Ends the operator's sessions if the role, the password or `active` changes. */
  update(
    id: string,
    changes: OperatorChanges & { passwordChangeRequired?: boolean },
    now: Date,
    options?: ChangingOptions,
  ): Promise<OperatorResult>;
  /** Deletes an operator and the operator's sessions. */
  remove(id: string, check?: (current: Operator) => void): Promise<OperatorResult>;
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
   * Checks the operator's password before an action that needs a password confirmation.
   *
   * @returns undefined if the password is wrong, if the operator is missing or disabled, or if the operator was changed
   *   during the check
   */
  confirmPassword(id: string, password: string, site?: string): Promise<Confirmation | undefined>;
  /**
   * Sets the operator's own password and ends all other sessions.
   *
   * @param confirmation of the current password; the change is made only while the confirmation is valid and the
   *   session exists
   * @returns false if the confirmation is not valid or the session does not exist; nothing has changed then
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

/** @param collections contains the id of the organization. Every query of the returned repository contains this id */
export const operatorsOf = (
  collections: OperatorCollections,
  passwords: Passwords,
  programTokens: Pick<ProgramTokens, 'endOf'>,
): Operators => {
  const { operators, sessions, organizationId } = collections;
  const one = (id: string) => ({ _id: id, organizationId });
  const change = async (
    id: string,
    wanted: Parameters<typeof changeOperator>[2],
    check: ChangingOptions['check'],
  ) => {
    const result = await changeOperator(collections, id, wanted, check);
    if (result.outcome === 'done') await programTokens.endOf(id);
    return result;
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
        if (!(await insertIntoFreeSlot(operators, document, slotsFor(document)))) return 'limitReached';
      } catch (error) {
        if (isDuplicateKey(error)) return 'emailTaken';
        throw error;
      }
      return toOperator(document);
    },

    async update(id, { password, ...changes }, time, { site = 'local', stillAllowed, check } = {}) {
      const passwordHash = password === undefined ? undefined : await passwords.hash(password, site);
      await stillAllowed?.();
      return change(id, { ...changes, passwordHash, time }, check);
    },

    remove: (id, check) => change(id, 'delete', check),

    async sessions(operatorId, now) {
      const operator = await findUnique(operators, one(operatorId), { role: 1 });
      if (operator === undefined) return undefined;
      const open = { organizationId, operatorId, expireAt: { $gt: now } };
      const found = await sessions.find(open, { sort: { _id: 1 } }).toArray();
      return found.map((session) => toSession(session, operator.role));
    },

    async endSessions(operatorId, now) {
      // The new revision ends all sessions, because a session is valid only for the revision that the operator had at
      // sign-in.
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
      await programTokens.endOf(operatorId);
      return found.map((session) => toSession(session, role));
    },

    async isKnown(id, network) {
      return (await findUnique(operators, { ...one(id), networks: network }, { _id: 1 })) !== undefined;
    },

    confirmPassword: (id, password, site = 'local') =>
      confirmPassword(collections, passwords, id, password, site),

    async changePassword(id, confirmation, password, keptSessionId, now, site = 'local') {
      const isChanged = await changeOwnPassword(
        collections,
        passwords,
        id,
        confirmation,
        password,
        keptSessionId,
        now,
        site,
      );
      if (isChanged) await programTokens.endOf(id);
      return isChanged;
    },
  };
};
