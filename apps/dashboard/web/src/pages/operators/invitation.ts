import type { InvitedOperator, Operator } from '@chairside/client';
import type { Shown } from '../../components/dialogs/one-time-secret.ts';
import type { Tone } from '../../components/texts/Chip.tsx';

/** What became of an invitation, as a chip shows it. */
export type InvitationState = { tone: Tone; text: string };

/** @param now in milliseconds since the epoch */
export const stateOfInvitation = (
  { expiryTime, mail }: NonNullable<Operator['invitation']>,
  now: number,
): InvitationState => {
  if (Date.parse(expiryTime) <= now) return { tone: 'warning', text: 'Invitation ended' };
  if (mail === 'failed') return { tone: 'bad', text: 'Invitation not delivered' };
  if (mail === 'unknown') return { tone: 'warning', text: 'Invitation perhaps not delivered' };
  return { tone: 'info', text: 'Invited' };
};

/** What happens with the link of an invitation. @param mail whether the service sends mails */
export const linkText = (mail: boolean): string =>
  mail
    ? 'A link is mailed to this address. It works once, for 72 hours.'
    : 'This service sends no mail, so you see a link and pass it on. It works once, for 72 hours.';

/** The link to pass on; undefined if it was mailed. */
export const shownInvitation = ({ email, name, invitationUrl }: InvitedOperator): Shown | undefined =>
  invitationUrl === undefined
    ? undefined
    : {
        title: 'Copy the link',
        label: 'Link',
        text: invitationUrl,
        explanation: `With this link, ${name ?? email} chooses a password. It works once, for 72 hours, and is shown only now. Pass it on to nobody else.`,
      };
