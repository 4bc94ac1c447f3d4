import { freePort } from '@chairside/processes';
import { startMailServer, startRecordingReceiver } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { createWait } from '../src/named-waits.ts';
import { deliveriesIn } from './dispatcher.ts';
import { DASHBOARD_URL, openMailTest, parseMail } from './mails.ts';

const mailLines = (logs: readonly { msg: string }[]) => logs.filter(({ msg }) => msg === 'mail');

test('sends a mail, and keeps nothing of it but its result', async () => {
  const { dispatcher, server, settings, create, untilState } = await openMailTest();
  const mail = await create();
  dispatcher.start(settings);
  await server.until(({ mails }) => mails.length > 0);
  expect(await untilState(mail, 'sent')).not.toHaveProperty('sealed');
  const [taken = { raw: '' }] = server.mails;
  expect(taken).toMatchObject({ from: settings.MAIL_FROM, to: [mail.to] });
  const { text, html } = await parseMail(taken);
  const link = `${DASHBOARD_URL}/invitation#${mail.secret}`;
  expect(text).toContain(link);
  expect(html).toContain(`href="${link}"`);
  expect(text).toContain('Practice: Zahnarztpraxis Ostend');
});

test('log and metrics have neither address, values, secret nor text of the mail server', async () => {
  const { dispatcher, server, settings, create, find } = await openMailTest();
  await server.behave({ refuse: { at: 'recipient', code: 550 } });
  const mail = await create();
  dispatcher.start(settings);
  const logs = await dispatcher.untilLogged((lines) => mailLines(lines).length > 0);
  expect(mailLines(logs)).toEqual([
    expect.objectContaining({
      kind: 'invitation',
      outcome: 'refused',
      step: 'envelope',
      code: 550,
      result: 'failed',
    }),
  ]);
  expect(await find(mail)).toMatchObject({ state: 'failed', cause: 'refused' });
  const { text } = await dispatcher.metrics.expose();
  const told = JSON.stringify(logs) + text + JSON.stringify(await find(mail));
  for (const secret of [mail.to, mail.secret, 'Ostend', 'refused to-']) expect(told).not.toContain(secret);
  expect(text).toContain('chairside_mails_total{result="failed"} 1');
  expect(text).toContain('chairside_mail_attempts_total{outcome="refused"} 1');
});

test('a greylisted mail is tried again later, and arrives once', async () => {
  const { dispatcher, server, settings, create, untilState, find, passTime } = await openMailTest();
  await server.behave({ refuse: { at: 'recipient', code: 451 } });
  const mail = await create();
  dispatcher.start(settings);
  await dispatcher.untilLogged((lines) => mailLines(lines).length > 0);
  expect(await find(mail)).toMatchObject({ state: 'queued', attempts: 1 });
  await server.behave({});
  await passTime();
  expect(await untilState(mail, 'sent')).toMatchObject({ attempts: 2, doubts: 0 });
  expect(server.mails).toHaveLength(1);
});

test('an absent mail server delays no webhook, and gets the mail when it is back', async () => {
  const { dispatcher, create, untilState, settings, passTime } = await openMailTest();
  const port = await freePort();
  const mail = await create();
  const receiver = await startRecordingReceiver();
  onTestFinished(receiver.close);
  await dispatcher.subscribe(receiver.url);
  const { isSweepStuck } = dispatcher.start({ ...settings, MAIL_URL: `smtp://127.0.0.1:${port}` });
  await dispatcher.untilLogged((lines) => lines.some(({ msg }) => msg.startsWith('the mail server cannot')));
  await dispatcher.createPatients(5);
  await receiver.until((posts) => posts.length === 5);
  expect(isSweepStuck()).toBe(false);
  const back = await startMailServer({ security: 'none' }, port);
  onTestFinished(back.close);
  await passTime();
  await untilState(mail, 'sent');
  expect(back.mails).toHaveLength(1);
});

test('a mail server that does not respond delays no webhook', async () => {
  const { dispatcher, server, settings, create } = await openMailTest();
  await server.behave({ stop: { at: 'DATA', how: 'hang' } });
  for (let count = 0; count < 5; count++) await create();
  const receiver = await startRecordingReceiver();
  onTestFinished(receiver.close);
  await dispatcher.subscribe(receiver.url);
  dispatcher.start(settings);
  await server.until(({ steps }) => steps.filter((step) => step === 'DATA').length >= 2);
  await dispatcher.createPatients(5);
  await receiver.until((posts) => posts.length === 5);
  const logs = await dispatcher.untilLogged((lines) => deliveriesIn(lines).length === 5);
  expect(mailLines(logs)).toEqual([]);
});

test('two dispatchers send each mail once', async () => {
  const { dispatcher, server, settings, create, untilState } = await openMailTest();
  const mails = [];
  for (let count = 0; count < 10; count++) mails.push(await create());
  dispatcher.start(settings);
  dispatcher.start(settings);
  for (const mail of mails) await untilState(mail, 'sent');
  expect(server.mails.flatMap(({ to }) => to).sort()).toEqual(mails.map(({ to }) => to).sort());
});

test('organizations take turns', async () => {
  const { dispatcher, server, settings, create, createOtherPractice } = await openMailTest();
  const other = await createOtherPractice();
  for (let count = 0; count < 30; count++) await create();
  const mail = await create(other);
  dispatcher.start(settings);
  await server.until(({ mails }) => mails.length === 31);
  const order = server.mails.flatMap(({ to }) => to);
  expect(order.indexOf(mail.to)).toBeLessThan(10);
});

test('with OUTBOUND=hold, mails wait, and the service counts as sending mails; with off, they end unsent', async () => {
  const { dispatcher, server, settings, create, find, untilState } = await openMailTest();
  const mail = await create();
  const { sendsMail } = dispatcher.store.everyOrganization;
  const holding = dispatcher.start({ ...settings, OUTBOUND: 'hold' });
  await expect.poll(sendsMail).toBe(true);
  expect(await find(mail)).toMatchObject({ state: 'queued' });
  await holding.stop(createWait().waitFor);
  dispatcher.start({ ...settings, OUTBOUND: 'off' });
  expect(await untilState(mail, 'failed')).not.toHaveProperty('sealed');
  expect(server.mails).toEqual([]);
});

test('without a mail server, mails wait and the service counts as sending none', async () => {
  const { dispatcher, create, find } = await openMailTest();
  const mail = await create();
  const receiver = await startRecordingReceiver();
  onTestFinished(receiver.close);
  await dispatcher.subscribe(receiver.url);
  dispatcher.start();
  await dispatcher.createPatients(1);
  await receiver.until((posts) => posts.length === 1);
  expect(await find(mail)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(await dispatcher.store.everyOrganization.sendsMail()).toBe(false);
});
