import { randomUUID } from 'node:crypto';
import {
  type AbandonedAttempt,
  decideMail,
  type MailAttempt,
  type MailContent,
  type MailResult,
} from '@chairside/domain';
import type { Filter, UpdateFilter } from 'mongodb';
import type { Collection, Database } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { atMost, databaseTime } from '../driver/statements.ts';
import { type Ciphers, UnreadableValueError } from '../encryption/ciphers.ts';
import { endedMail, type MailDocument, mailPlace } from './mail-document.ts';

/** How many due mails one query returns. */
const PAGE = 100;
/** Maximum number of organizations whose due mails are looked for separately in one call. */
const MAX_ORGANIZATIONS = 50;

/** A mail whose attempt may begin. */
export type DueMail = Pick<MailDocument, '_id' | 'organizationId'>;

/** A mail that this process may try to send, once. */
export type ClaimedMail = Pick<
  MailDocument,
  '_id' | 'organizationId' | 'kind' | 'operatorId' | 'createdTime' | 'attempts' | 'doubts'
> & {
  token: string;
  deadline: Date;
  content: MailContent;
};

/** How a claimed mail goes on: undefined if it is tried again. */
export type MailEnd = MailResult | undefined;

/** How many mails ended, by result. */
export type EndedMails = Partial<Record<MailResult, number>>;

/** The stored mails of all organizations, for the process that sends them. */
export type MailQueue = {
  /** Due mails. Each organization with due mails is among them, up to fifty. */
  due(): Promise<DueMail[]>;
  /**
   * Claims a mail. If several callers claim it, only one of them gets it. A mail whose content cannot be read fails.
   *
   * @returns undefined if it is not due any more, or its content cannot be read
   */
  claim(mail: DueMail): Promise<ClaimedMail | undefined>;
  /** Stores what an attempt has found, if the claim is still the last one. A late `sent` replaces a doubt. */
  finish(mail: ClaimedMail, attempt: MailAttempt, now: Date): Promise<MailEnd>;
  /**
   * Stores that a claimed mail is about to be handed over.
   *
   * @returns false if another process has taken the mail back: then nothing may be handed over
   */
  beginHandOver(mail: ClaimedMail): Promise<boolean>;
  /**
   * Takes back mails that have been claimed for longer than this: their process has probably died. If it was about to hand
   * the mail over, it is unknown whether the mail server took it.
   *
   * @param others mails that other processes have claimed before a time of the database. They are taken back, too, if they
   *   were not about to be handed over
   * @param others.own the mails that this process tries to send
   * @param others.areRepliesOver whether those that were about to be handed over are taken back, too
   * @returns those that ended with that
   */
  recover(
    claimMs: number,
    others?: { before: Date; own: ReadonlySet<string>; areRepliesOver: boolean },
  ): Promise<EndedMails>;
  /** Ends the mails whose time is over. */
  expire(): Promise<EndedMails>;
};

const waiting = ['queued', 'sending'] as const;
const NO_OTHERS = { before: new Date(0), own: new Set<string>(), areRepliesOver: false };

