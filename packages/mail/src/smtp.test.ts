import { freePort } from '@chairside/processes';
import { parseMail, startMailServer, type TestMailServer } from '@chairside/test-support';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { parseMailUrl } from './settings.ts';
import { type OutgoingMail, openMailer, wasReached } from './smtp.ts';
import { writeMail } from './template.ts';

const start = async (...options: Parameters<typeof startMailServer>): Promise<TestMailServer> => {
  const server = await startMailServer(...options);
  onTestFinished(server.close);
  return server;
};
const mailerOf = (url: string, more: Partial<Parameters<typeof openMailer>[0]> = {}) =>
  openMailer({ server: parseMailUrl(url), from: 'chairside@example.com', certificates: [], ...more });
const mail = (to = 'somebody@example.com'): OutgoingMail => ({
  _id: '01JB0000000000000000MA1100',
  to,
  createdTime: new Date('2030-01-31T12:00:00.000Z'),
  written: writeMail({
    kind: 'invitation',
    values: { organizationName: 'Zahnärzte Łódź' },
    link: `https://dashboard.example.com/invitation#${'s'.repeat(43)}`,
  }),
});
const certificate = async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { key, cert };
};

test('hands a mail over, with the same text in both forms', async () => {
  const server = await start();
  const report = await mailerOf(server.url).send(mail());
  expect(report).toMatchObject({ outcome: 'sent', answer: expect.stringContaining('250') });
  const [taken] = server.mails;
  expect(taken).toMatchObject({ from: 'chairside@example.com', to: ['somebody@example.com'] });
  const parsed = await parseMail(taken ?? { raw: '' });
  expect(parsed).toMatchObject({
    subject: 'Your invitation to Chairside',
    messageId: '<01JB0000000000000000MA1100@example.com>',
  });
  expect(parsed.text.trim()).toBe(mail().written.text.trim());
  expect(parsed.html.trim()).toBe(mail().written.html.trim());
  expect(parsed.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
});

test.each(['tls', 'starttls'] as const)(
  'sends with %s to a server whose certificate is trusted',
  async (security) => {
    const pair = await certificate();
    const server = await start({ security, certificate: pair });
    // The server is on this machine, where STARTTLS is not required unless the settings say so.
    const mailer = mailerOf(server.url, {
      server: { host: server.host, port: server.port, security },
      certificates: [pair.cert],
    });
    expect(await mailer.send(mail())).toMatchObject({ outcome: 'sent' });
    expect(server.mails).toMatchObject([{ isEncrypted: true }]);
  },
);

test.each(['tls', 'starttls'] as const)(
  'sends nothing with %s to a server whose certificate is not trusted',
  async (security) => {
    const server = await start({ security, certificate: await certificate() });
    const mailer = mailerOf(server.url, { server: { host: server.host, port: server.port, security } });
    const report = await mailer.send(mail());
    expect(report).toMatchObject({ outcome: 'temporary', step: 'connection' });
    expect(wasReached(report)).toBe(false);
    expect(server.mails).toEqual([]);
  },
);

test('sends nothing to a server that does not offer the required STARTTLS', async () => {
  const server = await start({ security: 'none' });
  const mailer = mailerOf(server.url, {
    server: { host: server.host, port: server.port, security: 'starttls' },
  });
  expect(await mailer.send(mail())).toMatchObject({ outcome: 'temporary', step: 'connection' });
  expect(server.steps).not.toContain('MAIL');
});

test('authenticates', async () => {
  const user = { name: 'chairside', password: 'p%40ss' };
  const server = await start({ security: 'none', user: { name: user.name, password: 'p@ss' } });
  const url = `smtp://${user.name}:${user.password}@127.0.0.1:${server.port}`;
  expect(await mailerOf(url).send(mail())).toMatchObject({ outcome: 'sent' });
  expect(server.mails).toMatchObject([{ user: 'chairside' }]);
});

test('refused credentials and a missing login are faults of the settings, so the mail is tried again', async () => {
  const server = await start({ security: 'none', user: { name: 'chairside', password: 'right' } });
  const wrong = await mailerOf(`smtp://chairside:wrong@127.0.0.1:${server.port}`).send(mail());
  expect(wrong).toMatchObject({ outcome: 'temporary', step: 'authentication', code: 535 });
  const without = await mailerOf(`smtp://127.0.0.1:${server.port}`).send(mail());
  expect(without).toMatchObject({ outcome: 'temporary', code: 530 });
  expect([wrong, without].map(wasReached)).toEqual([false, false]);
});

test.each([
  ['connection', 421, 'temporary', 'connection', false],
  ['connection', 554, 'temporary', 'connection', false],
  ['sender', 451, 'temporary', 'envelope', true],
  ['sender', 550, 'refused', 'envelope', true],
  ['recipient', 451, 'temporary', 'envelope', true],
  ['recipient', 550, 'refused', 'envelope', true],
  ['message', 452, 'temporary', 'message', true],
  ['message', 554, 'refused', 'message', true],
] as const)('a %s refused with %i is %s', async (at, code, outcome, step, isReached) => {
  const server = await start();
  await server.behave({ refuse: { at, code } });
  const report = await mailerOf(server.url).send(mail());
  expect(report).toMatchObject({ outcome, step, code });
  expect(wasReached(report)).toBe(isReached);
  expect(server.mails).toEqual([]);
});

test('an unreachable server is a temporary failure', async () => {
  const report = await mailerOf(`smtp://127.0.0.1:${await freePort()}`).send(mail());
  expect(report).toMatchObject({ outcome: 'temporary', step: 'connection' });
  expect(wasReached(report)).toBe(false);
});

test('a process that stood still hands nothing over', async () => {
  const server = await start();
  expect(await mailerOf(server.url).send(mail(), { mayHandOver: async () => false })).toMatchObject({
    outcome: 'temporary',
    step: 'envelope',
  });
  expect(server.mails).toEqual([]);
});

test('a recipient cannot add commands or headers', async () => {
  const server = await start();
  const report = await mailerOf(server.url).send(mail('a@example.com>\r\nRCPT TO:<b@example.com'));
  expect(report.outcome).toBe('temporary');
  expect(server.steps).not.toContain('RCPT');
});
