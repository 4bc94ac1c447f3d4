import type { NoticeRow } from './notice.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** The kinds of mails with a link that works once. */
export const linkMailKinds = ['invitation', 'password_reset'] as const;
export type LinkMailKind = (typeof linkMailKinds)[number];
/** The kinds of mails that are stored until they are sent. */
export const mailKinds = [...linkMailKinds, 'notice'] as const;
export type MailKind = (typeof mailKinds)[number];

/** What is sealed of each mail: the recipient, and what its sentences need. */
type AnyContent = { to: string; values: { organizationName: string } };

/**
 * The content of a mail with a link. `path` is a page of the dashboard, and `secret` becomes the fragment of the link, which
 * no browser sends to a server.
 */
export type LinkContent = AnyContent & { link: { path: MailPath; secret: string } };

/** The content of a mail with notices. */
export type NoticeContent = AnyContent & {
  rows: NoticeRow[];
  /** The number of facts that the mail does not describe. */
  more: number;
};

export type MailContent = LinkContent | NoticeContent;

/** The pages of the dashboard that links of mails lead to. */
export const mailPaths = { invitation: '/invitation', password_reset: '/password-reset' } as const satisfies {
  readonly [K in LinkMailKind]: string;
};
export type MailPath = (typeof mailPaths)[LinkMailKind];

/**
 * The address of a page of the dashboard: always below `DASHBOARD_URL`, never derived from a request, because the sender of
 * a request chooses its Host.
 */
export const dashboardLink = (dashboardUrl: string, path: string): string =>
  `${dashboardUrl.replace(/\/+$/, '')}${path}`;

/** The address of a link with a secret. */
export const mailLink = (dashboardUrl: string, { path, secret }: LinkContent['link']): string =>
  `${dashboardLink(dashboardUrl, path)}#${secret}`;

/** How a mail ended. After `unknown`, the mail may have arrived: the mail server did not confirm it, twice. */
export const mailResults = ['sent', 'failed', 'unknown'] as const;
export type MailResult = (typeof mailResults)[number];

/**
 * Why a mail failed: the mail server refused it, its time was over before a mail server took it, its link was replaced or
 * withdrawn before that, or its stored content cannot be read.
 */
export type MailFailure = 'refused' | 'expired' | 'withdrawn' | 'unreadable';

/** How long a mail may be tried, in milliseconds. The end of its link may be earlier. */
export const MAIL_LIFE_MS = 2 * 24 * 3_600_000;
/** How long the kind, the operator, the times and the result of a mail are kept, in milliseconds. */
export const MAIL_RETENTION_MS = 30 * 24 * 3_600_000;
/** How often a mail whose delivery is in doubt may be handed over. */
export const MAX_MAIL_DOUBTS = 2;

/** The number of attempts up to which a mail is repeated at once if its process has died. */
const MAX_ATTEMPTS_AT_ONCE = 3;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 4 * 3_600_000;

/**
 * How long to wait after a temporary failure.
 *
 * @param attempts the number of attempts so far, at least 1
 */
export const mailPause = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);

/** What an attempt to hand a mail over has found. */
export type MailAttempt =
  /** The mail server has taken the mail. */
  | { outcome: 'sent' }
  /** The mail server has refused this mail for good. */
  | { outcome: 'refused' }
  /** The mail was not taken, and a later attempt may succeed. */
  | { outcome: 'temporary' }
  /** The whole mail was handed over, and it is unknown whether the mail server took it. */
  | { outcome: 'doubtful' };

/** An attempt whose process has died, or stood still for so long that it counts as dead. */
export type AbandonedAttempt = {
  outcome: 'abandoned';
  /** Whether it was about to hand the mail over, so that the mail server may have it. */
  isInDoubt: boolean;
};

/** What follows from an attempt. */
export type MailDecision =
  | { next: 'again'; dueTime: Date; doubts: number }
  | { next: 'ended'; result: MailResult; cause?: MailFailure };

/**
 * Decides what follows from an attempt. A temporary failure is repeated until the deadline of the mail. A doubtful mail
 * is repeated once, because a mail that arrives twice does less harm than one that does not arrive. From then on, it may
 * have arrived, so it can end as `sent` or `unknown` only. If its process has died, it is repeated without a pause, because
 * the mail server has asked for none; later with one, because the mail may be what the processes die of.
 *
 * @param mail.attempts the number of attempts, this one included
 * @param mail.doubts the number of doubtful attempts before this one
 */
export const decideMail = (
  mail: { attempts: number; doubts: number; deadline: Date },
  attempt: MailAttempt | AbandonedAttempt,
  now: Date,
): MailDecision => {
  const { outcome } = attempt;
  if (outcome === 'sent') return { next: 'ended', result: 'sent' };
  if (outcome === 'refused' && mail.doubts === 0)
    return { next: 'ended', result: 'failed', cause: 'refused' };
  const isDoubt = outcome === 'abandoned' ? attempt.isInDoubt : outcome === 'doubtful';
  const doubts = mail.doubts + (isDoubt ? 1 : 0);
  const isAtOnce = outcome === 'abandoned' && mail.attempts <= MAX_ATTEMPTS_AT_ONCE;
  const dueTime = new Date(now.getTime() + (isAtOnce ? 0 : mailPause(mail.attempts)));
  const mayRepeat = outcome !== 'refused' && doubts < MAX_MAIL_DOUBTS && dueTime < mail.deadline;
  if (mayRepeat) return { next: 'again', dueTime, doubts };
  return doubts > 0
    ? { next: 'ended', result: 'unknown' }
    : { next: 'ended', result: 'failed', cause: 'expired' };
};

export const mailLifeLimits: readonly ResourceLimit[] = [
  {
    id: 'mail_life',
    part: 'Mail',
    resource: 'Time in which a mail is tried, unless its link ends earlier',
    value: MAIL_LIFE_MS / 3_600_000,
    unit: 'hours',
    beyond: 'the mail has failed',
    metric: 'chairside_mails_total',
  },
  {
    id: 'mail_doubts',
    part: 'Mail',
    resource: 'Attempts after which it is unknown whether the mail server took a mail',
    value: MAX_MAIL_DOUBTS,
    unit: 'for each mail',
    beyond: 'the mail is not sent again; its result is `unknown`',
    metric: 'chairside_mails_total',
  },
];