export const openMailQueue = (
  database: Database,
  collection: Collection<MailDocument>,
  ciphers: Pick<Ciphers, 'of'>,
): MailQueue => {
  const updateMany = updatesUntilNoDeadlock(collection);

  const contentOf = async ({ _id, organizationId, sealed }: MailDocument): Promise<MailContent> => {
    const cipher = await ciphers.of(organizationId);
    return JSON.parse(await cipher.opening(() => cipher.open(sealed, mailPlace(_id))));
  };

  const applied = async (
    filter: Filter<MailDocument>,
    mail: Parameters<typeof decideMail>[0],
    attempt: MailAttempt | AbandonedAttempt,
    now: Date,
  ): Promise<MailEnd> => {
    const decision = decideMail(mail, attempt, now);
    const update: UpdateFilter<MailDocument> =
      decision.next === 'ended'
        ? endedMail(decision.result, decision.cause, now)
        : {
            $set: { state: 'queued', dueTime: decision.dueTime, doubts: decision.doubts },
            $unset: { claimedAt: '', isHandedOver: '' },
          };
    const { matchedCount } = await collection.updateOne(filter, update);
    return matchedCount === 1 && decision.next === 'ended' ? decision.result : undefined;
  };

  return {
    async due() {
      const now = await databaseTime(database);
      const found: DueMail[] = [];
      const known = new Set<string>();
      for (;;) {
        const others = known.size === 0 ? {} : { organizationId: { $nin: [...known] } };
        const page = await collection
          .find(
            { state: 'queued', dueTime: { $lte: now }, ...others },
            {
              projection: { organizationId: 1 },
              // Without a sort: FerretDB would sort all due mails for each page.
              ...atMost(PAGE, 'due'),
            },
          )
          .toArray();
        found.push(...page);
        for (const { organizationId } of page) known.add(organizationId);
        if (page.length < PAGE || known.size >= MAX_ORGANIZATIONS) return found;
      }
    },

    async claim({ _id, organizationId }) {
      const token = randomUUID();
      const claimed = await collection.findOneAndUpdate(
        { _id, organizationId, state: 'queued' },
        { $set: { state: 'sending', token }, $inc: { attempts: 1 }, $currentDate: { claimedAt: true } },
        { returnDocument: 'after' },
      );
      if (claimed?.deadline === undefined) return undefined;
      const { kind, operatorId, createdTime, attempts, doubts, deadline } = claimed;
      try {
        const content = await contentOf(claimed);
        return {
          ...{ _id, organizationId, kind, operatorId, createdTime, attempts, doubts, deadline, token },
          content,
        };
      } catch (error) {
        if (!(error instanceof UnreadableValueError)) throw error;
        const now = await databaseTime(database);
        await collection.updateOne({ _id, organizationId, token }, endedMail('failed', 'unreadable', now));
        return undefined;
      }
    },

    async finish(mail, attempt, now) {
      const { _id, organizationId, token } = mail;
      // Another process may have taken the mail back meanwhile. What this process has seen counts, unless the mail was
      // claimed again.
      const state = attempt.outcome === 'sent' ? { $in: [...waiting, 'unknown' as const] } : 'sending';
      return applied({ _id, organizationId, token, state }, mail, attempt, now);
    },

    async beginHandOver({ _id, organizationId, token }) {
      const { matchedCount } = await collection.updateOne(
        { _id, organizationId, token, state: 'sending' },
        { $set: { isHandedOver: true } },
      );
      return matchedCount === 1;
    },

    async recover(claimMs, { before, own, areRepliesOver } = NO_OTHERS) {
      const now = await databaseTime(database);
      const old = new Date(now.getTime() - claimMs);
      const since = new Date(Math.max(old.getTime(), before.getTime()));
      const claimed = await collection
        .find({ state: 'sending', claimedAt: { $lt: since } }, atMost(PAGE, 'sending'))
        .toArray();
      let unknown = 0;
      for (const { _id, organizationId, token, claimedAt = old, deadline = now, ...mail } of claimed) {
        const isInDoubt = mail.isHandedOver === true;
        const isOthers = !own.has(_id) && (!isInDoubt || areRepliesOver);
        if (claimedAt >= old && !isOthers) continue;
        const same = {
          ...{ _id, organizationId, state: 'sending' as const, ...(token && { token }) },
          // Its process may be about to hand it over just now.
          ...(!isInDoubt && { isHandedOver: { $exists: false } }),
        };
        const end = await applied(same, { ...mail, deadline }, { outcome: 'abandoned', isInDoubt }, now);
        if (end === 'unknown') unknown++;
      }
      return { unknown };
    },

    async expire() {
      const now = await databaseTime(database);
      const over = { state: 'queued', deadline: { $lte: now } } as const;
      const doubtful = await updateMany(
        { ...over, doubts: { $gt: 0 } },
        endedMail('unknown', undefined, now),
      );
      const unsent = await updateMany(over, endedMail('failed', 'expired', now));
      return { unknown: doubtful.modifiedCount, failed: unsent.modifiedCount };
    },
  };
};
