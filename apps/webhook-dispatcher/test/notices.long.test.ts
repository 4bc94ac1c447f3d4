import { newId } from '@chairside/domain';
import { ageFacts, startRecordingReceiver } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { createWait } from '../src/named-waits.ts';
import { openFailing, openMailTest, parseMail } from './mails.ts';

const MINUTE = 60_000;

test('when the receiver accepts events again, that is told', async () => {
  const opened = await openMailTest();
  const { dispatcher, server, settings } = opened;
  const { _id, receiver, untilDisabled } = await openFailing(opened);
  dispatcher.start(settings);
  await dispatcher.createPatients(25);
  await untilDisabled();
  await ageFacts(dispatcher.database, MINUTE);
  await server.until(({ mails }) => mails.length === 1);
  receiver.respond = (_post, response) => void response.writeHead(200).end();
  await dispatcher.practice.store.subscriptions.update(_id, { active: true }, new Date());
  const subscriptions = dispatcher.database.collection<{ _id: string }>('subscriptions');
  const isRecovered = async () =>
    (await subscriptions.findOne({ _id, recoveredTime: { $exists: true } })) !== null;
  // The data of a receiver is half a second old at most.
  do await dispatcher.createPatients(1);
  while (!(await isRecovered()));
  await ageFacts(dispatcher.database, MINUTE);
  await server.until(({ mails }) => mails.length === 2);
  const { subject } = await parseMail(server.mails[1] ?? { raw: '' });
  expect(subject).toBe('A webhook subscription works again');
});

test('without a mail server no mail is made; while everything is held, neither; and a suspended organization is told later', async () => {
  const { dispatcher, server, settings, createOtherPractice } = await openMailTest();
  const { store, organizationId, staff } = dispatcher.practice;
  const other = await createOtherPractice();
  const mails = dispatcher.database.collection('mails');
  const promote = async () => {
    await store.operators.update(staff._id, { role: 'administrator' }, new Date());
    await other.store.operators.update(other.staff._id, { role: 'administrator' }, new Date());
    await ageFacts(dispatcher.database, MINUTE);
  };
  await promote();
  const without = dispatcher.start();
  const receiver = await startRecordingReceiver();
  onTestFinished(receiver.close);
  await dispatcher.subscribe(receiver.url);
  await dispatcher.createPatients(1);
  await receiver.until((posts) => posts.length === 1);
  await without.stop(createWait().waitFor);
  const holding = dispatcher.start({ ...settings, OUTBOUND: 'hold' });
  await expect.poll(dispatcher.store.everyOrganization.sendsMail).toBe(true);
  await holding.stop(createWait().waitFor);
  expect(await mails.countDocuments()).toBe(0);

  const { stops } = dispatcher.store.everyOrganization.administration;
  await stops.add({ organizationId, by: 'test' });
  dispatcher.start(settings);
  await server.until(({ mails: taken }) => taken.length === 1);
  expect(server.mails[0]?.to).toEqual([other.staff.email]);
  await stops.remove({ organizationId });
  await server.until(({ mails: taken }) => taken.length === 2);
  expect(server.mails[1]?.to).toEqual([staff.email]);
});

test('an organization whose facts cannot be told delays no other one', async () => {
  const { dispatcher, server, settings, createOtherPractice } = await openMailTest();
  const other = await createOtherPractice();
  const operators = dispatcher.database.collection<{ _id: string; organizationId: string }>('operators');
  const time = new Date(Date.now() - MINUTE);
  // Its data keys are gone, so its mails cannot be sealed.
  const broken = newId();
  await dispatcher.database
    .collection<{ _id: string; name: string; dataKeysSince: Date }>('organizations')
    .insertOne({ _id: broken, name: 'Broken', dataKeysSince: time });
  const pattern = await operators.findOne({ _id: dispatcher.practice.staff._id });
  await operators.insertOne({
    ...pattern,
    ...{ _id: newId(), organizationId: broken, slot: 0, emailLowerCase: 'broken@example.com' },
    ...{ untold: { role: { since: time, time } }, noticeAt: time },
  } as never);
  await operators.updateOne(
    { _id: other.staff._id },
    { $set: { 'untold.role': { since: time, time }, noticeAt: new Date(time.getTime() + 1) } },
  );
  dispatcher.start(settings);
  await server.until(({ mails }) => mails.some(({ to }) => to.includes(other.staff.email)));
});
