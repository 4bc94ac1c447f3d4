import type { LaneStore } from '../lanes/lane-store.ts';

/**
 * How long the service counts as sending mails after its last dispatcher with a mail server has ended, in milliseconds: a
 * restart must not turn invitations into links that are shown.
 */
const MAIL_MEMORY_MS = 10 * 60_000;

/** Whether the service sends mails: a dispatcher with a mail server runs, or ran in the last ten minutes. */
export type SendsMail = () => Promise<boolean>;

export const sendsMailBy =
  (lanes: Pick<LaneStore, 'wasHeld'>): SendsMail =>
  () =>
    lanes.wasHeld('mail', MAIL_MEMORY_MS);
