/*
 * All sentences of all mails. A subject and a first sentence contain no name, because a stranger may have chosen it: the
 * mail must not begin with words that are not ours.
 */
import {
  causesInWords,
  type LinkMailKind,
  MAX_CONSECUTIVE_FAILURES,
  type NoticeKind,
  type NoticeText,
} from '@chairside/domain';

/** The values of a mail, ready to be shown. */
export type ShownValues = { organizationName: string };

/** The text of one kind of mails. */
export type Sentences = {
  subject: string;
  paragraphs(values: ShownValues): readonly string[];
  /** The text of the link in HTML. Absent if the mail has no link. */
  action?: string;
  /** What follows the link. */
  ending: readonly string[];
};

/** A mail that `chairside-admin doctor --mail` sends; it is never stored. */
export type SentKind = LinkMailKind | 'test';

export const sentences: Readonly<Record<SentKind, Sentences>> = {
  invitation: {
    subject: 'Your invitation to Chairside',
    paragraphs: ({ organizationName }) => [
      'You are invited to sign in to the Chairside dashboard of a dental practice.',
      `Practice: ${organizationName}`,
      'To accept the invitation, open this link and choose a password. The link works once, for 72 hours.',
    ],
    action: 'Accept the invitation',
    ending: ['If you do not expect this invitation, ignore this mail. Nothing happens without you.'],
  },
  password_reset: {
    subject: 'A new password for Chairside',
    paragraphs: ({ organizationName }) => [
      'Somebody has requested a new password for your account on the Chairside dashboard.',
      `Practice: ${organizationName}`,
      'To choose a new password, open this link. The link works once, for 30 minutes. A new password ends all your sessions, and disconnects your program tokens and connected apps.',
    ],
    action: 'Choose a new password',
    ending: ['If this was not you, ignore this mail. Your password stays as it is.'],
  },
  test: {
    subject: 'A test mail of Chairside',
    paragraphs: () => [
      'This is a test mail. An operator of the service has sent it with chairside-admin doctor.',
      'If you can read it, the service can send mails.',
    ],
    ending: [],
  },
};

/** The text of a mail whose facts all have one kind. */
export type NoticeSentences = {
  subject: string;
  /** The first sentence. */
  lead: string;
};

export const noticeSentences: Readonly<Record<NoticeKind, NoticeSentences>> = {
  subscriptionFailing: {
    subject: 'A webhook subscription is failing',
    lead: 'A receiver has accepted no webhook of your practice for 15 minutes.',
  },
  subscriptionDisabled: {
    subject: 'A webhook subscription was disabled',
    lead: 'A webhook subscription of your practice was disabled, so its receiver gets no events.',
  },
  subscriptionRecovered: {
    subject: 'A webhook subscription works again',
    lead: 'A receiver accepts the webhooks of your practice again.',
  },
  credentialEnding: {
    subject: 'An API key or a program token ends soon',
    lead: 'A program of your practice loses its access within seven days.',
  },
  appConnected: {
    subject: 'An app was connected to your practice',
    lead: 'An administrator has connected an app. It may read the schedule of your practice, and no patient.',
  },
  newReceiverHost: {
    subject: 'Webhooks go to a new host',
    lead: 'A webhook subscription sends events of your practice to a host that is new to it.',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    lead: 'The password of your account on the Chairside dashboard was changed.',
  },
  factorsChanged: {
    subject: 'Your second factor was changed',
    lead: 'A passkey, the app for codes or the recovery codes of your account on the Chairside dashboard were added, removed or made anew.',
  },
  codesPaused: {
    subject: 'Somebody tries codes for your account',
    lead: 'Ten codes for your account on the Chairside dashboard were wrong. Whoever tried them knows your password.',
  },
  emailChanged: {
    subject: 'Your e-mail address was changed',
    lead: 'Your account on the Chairside dashboard has another e-mail address now.',
  },
  roleChanged: {
    subject: 'Your role was changed',
    lead: 'The role of your account on the Chairside dashboard was changed.',
  },
  newNetwork: {
    subject: 'A sign-in from a new network',
    lead: 'Somebody has signed in to your account on the Chairside dashboard from a network that is new to it.',
  },
};

/** The text of a mail with facts of several kinds. */
export const severalKinds: NoticeSentences = {
  subject: 'Several notices of Chairside',
  lead: 'Several things have happened on the Chairside dashboard of your practice.',
};

/** The subject of a mail with several facts of one kind. */
export const withOthers = (subject: string, others: number): string => `${subject}, and ${others} more`;

export const noticeEndings = {
  more: (count: number) =>
    count === 1 ? 'One more is shown on the overview:' : `${count} more are shown on the overview:`,
  /** After notices that can be switched off. */
  switchOff: 'Administrators of the practice get these notices. Switch them off here:',
  /** After notices that cannot be switched off. */
  notYou:
    'If this was not you, choose a new password now, and ask another administrator of your practice to look at your account.',
  always: 'This notice cannot be switched off, because it protects your account. Your notices:',
} as const;

const CREDENTIALS = { apiKey: 'API key', programToken: 'program token' } as const;
const ofClinic = (clinic: string | undefined): string => (clinic === undefined ? '' : ` (clinic ${clinic})`);

/** The last causes, each once. */
const causesText = (causes: readonly (keyof typeof causesInWords)[]): string =>
  causes.length === 0
    ? ''
    : ` The last causes: ${[...new Set(causes.map((cause) => causesInWords[cause]))].join('; ')}.`;

/** What became of a subscription that was disabled. */
const disabledText = ({
  host,
  clinic,
  causes,
  isActive,
}: Extract<NoticeText, { kind: 'subscriptionDisabled' }>): string => {
  const what = `The subscription of ${host}${ofClinic(clinic)} was disabled`;
  const why =
    causes === undefined
      ? ' by the operator of the service.'
      : ` after ${MAX_CONSECUTIVE_FAILURES} failures in a row.${causesText(causes)}`;
  return what + why + (isActive ? ' It is enabled again.' : '');
};

/** What happened, in a sentence. Its names are ready to be shown. */
export const factText = (fact: NoticeText): string => {
  switch (fact.kind) {
    case 'subscriptionFailing':
      return `The subscription of ${fact.host}${ofClinic(fact.clinic)} has failed since then, ${fact.failures} ${fact.failures === 1 ? 'time' : 'times'} in a row.`;
    case 'subscriptionDisabled':
      return disabledText(fact);
    case 'subscriptionRecovered':
      return `The subscription of ${fact.host}${ofClinic(fact.clinic)} works again. Resend what it has missed.`;
    case 'credentialEnding':
      return `The ${CREDENTIALS[fact.credential]} “${fact.name}” ends ${fact.endTime}.`;
    case 'appConnected':
      return `The app “${fact.app}” was connected. Its address is ${fact.host}.`;
    case 'newReceiverHost':
      return `A subscription sends to ${fact.host}.`;
    case 'passwordChanged':
      return 'Your password was changed.';
    case 'factorsChanged':
      return 'Your passkeys, your app for codes or your recovery codes were changed.';
    case 'codesPaused':
      return 'Codes are paused for an hour. Passkeys and recovery codes work.';
    case 'emailChanged':
      return 'Your e-mail address was changed. You get no more mails at this one.';
    case 'roleChanged':
      return `Your role is ${fact.role} now.`;
    case 'newNetwork':
      return fact.count === 1
        ? `There was a sign-in from the network ${fact.network}.`
        : `There were sign-ins from ${fact.count} new networks, the last from ${fact.network}.`;
  }
};
