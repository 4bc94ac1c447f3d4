import { mailSteps, startMailServer } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { openMailer } from './smtp.ts';
import { writeMail } from './template.ts';

/** Every reply comes at once, except those that never come. */
const STEP_MS = 2000;

const stops = mailSteps.flatMap((at) => (['hang', 'drop', 'drip'] as const).map((how) => ({ at, how })));
test.each(stops)('a server that stops at $at ($how) ends the attempt', async ({ at, how }) => {
  const user = { name: 'chairside', password: 'right' };
  const server = await startMailServer({ security: 'none', user });
  onTestFinished(server.close);
  await server.behave({ stop: { at, ...(how === 'drip' ? { how, dripMs: STEP_MS / 5 } : { how }) } });
  const { host, port } = server;
  const mailer = openMailer({
    server: { host, port, security: 'none', user },
    from: 'chairside@example.com',
    certificates: [],
    stepMs: STEP_MS,
  });
  const report = await mailer.send({
    _id: '01JB0000000000000000MA1100',
    to: 'somebody@example.com',
    createdTime: new Date('2030-01-31T12:00:00.000Z'),
    written: writeMail({ kind: 'test', values: { organizationName: '' } }),
  });
  const isDoubtful = at === 'DOT';
  expect(report.outcome).toBe(isDoubtful ? 'doubtful' : 'temporary');
  expect(report.code).toBeUndefined();
  expect(server.mails).toHaveLength(isDoubtful ? 1 : 0);
});
