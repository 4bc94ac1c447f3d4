import { z } from 'zod';
import type { FailureCause } from './delivery.ts';
import { idOf, ownId, timeOf } from './fields.ts';
import type { Role } from './principal.ts';
import type { ResourceLimit } from './resource-limit.ts';

/*
 * Notices: mails that tell operators what has happened. A fact is stored where it happens, in the same write, and is told
 * once. This file decides which facts are told when; it has no clock and no I/O.
 */

/** The notices to administrators. Each administrator can switch them off. */
export const switchableNotices = [
  'subscriptionFailing',
  'subscriptionDisabled',
  'subscriptionRecovered',
  'credentialEnding',
  'appConnected',
  'newReceiverHost',
] as const;
export type SwitchableNotice = (typeof switchableNotices)[number];

/** The notices about one's own account. They cannot be switched off: somebody who has stolen it would do that first. */
export const ownNotices = [
  'passwordChanged',
  'factorsChanged',
  'codesPaused',
  'emailChanged',
  'roleChanged',
  'newNetwork',
] as const;
export type OwnNotice = (typeof ownNotices)[number];

export const noticeKinds = [...switchableNotices, ...ownNotices] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export const isSwitchable = (kind: NoticeKind): kind is SwitchableNotice =>
  (switchableNotices as readonly string[]).includes(kind);

/** The page of the dashboard that switches notices, and says which ones cannot be switched off. */
export const NOTICES_PATH = '/account/notices';

/** How long a subscription fails before that is told, in milliseconds. */
export const FAILING_NOTICE_MS = 15 * 60_000;
/** How long before its end a key or a program token is told to end, in milliseconds. */
export const ENDING_NOTICE_MS = 7 * 24 * 3_600_000;
/** A mail tells what has gathered: it waits until this time has passed without another fact of the kind, in milliseconds. */
export const GATHERING_MS = 10_000;
/** The longest wait for further facts, in milliseconds. */
export const MAX_GATHERING_MS = 40_000;
/** How long the same kind about the same subject is not told again, and how far the mails of a storm are apart. */
export const NOTICE_PAUSE_MS = 3_600_000;
/** From this number of facts of a kind in an hour on, the next ones are told together in a mail an hour later. */
export const STORM_FACTS = 4;
/** The most facts that one mail tells. Further ones are told an hour later. */
export const MAX_FACTS_IN_NOTICE = 500;
/** The most facts that the mails of one moment tell, counted for each recipient: what they told is read again for an hour. */
export const MAX_TOLD_AT_ONCE = 10_000;
/** The most facts that a mail describes one by one. */
export const MAX_ROWS_IN_NOTICE = 20;
/** A fact that nobody could be told for this long, because no mail was sent, is not told any more. In milliseconds. */
export const NOTICE_LIFE_MS = 2 * 24 * 3_600_000;

/** When to tell that a credential ends: at once, if it ends sooner. */
export const endingNoticeTime = (expiryTime: Date, now: Date): Date =>
  new Date(Math.max(expiryTime.getTime() - ENDING_NOTICE_MS, now.getTime()));

/** A fact that somebody is to be told. */
export type NoticeFact = {
  kind: NoticeKind;
  /** What it is about: the id of a subscription, a credential or an operator, the client id of an app, or a host. */
  subject: string;
  /** Tells this fact from earlier and later ones of the kind about the subject. */
  occurrence: string;
  /** When it became a fact. */
  time: Date;
};

/** A fact that was told. */
export type ToldFact = Pick<NoticeFact, 'kind' | 'subject'> & {
  /** When its mail was made. */
  time: Date;
};

/** What follows for facts: those that are told now, and those that wait for a certain time. The others still gather. */
export type NoticeDecision<F> = { now: F[]; later: { fact: F; time: Date }[] };

const inAnHour = (time: Date): Date => new Date(time.getTime() + NOTICE_PAUSE_MS);
const latest = (times: readonly Date[]): Date => new Date(Math.max(...times.map(Number)));

/** What follows for the facts of one kind. */
const decideKind = <F extends NoticeFact>(
  facts: readonly F[],
  told: readonly ToldFact[],
  now: Date,
): { fresh: F[]; isReady: boolean; later: { fact: F; time: Date }[] } => {
  const recent = told.filter(({ time }) => inAnHour(time) > now);
  if (recent.length >= STORM_FACTS) {
    const time = inAnHour(latest(recent.map((each) => each.time)));
    return { fresh: [], isReady: false, later: facts.map((fact) => ({ fact, time })) };
  }
  const lastTold = new Map(recent.map(({ subject, time }) => [subject, time]));
  const fresh = facts.filter(({ subject }) => !lastTold.has(subject));
  const later = facts.flatMap((fact) => {
    const time = lastTold.get(fact.subject);
    return time === undefined ? [] : [{ fact, time: inAnHour(time) }];
  });
  const times = fresh.map(({ time }) => time.getTime());
  const readyAt = Math.min(Math.max(...times) + GATHERING_MS, Math.min(...times) + MAX_GATHERING_MS);
  return { fresh, isReady: fresh.length > 0 && now.getTime() >= readyAt, later };
};

