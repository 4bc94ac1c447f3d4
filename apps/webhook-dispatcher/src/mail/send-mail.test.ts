import type { Mailer } from '@chairside/mail';
import type { ClaimedMail } from '@chairside/mongodb/dispatch';
import { expect, test } from 'vitest';
import type { Held } from '../lease.ts';
import { createSendMail } from './send-mail.ts';

const mail: ClaimedMail = {
  ...{ _id: 'mail', organizationId: 'organization', operatorId: 'operator', kind: 'invitation' },
  ...{ createdTime: new Date(), deadline: new Date(), attempts: 1, doubts: 0, token: 'token' },
  content: {
    to: 'to@example.com',
    values: { organizationName: 'Practice' },
    link: { path: '/invitation', secret: 'secret' },
  },
};
const past: Held = { at: Number.NEGATIVE_INFINITY, time: new Date(0) };

/** Whether a message may be handed over, if the right to send changes to this after the claim. */
const mayHandOver = async (
  later: () => Held | undefined,
  isLastClaim = true,
): Promise<boolean | undefined> => {
  let held: Held | undefined = past;
  let may: boolean | undefined;
  const mailer = {
    send: async (_mail, options) => {
      held = later();
      may = await options?.mayHandOver?.();
      return { outcome: 'sent', answer: '' };
    },
  } as Pick<Mailer, 'send'> as Mailer;
  const send = createSendMail({
    mailQueue: {
      claim: async () => mail,
      beginHandOver: async () => isLastClaim,
      finish: async () => 'sent',
    },
    mailer,
    dashboardUrl: 'https://dashboard.example.com',
    rest: { note() {} },
    lease: { heldSince: () => held },
    signal: new AbortController().signal,
    onAttempt() {},
    onError(error) {
      throw error;
    },
  });
  await send({ _id: mail._id, organizationId: mail.organizationId });
  return may;
};

test('a message is handed over if the right to send was held since the claim', async () => {
  expect(await mayHandOver(() => past)).toBe(true);
});

test('nothing is handed over without the right, after another process may have had it, or without the claim', async () => {
  expect(await mayHandOver(() => past, false)).toBe(false);
  expect(await mayHandOver(() => undefined)).toBe(false);
  expect(await mayHandOver(() => ({ at: performance.now() + 1, time: new Date() }))).toBe(false);
});
