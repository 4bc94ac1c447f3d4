import {
  clock,
  linkMailKinds,
  MAX_OPERATORS,
  mailKinds,
  type NoticeSettings,
  type NoticeSettingsUpdate,
  newId,
  type Operator,
  type OperatorChanges,
  type Role,
  type Session,
} from '@chairside/domain';
import { findUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { atOnce, isDuplicateKey } from '../driver/statements.ts';
import type { MailState } from '../mails/mail-document.ts';
import type { Mails } from '../mails/organization-mails.ts';
import { changeNoticeSettings, readNoticeSettings } from './notice-settings.ts';
import type { OperatorChange } from './operator-change.ts';
import { type OperatorDocument, slotsFor, toOperator } from './operator-document.ts';
import { mailNewLink, newLink } from './operator-links.ts';
import { changeOperator, type OperatorCollections, type OperatorResult } from './operator-writes.ts';
import { type Confirmation, changeOwnPassword, confirmPassword, type RightPassword } from './own-password.ts';
import type { Passwords } from './passwords.ts';
import type { ProgramTokens } from './program-tokens.ts';
import { toSession } from './sessions.ts';

export type NewOperator = {
  email: string;
  password: string;
  role: Role;
  name?: string | undefined;
  /** Whether the operator must choose another password at the first sign-in. */
  passwordChangeRequired?: boolean;
};

/** An invited operator, and the secret of the link. */
export type Invited = { operator: Operator; secret: string };

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
  /**
   * Creates an operator without a password, who gets a link to choose one.
   *
   * @param isMailed whether the link is mailed
   * @returns `limitReached` if the organization already has the maximum number of operators
   */
  invite(
    operator: Omit<NewOperator, 'password' | 'passwordChangeRequired'>,
    isMailed: boolean,
    now: Date,
  ): Promise<Invited | 'emailTaken' | 'limitReached'>;
  /**
   * Makes a new link for an operator who was invited. The earlier link ends.
   *
   * @returns `notInvited` if the operator has a password
   */
  inviteAgain(id: string, isMailed: boolean, now: Date): Promise<Invited | 'missing' | 'notInvited'>;
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
  /** Which notices the operator gets, as an administrator; undefined when the operator does not exist. */
  noticeSettings(id: string): Promise<NoticeSettings | undefined>;
  /** Switches notices of the operator on or off. Those that are absent stay as they are. */
  changeNoticeSettings(id: string, changes: NoticeSettingsUpdate): Promise<NoticeSettings | undefined>;
  /**
   * Checks the operator's password before an action that needs a password confirmation.
   *
   * @returns undefined if the password is wrong, if the operator is missing or disabled, or if the operator was changed
   *   during the check
   */
  confirmPassword(id: string, password: string, site?: string): Promise<RightPassword | undefined>;
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

/** Whether a change ends the links that were sent to the operator, as in `decideChange`. */
const endsLinks = (
  { email, passwordHash, active }: Exclude<OperatorChange, 'delete'>,
  before: Operator | undefined,
): boolean =>
  passwordHash !== undefined || active === false || (email !== undefined && email !== before?.email);

/** An operator with the state of the mail of the invitation. */
const withMail = (operator: Operator, mail: MailState | undefined): Operator =>
  operator.invitation === undefined || mail === undefined
    ? operator
    : { ...operator, invitation: { ...operator.invitation, mail } };

const invited = (document: OperatorDocument, secret: string, isMailed: boolean): Invited => ({
  operator: withMail(toOperator(document), isMailed ? 'queued' : undefined),
  secret,
});

export type OperatorsOptions = {
  programTokens: Pick<ProgramTokens, 'endOf'>;
  mails: Mails;
  organizationName(): Promise<string>;
};

/** @param collections contains the id of the organization. Every query of the returned repository contains this id */
export const operatorsOf = (
  collections: OperatorCollections,
  passwords: Passwords,
  { programTokens, mails, organizationName }: OperatorsOptions,
): Operators => {
  const { operators, sessions, organizationId } = collections;
  const one = (id: string) => ({ _id: id, organizationId });
  const change = async (
    id: string,
    wanted: Parameters<typeof changeOperator>[2],
    check: ChangingOptions['check'],
  ) => {
    let before: Operator | undefined;
    const result = await changeOperator(collections, id, wanted, (current) => {
      before = current;
      check?.(current);
    });
    if (result.outcome !== 'done') return result;
    await programTokens.endOf(id);
    // Links of mails that were not sent yet are not valid any more. Notices are still sent, unless the operator is deleted.
    if (wanted === 'delete') await mails.withdraw(id, mailKinds, clock.now());
    else if (endsLinks(wanted, before)) await mails.withdraw(id, linkMailKinds, clock.now());
    return result;
  };

  const insert = async (document: OperatorDocument): Promise<'inserted' | 'emailTaken' | 'limitReached'> => {
    try {
      return (await insertIntoFreeSlot(operators, document, slotsFor(document)))
        ? 'inserted'
        : 'limitReached';
    } catch (error) {
      if (isDuplicateKey(error)) return 'emailTaken';
      throw error;
    }
  };

  const withMails = async (found: readonly OperatorDocument[]): Promise<Operator[]> => {
    const states = await mails.states(found.flatMap(({ invitation }) => invitation?.mailId ?? []));
    return found.map((each) => withMail(toOperator(each), states.get(each.invitation?.mailId ?? '')));
  };

  return {
    async list() {
      // The keys of passkeys are most of an operator.
      const projection = { 'passkeys.publicKey': 0, 'passkeys.credentialId': 0 };
      const options = { projection, sort: { _id: 1 } as const, ...atOnce(MAX_OPERATORS) };
      return withMails(await operators.find({ organizationId }, options).toArray());
    },

    async find(id) {
      const found = await findUnique(operators, one(id));
      return found && (await withMails([found]))[0];
    },

    async create(
      { email, password, role, name, passwordChangeRequired },
      now,
      { site = 'local', stillAllowed } = {},
    ) {
      const document: OperatorDocument = {
        _id: newId(now),
        organizationId,
        email,
        emailLowerCase: email.toLowerCase(),
        role,
        ...(name !== undefined && { name }),
        passwordHash: await passwords.hash(password, site),
        ...(passwordChangeRequired && { passwordChangeRequired }),
        createdTime: now,
      };
      await stillAllowed?.();
      const inserted = await insert(document);
      return inserted === 'inserted' ? toOperator(document) : inserted;
    },

    async invite({ email, role, name }, isMailed, now) {
      const made = newLink('invitation', now);
      const document: OperatorDocument = {
        _id: newId(now),
        organizationId,
        email,
        emailLowerCase: email.toLowerCase(),
        role,
        ...(name !== undefined && { name }),
        passwordHash: '',
        invitation: made.link,
        createdTime: now,
      };
      const inserted = await insert(document);
      if (inserted !== 'inserted') return inserted;
      if (isMailed) await mailNewLink(mails, 'invitation', document, made, await organizationName(), now);
      return invited(document, made.secret, isMailed);
    },

    async inviteAgain(id, isMailed, now) {
      const made = newLink('invitation', now);
      const changed = await operators.findOneAndUpdate(
        { ...one(id), invitation: { $exists: true } },
        { $set: { invitation: made.link } },
        { returnDocument: 'after' },
      );
      if (changed === null)
        return (await findUnique(operators, one(id), { _id: 1 })) ? 'notInvited' : 'missing';
      if (isMailed) await mailNewLink(mails, 'invitation', changed, made, await organizationName(), now);
      else await mails.withdraw(id, ['invitation'], now);
      return invited(changed, made.secret, isMailed);
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

    noticeSettings: (id) => readNoticeSettings(collections, id),
    changeNoticeSettings: (id, changes) => changeNoticeSettings(collections, id, changes),

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
      if (isChanged) {
        await programTokens.endOf(id);
        await mails.withdraw(id, linkMailKinds, clock.now());
      }
      return isChanged;
    },
  };
};