/**
 * Decides which of the facts that are to be told to the same people are told now.
 *
 * - The same kind about the same subject is told at most once an hour.
 * - Facts that happen together are told together: a mail waits for further ones, for some seconds.
 * - After {@link STORM_FACTS} facts of a kind in an hour, further ones wait for an hour after the last of them.
 *
 * @param told what the same people were told in the last hour
 * @param people how many they are
 */
export const decideNotices = <F extends NoticeFact>(
  facts: readonly F[],
  told: readonly ToldFact[],
  now: Date,
  people = 1,
): NoticeDecision<F> => {
  const toldByKind = Map.groupBy(told, ({ kind }) => kind);
  const decided = [...Map.groupBy(facts, ({ kind }) => kind)].map(([kind, own]) =>
    decideKind(own, toldByKind.get(kind) ?? [], now),
  );
  const later = decided.flatMap((each) => each.later);
  // What is ready takes along what gathers, so that people get one mail and not two.
  if (!decided.some(({ isReady }) => isReady)) return { now: [], later };
  const fresh = decided
    .flatMap((each) => each.fresh)
    .sort((one, other) => one.time.getTime() - other.time.getTime());
  const most = Math.min(MAX_FACTS_IN_NOTICE, Math.ceil(MAX_TOLD_AT_ONCE / Math.max(people, 1)));
  return { now: fresh.slice(0, most), later };
};

/** A fact as a mail describes it. No value is a datum of a patient, and of a URL there is only the host. */
export type NoticeText =
  | { kind: 'subscriptionFailing'; host: string; clinic?: string | undefined; failures: number }
  | {
      kind: 'subscriptionDisabled';
      host: string;
      clinic?: string | undefined;
      /** The last causes of the failures; absent if an operator of the service has disabled it. */
      causes?: FailureCause[];
      isActive: boolean;
    }
  | { kind: 'subscriptionRecovered'; host: string; clinic?: string | undefined }
  | { kind: 'credentialEnding'; credential: 'apiKey' | 'programToken'; name: string; endTime: string }
  | { kind: 'appConnected'; app: string; host: string }
  | { kind: 'newReceiverHost'; host: string }
  | { kind: 'passwordChanged' }
  | { kind: 'factorsChanged' }
  | { kind: 'codesPaused' }
  | { kind: 'emailChanged' }
  | { kind: 'roleChanged'; role: Role }
  | { kind: 'newNetwork'; network: string; count: number };

/** A row of a mail with notices. */
export type NoticeRow = NoticeText & {
  /** When it happened, as ISO 8601. */
  time: string;
  /** The page of the dashboard with the row that it speaks of. */
  path: string;
};

const DESCRIPTIONS: Readonly<Record<SwitchableNotice, string>> = {
  subscriptionFailing: 'Whether you are told that a subscription has failed for 15 minutes.',
  subscriptionDisabled: 'Whether you are told that a subscription was disabled.',
  subscriptionRecovered: 'Whether you are told that such a subscription works again.',
  credentialEnding: 'Whether you are told that an API key or a program token ends within 7 days.',
  appConnected: 'Whether you are told that an app was connected.',
  newReceiverHost:
    'Whether you are told that a subscription sends to a host that is new to the organization.',
};

const switchOf = (kind: SwitchableNotice) =>
  z.boolean({ error: 'must be true or false' }).meta({ description: DESCRIPTIONS[kind], examples: [true] });

const switches = {
  subscriptionFailing: switchOf('subscriptionFailing'),
  subscriptionDisabled: switchOf('subscriptionDisabled'),
  subscriptionRecovered: switchOf('subscriptionRecovered'),
  credentialEnding: switchOf('credentialEnding'),
  appConnected: switchOf('appConnected'),
  newReceiverHost: switchOf('newReceiverHost'),
} satisfies Record<SwitchableNotice, unknown>;

