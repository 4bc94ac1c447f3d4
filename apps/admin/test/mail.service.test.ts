import {
  environmentOf,
  openTestStore,
  parseMail,
  runCommand,
  startCli,
  startMailServer,
  type TestStore,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../src/run.ts';

let store: TestStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

type Finding = { check: string; ok: boolean; finding: string; hint?: string };

const doctor = async (to: string, mail: Record<string, string>) => {
  const environment = { ...environmentOf(store), ...mail };
  const args = ['doctor', '--json', '--mail', to];
  const { code, json } = await runCommand(run, environment, args, () => startCli(environment, args));
  const verdicts: Finding[] = json.verdicts;
  return { code, verdict: verdicts.find(({ check }) => check === 'mail'), verdicts };
};
const startServer = async () => {
  const server = await startMailServer();
  onTestFinished(server.close);
  return { server, settings: { MAIL_URL: server.url, MAIL_FROM: 'chairside@example.com' } };
};

test('doctor --mail sends one mail, and says what the mail server replied', async () => {
  const { server, settings } = await startServer();
  const { code, verdict } = await doctor('you@example.com', settings);
  expect(verdict).toEqual({
    check: 'mail',
    ok: true,
    finding: expect.stringMatching(/^the mail server took a mail: 250 /),
  });
  expect(code).toBe(0);
  expect(server.mails).toMatchObject([{ from: 'chairside@example.com', to: ['you@example.com'] }]);
  const [mail = { raw: '' }] = server.mails;
  expect(await parseMail(mail)).toMatchObject({ subject: 'A test mail of Chairside' });
});

test('doctor --mail says why the mail server took no mail', async () => {
  const { server, settings } = await startServer();
  await server.behave({ refuse: { at: 'recipient', code: 550 } });
  const { code, verdict } = await doctor('you@example.com', settings);
  expect(verdict).toMatchObject({
    ok: false,
    finding: expect.stringMatching(/at the step envelope\): 550 .*refused/),
    hint: expect.stringContaining('would not try this mail again'),
  });
  expect(code).toBe(1);
  await server.behave({ refuse: { at: 'recipient', code: 451 } });
  expect((await doctor('you@example.com', settings)).verdict).toMatchObject({
    hint: expect.stringContaining('would try again'),
  });
});

test('doctor --mail needs the settings and an address', async () => {
  const { server, settings } = await startServer();
  expect((await doctor('you@example.com', {})).verdict).toMatchObject({
    ok: false,
    hint: expect.stringContaining('Set MAIL_URL and MAIL_FROM'),
  });
  expect((await doctor('nobody', settings)).verdict).toMatchObject({
    ok: false,
    finding: 'no mail was sent',
  });
  const { verdicts } = await doctor('you@example.com', { MAIL_URL: server.url });
  expect(verdicts.at(-1)).toMatchObject({
    check: 'configuration',
    hint: expect.stringContaining('MAIL_FROM is required with MAIL_URL'),
  });
  expect(server.mails).toEqual([]);
});
