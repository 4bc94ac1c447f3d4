import {
  MAIL_LIFE_MS,
  MAIL_RETENTION_MS,
  type MailContent,
  type MailFailure,
  type MailKind,
  type MailResult,
  type NoticeFact,
  newId,
} from '@chairside/domain';
import { Binary, type UpdateFilter } from 'mongodb';
import type { Cipher, Place } from '../encryption/ciphers.ts';

/** Queued, being sent, or ended. */
export type MailState = 'queued' | 'sending' | MailResult;

/** What a mail tells. `rowId` is the id of the row that it speaks of. */
export type ToldInMail = Pick<NoticeFact, 'kind' | 'subject' | 'occurrence'> & { rowId?: string };

export type MailDocument = {
  _id: string;
  organizationId: string;
  kind: MailKind;
  /** The operator whom the mail is for. */
  operatorId: string;
  state: MailState;
  /** The sealed {@link MailContent}, until the mail has ended. */
  sealed?: Binary;
  createdTime: Date;
  attempts: number;
  /** The number of attempts after which it was unknown whether the mail server took the mail. */
  doubts: number;
  /** When the next attempt may begin. Absent when the mail has ended, as the next field. */
  dueTime?: Date;
  /** No attempt begins after this time. */
  deadline?: Date;
  /** The last claim. Only its holder may store what the attempt has found. */
  token?: string;
  /** When the mail was claimed, by the database's clock. */
  claimedAt?: Date;
  /** The claimed mail was about to be handed over, so the mail server may have it. */
  isHandedOver?: true;
  finalTime?: Date;
  cause?: MailFailure;
  expireAt: Date;
  /** Of a mail with notices: the facts that it tells. Ids only; they stay when the mail has ended. */
  told?: ToldInMail[];
  /**
   * Of a mail with notices: the id of the one before it to the same operator, or ''. It is unique, so of several processes
   * that would tell an operator something at once, only one does.
   */
  after?: string;
  /** Of a mail with notices: its facts may not be marked yet, so they may be found again. */
  isUnmarked?: true;
};

/** How long a mail is kept after its deadline if no dispatcher ends it, in milliseconds. */
const UNENDED_LIFE_MS = 24 * 3_600_000;

/**
 * Matches the mails that have not ended. It is a range for the reason that `hasOutbox` has (outbox.ts).
 */
export const isUnended = { dueTime: { $gt: new Date(0) } };

export const mailPlace = (_id: string): Place => ({ collection: 'mails', _id, field: 'sealed' });

export type NewMail = {
  /** Made if absent. */
  _id?: string;
  organizationId: string;
  operatorId: string;
  kind: MailKind;
  content: MailContent;
  /** When the link of the mail ends; absent if it has none. */
  linkEnd?: Date;
};

/** A queued mail. */
export const newMailDocument = (
  { _id: given, organizationId, operatorId, kind, content, linkEnd }: NewMail,
  cipher: Pick<Cipher, 'seal'>,
  now: Date,
): MailDocument => {
  const _id = given ?? newId(now);
  const deadline = new Date(
    Math.min(now.getTime() + MAIL_LIFE_MS, linkEnd?.getTime() ?? Number.POSITIVE_INFINITY),
  );
  return {
    _id,
    organizationId,
    kind,
    operatorId,
    state: 'queued',
    sealed: new Binary(cipher.seal(JSON.stringify(content), mailPlace(_id))),
    createdTime: now,
    attempts: 0,
    doubts: 0,
    dueTime: now,
    deadline,
    // The database deletes the mail even if no dispatcher runs that could end it.
    expireAt: new Date(deadline.getTime() + UNENDED_LIFE_MS),
  };
};

/** The update that ends a mail: the recipient, the values and the link are deleted. */
export const endedMail = (
  result: MailResult,
  cause: MailFailure | undefined,
  now: Date,
): UpdateFilter<MailDocument> => ({
  $set: {
    state: result,
    ...(cause !== undefined && { cause }),
    finalTime: now,
    expireAt: new Date(now.getTime() + MAIL_RETENTION_MS),
  },
  $unset: { sealed: '', dueTime: '', deadline: '', claimedAt: '', isHandedOver: '' },
});
