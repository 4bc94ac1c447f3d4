import { setTimeout as sleep } from 'node:timers/promises';
import { clock, type LinkMailKind, mailLink } from '@chairside/domain';
import {
  ATTEMPT_MS,
  type Mailer,
  type MailReport,
  wasReached,
  writeMail,
  writeNotice,
} from '@chairside/mail';
import type { ClaimedMail, DueMail, MailEnd, MailQueue } from '@chairside/mongodb/dispatch';
import type { Lease } from '../lease.ts';
import type { ServerRest } from './server-rest.ts';

/**
 * How long after its claim a message may be handed over. It is shorter than {@link CLAIM_MS}, so that a process that stood
 * still sends nothing that another one has taken over.
 */
const HAND_OVER_MS = ATTEMPT_MS;
/** How old a claim must be before its process counts as dead, in milliseconds. */
export const CLAIM_MS = ATTEMPT_MS + 30_000;
/** How long to wait before the result of an attempt is stored again. */
const STORE_AGAIN_MS = 1000;

/** An attempt, for log and metrics. It has no address, no name and no text of the mail server. */
export type MailLine = Pick<ClaimedMail, '_id' | 'organizationId' | 'kind' | 'attempts'> &
  Pick<MailReport, 'outcome' | 'step' | 'code'> & {
    /** How the mail ended; absent if it is tried again. */
    result?: MailEnd;
    /** In milliseconds. */
    duration: number;
  };

export type SendMailOptions = {
  mailQueue: Pick<MailQueue, 'claim' | 'beginHandOver' | 'finish'>;
  mailer: Mailer;
  dashboardUrl: string;
  rest: Pick<ServerRest, 'note'>;
  /** The right to send mails. Without it, no message is handed over, because another process may send the mail. */
  lease: Pick<Lease, 'heldSince'>;
  /** Ends attempts whose message has not been handed over. */
  signal: AbortSignal;
  onAttempt(line: MailLine): void;
  onError(error: unknown): void;
};

/** The text of a mail. */
const textOf = ({ kind, content }: Pick<ClaimedMail, 'kind' | 'content'>, dashboardUrl: string) => {
  if ('rows' in content) return writeNotice(content, dashboardUrl);
  const link = mailLink(dashboardUrl, content.link);
  return writeMail({ kind: kind as LinkMailKind, ...content, link });
};

/** Stores the result of an attempt, however long the database is away. */
const untilStored = async (
  store: () => Promise<MailEnd>,
  { signal, onError }: Pick<SendMailOptions, 'signal' | 'onError'>,
): Promise<MailEnd> => {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      onError(error);
      // A stopping process does not wait. The mail counts as doubtful then.
      await sleep(STORE_AGAIN_MS, undefined, { signal });
    }
  }
};

/** Returns a function that claims a mail and tries once to send it. */
export const createSendMail = (options: SendMailOptions): ((due: DueMail) => Promise<void>) => {
  const { mailQueue, mailer, dashboardUrl, rest, lease, signal, onAttempt } = options;
  return async (due) => {
    const begunAt = performance.now();
    const mail = await mailQueue.claim(due);
    if (mail === undefined) return;
    const { kind, content } = mail;
    const written = textOf(mail, dashboardUrl);
    const isMine = () =>
      performance.now() - begunAt < HAND_OVER_MS && (lease.heldSince()?.at ?? Infinity) <= begunAt;
    const mayHandOver = async () => (await mailQueue.beginHandOver(mail)) && isMine();
    const report = await mailer.send({ ...mail, to: content.to, written }, { mayHandOver, signal });
    if (!signal.aborted) rest.note(wasReached(report));
    const result = await untilStored(() => mailQueue.finish(mail, report, clock.now()), options);
    const { _id, organizationId, attempts } = mail;
    const { outcome, step, code } = report;
    onAttempt({
      ...{ _id, organizationId, kind, attempts, outcome },
      ...(step !== undefined && { step }),
      ...(code !== undefined && { code }),
      ...(result !== undefined && { result }),
      duration: Math.round(performance.now() - begunAt),
    });
  };
};
