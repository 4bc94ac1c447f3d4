import { mailSteps, startDispatcher, untilDispatching } from '@chairside/test-support';
import { expect, test } from 'vitest';
import { createWait } from '../src/named-waits.ts';
import { openMailTest, parseMail } from './mails.ts';

// The server requires no authentication.
const steps = mailSteps.filter((step) => step !== 'AUTH');

test.each(steps)(
  'a mail whose dispatcher is killed at %s is sent once, or twice if it was handed over',
  async (at) => {
    const { dispatcher, server, settings, create, find, untilState, passTime } = await openMailTest();
    const environment = { ...dispatcher.environment, ...settings };
    await server.behave({ stop: { at, how: 'hang' } });
    const mail = await create();
    const killed = startDispatcher(environment);
    await untilDispatching(killed);
    await server.until(({ steps: reached }) => reached.includes(at));
    await killed.end('SIGKILL');
    expect(await find(mail)).toMatchObject({ state: 'sending', attempts: 1, doubts: 0 });
    await server.behave({});
    await passTime();
    const other = startDispatcher(environment);
    expect(await untilState(mail, 'sent')).toMatchObject({ attempts: 2, doubts: at === 'DOT' ? 1 : 0 });
    expect(server.mails).toHaveLength(at === 'DOT' ? 2 : 1);
    await other.end('SIGTERM');
  },
);

test('a mail is unknown when two dispatchers are killed while they send it', async () => {
  const { dispatcher, server, settings, create, untilState, passTime } = await openMailTest();
  const environment = { ...dispatcher.environment, ...settings };
  await server.behave({ stop: { at: 'DOT', how: 'hang' } });
  const mail = await create();
  for (let kills = 1; kills <= 2; kills++) {
    const killed = startDispatcher(environment);
    await server.until(({ steps: reached }) => reached.filter((step) => step === 'DOT').length === kills);
    await killed.end('SIGKILL');
    await passTime();
  }
  const last = startDispatcher(environment);
  expect(await untilState(mail, 'unknown')).not.toHaveProperty('sealed');
  expect(server.mails).toHaveLength(2);
  await last.end('SIGTERM');
});

test('a mail that is not handed over at the shutdown is requeued at once', async () => {
  const { dispatcher, server, settings, create, find } = await openMailTest();
  await server.behave({ stop: { at: 'RCPT', how: 'hang' } });
  const mail = await create();
  const workers = dispatcher.start(settings);
  await server.until(({ steps }) => steps.includes('RCPT'));
  await workers.stop(createWait().waitFor);
  expect(await find(mail)).toMatchObject({ state: 'queued', doubts: 0 });
});

test('a mail whose reply is missing at the shutdown counts as doubtful later', async () => {
  const { dispatcher, server, settings, create, find, untilState, passTime } = await openMailTest();
  await server.behave({ stop: { at: 'DOT', how: 'hang' } });
  const mail = await create();
  const workers = dispatcher.start(settings);
  await server.until(({ steps }) => steps.includes('DOT'));
  await workers.stop(createWait().waitFor);
  expect(await find(mail)).toMatchObject({ state: 'sending', doubts: 0 });
  await server.behave({});
  await passTime();
  const other = dispatcher.start(settings);
  expect(await untilState(mail, 'sent')).toMatchObject({ attempts: 2, doubts: 1 });
  expect(server.mails).toHaveLength(2);
  const [first, second] = await Promise.all(server.mails.map(parseMail));
  expect(second?.messageId).toBe(first?.messageId);
  await other.stop(createWait().waitFor);
});

test('a mail is unknown when the mail server does not confirm it twice', async () => {
  const { dispatcher, server, settings, create, untilState, passTime } = await openMailTest();
  await server.behave({ stop: { at: 'DOT', how: 'drop' } });
  const mail = await create();
  dispatcher.start(settings);
  await dispatcher.untilLogged((lines) => lines.some(({ msg }) => msg === 'mail'));
  await passTime();
  expect(await untilState(mail, 'unknown')).not.toHaveProperty('sealed');
  expect(server.mails).toHaveLength(2);
});
