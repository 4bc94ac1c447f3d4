/*
 * All sentences of all mails. A subject and a first sentence contain no name, because a stranger may have chosen it: the
 * mail must not begin with words that are not ours.
 */
import type { MailKind } from '@chairside/domain';

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
export type SentKind = MailKind | 'test';

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
