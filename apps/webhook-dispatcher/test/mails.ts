import { newId } from '@chairside/domain';
import {
  createPractice,
  type Practice,
  parseMail,
  startMailServer,
  startRecordingReceiver,
  type TestMailServer,
} from '@chairside/test-support';
import { expect, onTestFinished } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

export const DASHBOARD_URL = 'https://dashboard.example.com';

/** The stored fields of a mail that tests read. */
export type StoredMail = {
  _id: string;
  organizationId: string;
  operatorId: string;
  state: string;
  attempts: number;
  doubts: number;
  cause?: string;
};

/** A mail server, mails, and dispatchers that send them. */
export type MailTest = {
  dispatcher: TestDispatcher;
  server: TestMailServer;
  /** The settings of a dispatcher that uses the server. */
  settings: Record<string, string>;
  createOtherPractice(): Promise<Practice>;
  /** Stores an invitation. Returns the address that it goes to, and the secret of its link. */
  create(practice?: Practice): Promise<{ to: string; secret: string; operatorId: string }>;
  find(mail: { operatorId: string }): Promise<StoredMail | null>;
  /** Resolves when the mail has this state. */
  untilState(mail: { operatorId: string }, state: string): Promise<StoredMail>;
  /** Makes all waiting mails due, and all claims old, as if enough time had passed. */
  passTime(): Promise<void>;
};

export const openMailTest = async (...options: Parameters<typeof startMailServer>): Promise<MailTest> => {
  const dispatcher = await openTestDispatcher();
  onTestFinished(dispatcher.close);
  const server = await startMailServer(...options);
  onTestFinished(server.close);
  const mails = dispatcher.database.collection<StoredMail>('mails');
  const find = ({ operatorId }: { operatorId: string }) => mails.findOne({ operatorId });
  return {
    dispatcher,
    server,
    settings: { MAIL_URL: server.url, MAIL_FROM: 'chairside@example.com', DASHBOARD_URL },
    createOtherPractice: () => createPractice(dispatcher.store),
    async create({ store } = dispatcher.practice) {
      const now = new Date();
      const operatorId = newId();
      const secret = `secret-${operatorId}`;
      const to = `to-${operatorId}@example.com`;
      await store.mails.create(
        {
          operatorId,
          kind: 'invitation',
          content: {
            to,
            values: { organizationName: 'Zahnarztpraxis Ostend' },
            link: { path: '/invitation', secret },
          },
          linkEnd: new Date(now.getTime() + 72 * 3_600_000),
        },
        now,
      );
      return { to, secret, operatorId };
    },
    find,
    async untilState(mail, state) {
      for (;;) {
        const found = await find(mail);
        if (found?.state === state) return found;
      }
    },
    async passTime() {
      const past = new Date(1000);
      await mails.updateMany({ state: 'queued' }, { $set: { dueTime: past } });
      await mails.updateMany({ state: 'sending' }, { $set: { claimedAt: past } });
    },
  };
};

/** A receiver that refuses everything, and a subscription of it. Path and query of its URL are secrets. */
export const openFailing = async ({ dispatcher }: MailTest) => {
  const receiver = await startRecordingReceiver();
  onTestFinished(receiver.close);
  receiver.respond = (_post, response) => void response.writeHead(500).end();
  const { host } = new URL(receiver.url);
  const { _id } = await dispatcher.subscribe(`http://${host}/secret-path?secret-query=1`);
  const subscriptions = dispatcher.database.collection<{ _id: string }>('subscriptions');
  const untilDisabled = () =>
    expect.poll(() => subscriptions.findOne({ _id })).toMatchObject({ active: false });
  return { _id, host, receiver, untilDisabled };
};

export { parseMail };
