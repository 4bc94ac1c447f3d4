import { newId } from '@chairside/domain';
import { startRecordingReceiver } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { openMailTest } from './mails.ts';

const MANY = 10_000;

test('10,000 mails of one organization delay neither a mail of another one nor a webhook', async () => {
  const { dispatcher, server, settings, create, createOtherPractice, untilState } = await openMailTest();
  const other = await createOtherPractice();
  const pattern = await create();
  const mails = dispatcher.database.collection<{ _id: string; operatorId: string }>('mails');
  const planted = await mails.findOne({ operatorId: pattern.operatorId });
  if (planted === null) throw new Error('the mail is not stored');
  // Each has the same content, which opens for its own id only, so it is sealed for each.
  const cipher = await dispatcher.store.ciphers.of(dispatcher.practice.organizationId);
  const content = cipher.open((planted as unknown as { sealed: unknown }).sealed, {
    collection: 'mails',
    _id: planted._id,
    field: 'sealed',
  });
  for (let made = 1; made < MANY; made += 1000) {
    const copies = Array.from({ length: Math.min(1000, MANY - made) }, () => {
      const _id = newId();
      const sealed = cipher.seal(content, { collection: 'mails', _id, field: 'sealed' });
      return { ...planted, _id, operatorId: newId(), sealed };
    });
    await mails.insertMany(copies);
  }
  const receiver = await startRecordingReceiver();
  onTestFinished(receiver.close);
  await dispatcher.subscribe(receiver.url);
  dispatcher.start(settings);
  await server.until(({ mails: taken }) => taken.length >= 100);

  const before = server.mails.length;
  const mail = await create(other);
  await untilState(mail, 'sent');
  const position = server.mails.findIndex(({ to }) => to.includes(mail.to)) - before;
  // The mail waits for the next round, which begins when the mails in hand have ended.
  expect(position).toBeLessThan(200);

  await dispatcher.createPatients(20);
  await receiver.until((posts) => posts.length === 20);
  expect(server.mails.length).toBeLessThan(MANY);

  await server.until(({ mails: taken }) => taken.length === MANY + 1);
  const ids = server.mails.map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]);
  expect(new Set(ids).size).toBe(MANY + 1);
});
