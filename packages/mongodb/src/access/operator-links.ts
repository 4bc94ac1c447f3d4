import {
  type FactorKind,
  INVITATION_LIFE_MS,
  type LinkContent,
  type LinkMailKind,
  linkMailKinds,
  mailPaths,
  newId,
  PASSWORD_RESET_LIFE_MS,
} from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { hashOf, newSecret } from '../encryption/secrets.ts';
import type { Mails } from '../mails/organization-mails.ts';
import type { AskedOperator } from './challenges.ts';
import { kindsOf } from './factor-document.ts';
import { telling } from './operator-change.ts';
import { hasPassword, isActive, type OperatorDocument, type OperatorLink } from './operator-document.ts';
import { endSessions, type OperatorCollections, unchanged } from './operator-writes.ts';
import type { Passwords } from './passwords.ts';
import type { ProgramTokens } from './program-tokens.ts';

/*
 * The links that operators get: to choose a password after an invitation, or a new one. A link has a secret of 256 random
 * bits, which is stored as its hash, works once, and ends.
 */

/** How long a link of this kind works, in milliseconds. */
const LIVES = { invitation: INVITATION_LIFE_MS, password_reset: PASSWORD_RESET_LIFE_MS } as const;
/** Where the link of this kind is stored. */
const FIELDS = { invitation: 'invitation', password_reset: 'passwordReset' } as const;

/** A new link and its secret, which is not stored. */
export const newLink = (kind: LinkMailKind, now: Date): { secret: string; link: OperatorLink } => {
  const secret = newSecret('');
  const expiryTime = new Date(now.getTime() + LIVES[kind]);
  return { secret, link: { secretHash: hashOf(secret), expiryTime, mailId: newId(now) } };
};

/** Mails a link. Mails with earlier links of this kind are withdrawn. */
export const mailNewLink = async (
  mails: Mails,
  kind: LinkMailKind,
  { _id, email }: Pick<OperatorDocument, '_id' | 'email'>,
  { secret, link }: ReturnType<typeof newLink>,
  organizationName: string,
  now: Date,
): Promise<void> => {
  await mails.withdraw(_id, [kind], now);
  const content: LinkContent = {
    to: email,
    values: { organizationName },
    link: { path: mailPaths[kind], secret },
  };
  await mails.create({ _id: link.mailId, operatorId: _id, kind, content, linkEnd: link.expiryTime }, now);
};

/** The operator whom a valid link belongs to, and the words that a password must not consist of. */
export type LinkedOperator = AskedOperator & {
  email: string;
  organizationName: string;
  /** The kinds with which the operator can answer a challenge. Empty without a factor. */
  kinds: FactorKind[];
};

/** The links of the operators of all organizations: their secrets identify operators without a session. */
export type OperatorLinks = {
  /** @returns undefined if the link is unknown, has ended, or was used */
  find(kind: LinkMailKind, secret: string, now: Date): Promise<LinkedOperator | undefined>;
  /**
   * Sets the password of an operator with a link, which is used up. All sessions and program tokens of the operator end, and
   * so do the connected apps, because they belong to an earlier `accessRevision`.
   *
   * @param site the caller's site. Sites take turns in the queue of password hashes
   * @returns false if the link has ended or was used meanwhile
   */
  complete(
    kind: LinkMailKind,
    secret: string,
    chosen: { password: string; name?: string | undefined },
    now: Date,
    site?: string,
  ): Promise<boolean>;
  /**
   * Mails a link for a new password to the operator with this e-mail address. An earlier link ends.
   *
   * @returns undefined if no operator who can sign in has the address
   */
  requestReset(
    email: string,
    now: Date,
  ): Promise<Pick<LinkedOperator, 'organizationId' | 'operatorId'> | undefined>;
};

export type OperatorLinksOptions = {
  operators: Collection<OperatorDocument>;
  /** The collections of an organization. */
  collectionsOf(organizationId: string): OperatorCollections;
  mailsOf(organizationId: string): Mails;
  programTokensOf(organizationId: string): Pick<ProgramTokens, 'endOf'>;
  organizationName(organizationId: string): Promise<string>;
  passwords: Passwords;
};

export const openOperatorLinks = ({
  operators,
  collectionsOf,
  mailsOf,
  programTokensOf,
  organizationName,
  passwords,
}: OperatorLinksOptions): OperatorLinks => {
  const findBy = (kind: LinkMailKind, secret: string, now: Date): Promise<OperatorDocument | undefined> => {
    const field = FIELDS[kind];
    return findUnique(operators, {
      [`${field}.secretHash`]: hashOf(secret),
      [`${field}.expiryTime`]: { $gt: now },
      ...isActive,
    });
  };

  return {
    async find(kind, secret, now) {
      const operator = await findBy(kind, secret, now);
      if (operator === undefined) return undefined;
      const { organizationId, _id: operatorId, email, accessRevision = 0 } = operator;
      return {
        organizationId,
        operatorId,
        accessRevision,
        email,
        organizationName: await organizationName(organizationId),
        kinds: kindsOf(operator),
      };
    },

    async complete(kind, secret, { password, name }, now, site = 'local') {
      const operator = await findBy(kind, secret, now);
      if (operator === undefined) return false;
      const passwordHash = await passwords.hash(password, site);
      const { _id, organizationId } = operator;
      // An operator who accepts an invitation had no password.
      const { matchedCount } = await operators.updateOne(
        unchanged(operator),
        telling(kind === 'password_reset' ? ['password'] : [], now, {
          $set: { passwordHash, ...(name !== undefined && { name }) },
          $unset: { invitation: '', passwordReset: '', passwordChangeRequired: '' },
          $inc: { accessRevision: 1 },
        }),
      );
      if (matchedCount === 0) return false;
      await endSessions(collectionsOf(organizationId), _id);
      await programTokensOf(organizationId).endOf(_id);
      await mailsOf(organizationId).withdraw(_id, linkMailKinds, now);
      return true;
    },

    async requestReset(email, now) {
      const operator = await findUnique(operators, {
        emailLowerCase: email.toLowerCase(),
        ...isActive,
        ...hasPassword,
      });
      if (operator === undefined) return undefined;
      const { _id, organizationId } = operator;
      const made = newLink('password_reset', now);
      const { matchedCount } = await operators.updateOne(unchanged(operator), {
        $set: { passwordReset: made.link },
      });
      // Somebody else has changed the operator, or has requested another link.
      if (matchedCount === 0) return undefined;
      const name = await organizationName(organizationId);
      await mailNewLink(mailsOf(organizationId), 'password_reset', operator, made, name, now);
      return { organizationId, operatorId: _id };
    },
  };
};
