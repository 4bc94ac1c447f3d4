import { newId } from '@chairside/domain';
import {
  ageFacts,
  ageNotices,
  createPractice,
  type Practice,
  quickPasswords,
  startMailServer,
} from '@chairside/test-support';
import type { Document } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { openTestDispatcher } from './dispatcher.ts';
import { DASHBOARD_URL, parseMail } from './mails.ts';

const SUBSCRIPTIONS = 500;
const SIGN_INS = 10_000;
const HOUR = 3_600_000;
const PAUSES = { firstMs: 1000, longestMs: 60_000 };

const subscriptionOf = async ({ store, clinicIds }: Practice): Promise<string> => {
  const url = `https://${newId().toLowerCase()}.example.com/hook`;
  const sent = { clinicId: clinicIds[0], url, events: [], active: true };
  const made = await store.subscriptions.create(sent, new Date());
  if (made === undefined) throw new Error('the clinic has too many subscriptions');
  return made._id;
};

test('500 disabled subscriptions and 10,000 sign-ins from new networks are one mail an hour each, and delay no other practice', async () => {
  const dispatcher = await openTestDispatcher(quickPasswords);
  onTestFinished(dispatcher.close);
  const server = await startMailServer();
  onTestFinished(server.close);
  const { practice, database, store } = dispatcher;
  const { administrator } = practice;
  const { receivers, sessions } = store.everyOrganization;
  const disable = (subscriptionId: string) =>
    receivers.addFailures(
      { subscriptionId, activation: 1, failures: 20, succeeded: false, lastCauses: ['timeout'], permits: [] },
      new Date(),
      PAUSES,
    );
  const pattern = await subscriptionOf(practice);
  const subscriptions = database.collection<Document & { _id: string }>('subscriptions');
  const planted = await subscriptions.findOne({ _id: pattern });
  const copies = Array.from({ length: SUBSCRIPTIONS - 1 }, () => {
    const _id = newId();
    return { ...planted, _id, clinicId: newId(), host: `${_id.toLowerCase()}.example.com` };
  });
  await subscriptions.insertMany(copies);
  const other = await createPractice(store);
  const theirs = await subscriptionOf(other);
  dispatcher.start({ MAIL_URL: server.url, MAIL_FROM: 'chairside@example.com', DASHBOARD_URL });

  const mailsTo = (email: string) => server.mails.filter(({ to }) => to.includes(email));
  let signIns = 0;
  let isOtherTold = false;
  // The storm goes on until the other practice was told.
  const signIn = async (): Promise<void> => {
    while (signIns < SIGN_INS || !isOtherTold) {
      const number = ++signIns;
      const network = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
      const { email, password } = administrator;
      await sessions.signIn(email, password, new Date(), { network, site: network });
    }
  };
  const storm = Promise.all(Array.from({ length: 8 }, signIn));
  for (const { _id } of [{ _id: pattern }, ...copies]) await disable(_id);
  const disabledAt = Date.now();
  await disable(theirs);
  await server.until(() => mailsTo(other.administrator.email).length > 0);
  isOtherTold = true;
  const [told] = mailsTo(other.administrator.email);
  console.log(`the other practice was told after ${(told?.time ?? 0) - disabledAt} ms, in a storm`);
  await storm;

  const kinds = async (): Promise<Map<string, number>> => {
    const mails = await database.collection('mails').find({ operatorId: administrator._id }).toArray();
    const facts: { kind: string }[] = mails.flatMap((mail) => mail.told);
    return new Map([...Map.groupBy(facts, ({ kind }) => kind)].map(([kind, own]) => [kind, own.length]));
  };
  const mailsOf = async (kind: string): Promise<number> =>
    database.collection('mails').countDocuments({ operatorId: administrator._id, 'told.kind': kind });
  await expect.poll(async () => (await kinds()).get('newNetwork')).toBe(1);
  await ageFacts(database, 60_000);
  await expect.poll(() => mailsOf('subscriptionDisabled')).toBe(1);
  /** Resolves when nothing is due any more. */
  const untilTold = () => expect.poll(() => store.everyOrganization.notices.due([])).toEqual([]);
  await untilTold();
  expect(await mailsOf('subscriptionDisabled')).toBe(1);
  expect(await mailsOf('newNetwork')).toBe(1);
  const [first] = await Promise.all(mailsTo(administrator.email).map(parseMail));
  expect(first?.text.length).toBeLessThan(20_000);

  await ageNotices(database, HOUR);
  await ageFacts(database, HOUR);
  await expect.poll(() => mailsOf('newNetwork')).toBe(2);
  await untilTold();
  expect(await mailsOf('subscriptionDisabled')).toBeLessThanOrEqual(2);
  expect((await kinds()).get('subscriptionDisabled')).toBe(SUBSCRIPTIONS);
});
