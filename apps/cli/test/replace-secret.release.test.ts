import { signatureHeader, verify } from '@chairside/signing';
import {
  type Folder,
  openFolder,
  type RecordingReceiver,
  startRecordingReceiver,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { administratorCli, type Cli } from './cli.ts';
import { openTerminal } from './terminal.ts';

let service: WholeService;
let folder: Folder;
let administrator: Cli;
let receiver: RecordingReceiver;
/** The secrets that the receiver accepts. */
let secrets: string[];
let old: { _id: string; secret: string };

beforeAll(async () => {
  folder = await openFolder();
  service = await startWholeService(testEngines().redisUrl);
  administrator = administratorCli(folder, service);
  await deleteAll();
});
afterAll(async () => {
  await service.close();
  await folder.close();
});
beforeEach(async () => {
  receiver = await startRecordingReceiver();
  receiver.respond = async ({ raw, headers }, response) => {
    try {
      verify({ body: raw, header: signatureHeader({ headers }), secret: secrets });
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  };
  const [clinicId] = service.practice.clinicIds;
  old = await done('webhooks', 'create', '--clinic-id', clinicId, '--url', receiver.url);
  secrets = [old.secret];
});
afterEach(async () => {
  await deleteAll();
  await receiver.close();
});

const run = (...args: string[]) => administrator.run(args);
const done = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return stdout === '' ? undefined : JSON.parse(stdout);
};
const subscriptions = async (): Promise<{ _id: string; state: string; active: boolean }[]> => {
  const { stdout } = await run('webhooks', 'list');
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};
const deleteAll = async () => {
  for (const { _id } of await subscriptions()) await done('webhooks', 'delete', _id, '--yes');
};
const replaceSecret = (...flags: string[]) => run('webhooks', 'replace-secret', old._id, ...flags);

test('in a script: two commands, between which the receiver learns the new secret', async () => {
  const begun = await replaceSecret();
  expect(begun).toMatchObject({ code: 0, stderr: expect.stringContaining(`${old._id} --continue --yes`) });
  const next = JSON.parse(begun.stdout);
  expect(next).toMatchObject({ active: false, replaces: old._id, secret: expect.stringMatching(/^whsec_/) });

  const early = await replaceSecret('--continue', '--yes');
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing is switched.') });
  expect(await done('webhooks', 'get', old._id)).toMatchObject({ active: true });
  const twice = await replaceSecret();
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining(`webhooks delete ${next._id}`) });

  secrets.push(next.secret);
  const { code, stderr } = await replaceSecret('--continue', '--yes');
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('is deleted') });
  expect(await subscriptions()).toMatchObject([{ _id: next._id, state: 'healthy', active: true }]);
});

test('on a terminal: it asks between the steps, and goes on where it was ended', async () => {
  const open = (...flags: string[]) =>
    openTerminal(administrator, ['webhooks', 'replace-secret', old._id, '-o', 'json', ...flags]);
  const first = open();
  await first.until('Does the receiver accept both secrets now?');
  secrets.push(/whsec_[\w-]+/.exec(first.text())?.[0] ?? '');
  first.type('n');
  expect(await first.ended).toBe(1);
  expect(first.text()).toContain('Nothing is switched.');

  const second = open('--continue');
  await second.until('Does the receiver accept both secrets now?');
  second.type('y');
  await second.until('signed with the new secret');
  await second.until('Delete the old subscription?');
  second.type('n');
  expect(await second.ended).toBe(0);
  expect(await done('webhooks', 'get', old._id)).toMatchObject({ active: false, state: 'replaced' });
  expect(await replaceSecret()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has replaced it already'),
  });

  const third = open('--continue');
  await third.until('Delete the old subscription?');
  third.type('y');
  expect(await third.ended).toBe(0);
  expect(await subscriptions()).toHaveLength(1);
});

test.each([
  ['--yes without --continue', ['--yes'], 2, 'Give --yes only with --continue'],
  ['--continue without --yes and without a terminal', ['--continue'], 2, 'Give --yes with --continue'],
  ['--continue with nothing to go on with', ['--continue', '--yes'], 1, 'No subscription is to replace'],
])('refuses %s', async (_name, flags, code, message) => {
  expect(await replaceSecret(...flags)).toMatchObject({ code, stderr: expect.stringContaining(message) });
});
