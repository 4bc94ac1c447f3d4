import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeArgumentsOf, openEmptyDatabase, testEngines } from '@chairside/test-support';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openDataFolder } from '../src/data-folder.ts';
import { PORT_VARIABLES } from '../src/ports.ts';
import { start } from '../src/start.ts';
import { createSteps } from '../src/steps.ts';

let folder: string;
let close: () => Promise<void>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chairside-start-'));
  const database = openEmptyDatabase();
  close = database.close;
  vi.stubEnv('MONGODB_URL', database.url);
  vi.stubEnv('REDIS_URL', testEngines().redisUrl);
  for (const name of PORT_VARIABLES) vi.stubEnv(name, '0');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await close();
  await rm(folder, { recursive: true });
});

test('an invitation arrives in the inbox, and its link leads to a dashboard that the operator can enter', async () => {
  const data = await openDataFolder(folder);
  const { signal } = new AbortController();
  const running: { stop(): Promise<void> }[] = [];
  onTestFinished(async () => {
    for (const part of running.toReversed()) await part.stop();
  });
  const print = () => {};
  await start({
    data,
    steps: createSteps(print, signal),
    print,
    signal,
    running,
    argumentsOf: nodeArgumentsOf,
    record: async () => {},
  });
  const facts = await data.readFacts();
  const administrator = facts?.organizations[0]?.administrator;
  if (facts === undefined || administrator === undefined) throw new Error('the demo has written no facts');
  const post = (url: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const sendsMail = async () => (await fetch(`${facts.api}/api/passwordresets`)).json();
  await expect.poll(sendsMail).toEqual({ mail: true });
  const email = 'colleague@example.com';
  const invited = await post(
    `${facts.api}/api/operators`,
    { email, role: 'staff' },
    { authorization: `Token ${administrator.token}` },
  );
  expect(invited.status).toBe(200);
  const mails = async (): Promise<any> => (await fetch(`${facts.inbox}/mails`)).json();
  await expect.poll(mails).toMatchObject([{ to: email, subject: 'Your invitation to Chairside' }]);
  const [{ text }] = await mails();
  const [link = ''] = text.match(/http\S+#\S+/) ?? [];
  expect(link.startsWith(`${facts.dashboard}/invitation#`)).toBe(true);
  // What the page that the link leads to sends.
  const origin = facts.dashboard;
  const password = 'correct horse battery';
  const secret = new URL(link).hash.slice(1);
  const accepted = await post(`${origin}/api/invitations/complete`, { secret, password }, { origin });
  expect(await accepted.json()).toEqual({ email });
  expect((await post(`${origin}/session`, { email, password }, { origin })).status).toBe(200);
});
