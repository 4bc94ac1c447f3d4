import { ageFacts } from '@chairside/test-support';
import { expect, test } from 'vitest';
import { DASHBOARD_URL, openFailing, openMailTest, parseMail } from './mails.ts';

const MINUTE = 60_000;
/** A text without what keeps mail programs from making links. */
const plain = (text: string): string => text.replaceAll('\u2060', '');

test('the administrator of a disabled subscription is told once, with the link to it, by one of two dispatchers', async () => {
  const opened = await openMailTest();
  const { dispatcher, server, settings } = opened;
  const { _id, host, untilDisabled } = await openFailing(opened);
  const { administrator } = dispatcher.practice;
  for (let count = 0; count < 2; count++) dispatcher.start(settings);
  await dispatcher.createPatients(25);
  await untilDisabled();
  await ageFacts(dispatcher.database, MINUTE);
  await server.until(({ mails }) => mails.length > 0);
  const [taken = { raw: '', to: [] }] = server.mails;
  expect(taken.to).toEqual([administrator.email]);
  const { subject, text, headers } = await parseMail(taken);
  expect(subject).toBe('A webhook subscription was disabled');
  expect(text).toContain(`${DASHBOARD_URL}/webhooks/${_id}`);
  expect(plain(text)).toContain(`The subscription of ${host} (clinic North) was disabled`);
  expect(plain(text)).toContain('the receiver responded with an error status');
  for (const secret of ['secret-path', 'secret-query', 'Test Patient', dispatcher.practice.staff.email])
    expect(plain(taken.raw)).not.toContain(secret);
  expect(headers).toContainEqual(
    expect.objectContaining({ key: 'list-unsubscribe', value: `<${DASHBOARD_URL}/account/notices>` }),
  );
  // Something else that is told later shows that the first fact was not told again.
  await dispatcher.practice.store.operators.update(
    dispatcher.practice.staff._id,
    { role: 'administrator' },
    new Date(),
  );
  await ageFacts(dispatcher.database, MINUTE);
  await server.until(({ mails }) => mails.length > 1);
  expect(server.mails.map(({ to }) => to)).toEqual([
    [administrator.email],
    [dispatcher.practice.staff.email],
  ]);
  const { text: exposed } = await dispatcher.metrics.expose();
  expect(exposed).toContain('chairside_notices_total{kind="subscriptionDisabled"} 1');
  expect(exposed).toContain('chairside_notices_total{kind="appConnected"} 0');
  const told = JSON.stringify(dispatcher.logs) + exposed;
  for (const secret of [administrator.email, 'secret-path', 'secret-query'])
    expect(told).not.toContain(secret);
});
