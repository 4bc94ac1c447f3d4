import type { Notice, NoticeSettings } from '@chairside/client';
import type { Tone } from '../components/texts/Chip.tsx';
import { countText } from '../components/texts/numbers.ts';

export type Fact = Notice['facts'][number];
export type SwitchableNotice = keyof NoticeSettings;

/** The notices that can be switched off: their names, and when they are sent. */
export const SWITCHABLE: Readonly<Record<SwitchableNotice, readonly [name: string, when: string]>> = {
  subscriptionFailing: ['A subscription is failing', 'No event was accepted for 15 minutes.'],
  subscriptionDisabled: [
    'A subscription was disabled',
    '20 failures in a row have disabled it, or the operator of the service.',
  ],
  subscriptionRecovered: ['A subscription works again', 'After one of these two, an event was accepted.'],
  credentialEnding: ['A key or a program token ends', 'Seven days before its end.'],
  appConnected: ['An app was connected', 'An administrator has allowed an app to read the schedule.'],
  newReceiverHost: ['Webhooks go to a new host', 'A subscription has a host that is new to the practice.'],
};
export const SWITCHABLE_NAMES = Object.keys(SWITCHABLE) as SwitchableNotice[];

/** What a mail has told, for one fact and for several. */
const FACTS: Readonly<Record<Fact['kind'], readonly [one: string, several: string]>> = {
  subscriptionFailing: ['A subscription was failing', 'subscriptions were failing'],
  subscriptionDisabled: ['A subscription was disabled', 'subscriptions were disabled'],
  subscriptionRecovered: ['A subscription works again', 'subscriptions work again'],
  credentialEnding: ['A key or a program token ends', 'keys and program tokens end'],
  appConnected: ['An app was connected', 'apps were connected'],
  newReceiverHost: ['Webhooks go to a new host', 'new hosts of webhooks'],
  passwordChanged: ['New password', 'new passwords'],
  factorsChanged: ['Changed factors', 'changes of factors'],
  codesPaused: ['Wrong codes', 'pauses after wrong codes'],
  emailChanged: ['New e-mail address', 'new e-mail addresses'],
  roleChanged: ['New role', 'new roles'],
  newNetwork: ['Sign-in from a new network', 'sign-ins from new networks'],
};

/** What a mail has told, in words. */
export const factText = ({ kind, count }: Pick<Fact, 'kind' | 'count'>): string => {
  const [one, several] = FACTS[kind];
  return count === 1 ? one : `${countText(count)} ${several}`;
};

/** What became of a mail, as a chip shows it. */
export const MAIL_STATES: Readonly<Record<Notice['state'], readonly [tone: Tone, text: string]>> = {
  queued: ['info', 'On the way'],
  sending: ['info', 'On the way'],
  sent: ['good', 'Sent'],
  failed: ['bad', 'Not delivered'],
  unknown: ['warning', 'Perhaps not delivered'],
};