/** Which notices an operator gets. */
export const noticeSettingsSchema = z.object(switches).meta({
  id: 'NoticeSettings',
  description:
    'Which notices an administrator gets by mail. Notices about your own account (password, e-mail address, role, a sign-in from a new network) cannot be switched off.',
});
export type NoticeSettings = z.infer<typeof noticeSettingsSchema>;

/** The body of PUT /api/sessions/current/notices. An absent field stays as it is. */
export const noticeSettingsUpdateSchema = z
  .strictObject(switches)
  .partial()
  .meta({ id: 'NoticeSettingsUpdate' });
export type NoticeSettingsUpdate = z.infer<typeof noticeSettingsUpdateSchema>;

/** A mail with notices, as GET /api/notices returns it. */
export const noticeSchema = z
  .object({
    _id: ownId('01JB00000000000000N0T1CE00'),
    createdTime: timeOf('When the mail was made.'),
    operatorId: idOf('the operator whom the mail is for', '01JB00000000000000PERAT0R0'),
    state: z.enum(['queued', 'sending', 'sent', 'failed', 'unknown']).meta({
      description:
        'What happened to the mail: `queued` and `sending` are on the way, `sent` was taken by the mail server, `failed` was refused or its time was over, `unknown` was not confirmed.',
      examples: ['sent'],
    }),
    finalTime: timeOf('When the mail was sent, or when it failed.').optional(),
    facts: z
      .array(
        z.object({
          kind: z.enum(noticeKinds).meta({
            description:
              'What was told: one of the notices that can be switched off, or `passwordChanged`, `emailChanged`, `roleChanged`, `newNetwork`.',
            examples: ['subscriptionDisabled'],
          }),
          count: z.int().meta({ description: 'The number of facts of this kind.', examples: [1] }),
          ids: z.array(z.string()).meta({
            description: `The \`_id\`s of the subscriptions, keys, program tokens or connections that it is about, at most ${MAX_ROWS_IN_NOTICE}.`,
            examples: [['01JB000000000000SVBSCR1PT0']],
          }),
        }),
      )
      .meta({ description: 'What the mail tells.' }),
  })
  .meta({ id: 'Notice', description: 'A mail that has told an operator what happened.' });
export type Notice = z.infer<typeof noticeSchema>;

export const noticeLimits: readonly ResourceLimit[] = [
  {
    id: 'notices_of_subject',
    part: 'Mail',
    resource: 'Notices of one kind about the same subscription, credential, app, host or operator',
    value: 1,
    unit: 'in an hour',
    beyond: 'the next one waits until the hour is over, and tells what is true then',
    metric: 'chairside_notices_total',
  },
  {
    id: 'notice_gathering',
    part: 'Mail',
    resource: 'Wait for further facts of a kind, from the last one on',
    value: GATHERING_MS / 1000,
    unit: 'seconds',
    beyond: 'the mail is made',
    metric: 'chairside_notices_total',
  },
  {
    id: 'notice_gathering_longest',
    part: 'Mail',
    resource: 'Wait for further facts of a kind, from the first one on',
    value: MAX_GATHERING_MS / 1000,
    unit: 'seconds',
    beyond: 'the mail is made',
    metric: 'chairside_notices_total',
  },
  {
    id: 'notices_before_storm',
    part: 'Mail',
    resource: 'Facts of one kind that the same people are told within an hour',
    value: STORM_FACTS,
    unit: 'in an hour',
    beyond: 'further facts wait, and are told together, in one mail an hour',
    metric: 'chairside_notices_total',
  },
  {
    id: 'notice_facts',
    part: 'Mail',
    resource: 'Facts that one mail tells',
    value: MAX_FACTS_IN_NOTICE,
    unit: 'facts',
    beyond: 'the others wait for the mail an hour later',
    metric: 'chairside_notices_total',
  },
  {
    id: 'notice_facts_of_all',
    part: 'Mail',
    resource: 'Facts that the mails of one moment tell all administrators, counted for each of them',
    value: MAX_TOLD_AT_ONCE,
    unit: 'facts',
    beyond: 'the others wait for the mails an hour later',
    metric: 'chairside_notices_total',
  },
  {
    id: 'notice_rows',
    part: 'Mail',
    resource: 'Facts that one mail describes one by one',
    value: MAX_ROWS_IN_NOTICE,
    unit: 'rows',
    beyond: 'the mail gives the number of the others',
  },
  {
    id: 'notice_life',
    part: 'Mail',
    resource: 'Time for which a fact waits to be told while no mail can be made',
    value: NOTICE_LIFE_MS / 3_600_000,
    unit: 'hours',
    beyond: 'the fact is not told any more',
    metric: 'chairside_notices_total',
  },
];
