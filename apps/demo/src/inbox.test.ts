import { openMailer, writeMail } from '@chairside/mail';
import { freePort } from '@chairside/processes';
import { expect, onTestFinished, test } from 'vitest';
import { startInbox } from './inbox.ts';

test('lists the mails that have arrived, as a page and as JSON', async () => {
  const ports = { inbox: await freePort(), smtp: await freePort() };
  const inbox = await startInbox(ports);
  onTestFinished(inbox.close);
  const mailsOf = async (): Promise<any> => (await fetch(`${inbox.url}/mails`)).json();
  expect(await mailsOf()).toEqual([]);
  const link = `http://127.0.0.1:3004/invitation#${'s'.repeat(43)}`;
  const mailer = openMailer({
    server: { host: '127.0.0.1', port: ports.smtp, security: 'none' },
    from: 'chairside@example.com',
    certificates: [],
  });
  for (const to of ['first@example.com', 'second@example.com']) {
    const written = writeMail({ kind: 'invitation', values: { organizationName: 'East <& Co>' }, link });
    const report = await mailer.send({ _id: to, to, createdTime: new Date(), written });
    expect(report).toMatchObject({ outcome: 'sent' });
  }
  const mails = await mailsOf();
  expect(mails.map(({ to }: { to: string }) => to)).toEqual(['second@example.com', 'first@example.com']);
  expect(mails[0]).toEqual({
    to: 'second@example.com',
    subject: 'Your invitation to Chairside',
    text: expect.stringContaining(link),
    html: expect.stringContaining(`href="${link}"`),
    raw: expect.stringMatching(/^From: chairside@example\.com/m),
    receivedTime: expect.stringMatching(/Z$/),
  });
  const page = await (await fetch(inbox.url)).text();
  expect(page).toContain(`<a href="${link}">`);
  expect(page).toContain('East &lt;&amp; Co&gt;');
  expect((await fetch(`${inbox.url}/other`)).status).toBe(404);
});
