import { createFairQueue, within } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import { STEP_MS } from '@chairside/mail';
import type { DueMail, EndedMails, MailQueue } from '@chairside/mongodb/dispatch';
import type { Lease } from '../lease.ts';
import { CLAIM_MS, createSendMail, type SendMailOptions } from './send-mail.ts';
import { createServerRest } from './server-rest.ts';

const INTERVAL_MS = 1000;
/** How often mails of dead processes and mails whose time is over are looked for, in milliseconds. */
const UPKEEP_INTERVAL_MS = 10_000;
/**
 * How long after the acquisition of the right to send the replies to what others have handed over are over: each follows within
 * a step of SMTP, or never.
 */
const REPLIES_MS = STEP_MS + 5000;
const AT_ONCE = 4;
const AT_ONCE_OF_ORGANIZATION = 2;
/** Maximum number of mails of an organization that this process keeps in hand. */
const IN_HAND_OF_ORGANIZATION = 40;
/** More than fifty organizations can have in hand. */
const MAX_WAITING = 5000;
/** How long a stopping process waits for the replies to messages that it has handed over, in milliseconds. */
const STOP_MS = 4000;

export const mailLoopLimits: readonly ResourceLimit[] = [
  {
    id: 'mails_at_once',
    part: 'Mail',
    resource: 'Mails that are being sent; organizations take turns',
    value: AT_ONCE,
    unit: 'at once in the service',
    beyond: 'the mail waits',
    metric: 'chairside_mails_queued',
  },
  {
    id: 'mails_at_once_of_organization',
    part: 'Mail',
    resource: 'Mails of an organization that are being sent',
    value: AT_ONCE_OF_ORGANIZATION,
    unit: 'at once in the service',
    beyond: 'the mail waits',
    metric: 'chairside_mails_queued',
  },
];

export type MailLoopOptions = Omit<SendMailOptions, 'mailQueue' | 'rest' | 'signal'> & {
  mailQueue: MailQueue;
  /** The right to send mails. */
  lease: Pick<Lease, 'isHeld' | 'heldSince'>;
  /** Whether mails wait, because dispatchers hold what leaves the service. */
  isHolding: boolean;
  /** Called with the mails that ended without an attempt of this process. */
  onEnded(ended: EndedMails): void;
  /** Called when the mail server cannot be used any more, and when it can be used again. */
  onServer(isUsable: boolean): void;
};

export type MailLoop = {
  /**
   * Sends nothing more. Attempts whose message has not been handed over end. Resolves when the others have ended, or after
   * some seconds: they count as doubtful then.
   */
  stop(): Promise<void>;
};

/** Sends mails. One process at a time does; it depends on nothing else in the process, and nothing else waits for it. */
export const startMailLoop = (options: MailLoopOptions): MailLoop => {
  const { mailQueue, lease, isHolding, onEnded, onServer, onError } = options;
  const stopping = new AbortController();
  const rest = createServerRest(onServer);
  const sendMail = createSendMail({ ...options, rest, signal: stopping.signal });
  const turns = createFairQueue({
    atOnce: AT_ONCE,
    atOnceOfCaller: AT_ONCE_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });
  /** The mails that are being sent or wait for their turn, by id. */
  const inHand = new Map<string, { organizationId: string; ended: Promise<void> }>();
  let upkeepAt = Number.NEGATIVE_INFINITY;

  const maySend = (): boolean =>
    !isHolding && lease.isHeld() && !rest.isResting() && !stopping.signal.aborted;

  const take = (mail: DueMail): void => {
    const send = async (): Promise<void> => {
      if (maySend()) await sendMail(mail);
    };
    const ended = turns
      .run(mail.organizationId, send)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) onError(error);
      })
      .then(() => {
        inHand.delete(mail._id);
        if (ofOrganization(mail.organizationId) === 0) wake();
      });
    inHand.set(mail._id, { organizationId: mail.organizationId, ended });
  };
  const ofOrganization = (id: string): number =>
    [...inHand.values()].filter(({ organizationId }) => organizationId === id).length;

  const upkeep = async (): Promise<void> => {
    if (performance.now() - upkeepAt < UPKEEP_INTERVAL_MS) return;
    const held = lease.heldSince();
    const others = held && {
      before: held.time,
      own: new Set(inHand.keys()),
      areRepliesOver: performance.now() - held.at > REPLIES_MS,
    };
    onEnded(await mailQueue.recover(CLAIM_MS, others));
    onEnded(await mailQueue.expire());
    upkeepAt = performance.now();
  };
  const round = async (): Promise<void> => {
    if (!lease.isHeld()) return;
    await upkeep();
    if (!maySend()) return;
    for (const mail of await mailQueue.due()) {
      const isRoom = ofOrganization(mail.organizationId) < IN_HAND_OF_ORGANIZATION;
      if (isRoom && !inHand.has(mail._id)) take(mail);
    }
  };

  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Begins a round, unless one is running. */
  const wake = (): void => {
    if (running !== undefined || stopping.signal.aborted) return;
    clearTimeout(timer);
    running = round()
      .catch(onError)
      .then(() => {
        running = undefined;
        if (!stopping.signal.aborted) timer = setTimeout(wake, INTERVAL_MS);
      });
  };
  wake();

  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
      await within(Promise.all([...inHand.values()].map(({ ended }) => ended)), STOP_MS);
    },
  };
};
