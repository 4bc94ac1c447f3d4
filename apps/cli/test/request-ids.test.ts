import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Folder, openFolder } from '@chairside/test-support';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { type Cli, emptyCli } from './cli.ts';

/*
 * A server refuses every request. Each command must show the id of the refused request, because the operator of the
 * service finds the request by it.
 */

/** Commands that send no request. */
const WITHOUT_REQUEST = ['profiles list', 'profiles use', 'profiles remove', 'verify', 'events trigger'];

/** The flags and arguments that a command needs before it sends its first request. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'patients create': ['--clinic-id', 'c'],
  'appointments create': ['--clinic-id', 'c'],
  'webhooks create': ['--clinic-id', 'c', '--url', 'https://example.com'],
  'providers create': ['--name', 'n', '--clinic-ids', 'c'],
  'providers update': ['--name', 'n'],
  'procedures create': ['--name', 'n', '--duration-minutes', '30'],
  'procedures update': ['--name', 'n'],
  'blocks create': [
    ...['--clinic-id', 'c', '--kind', 'CLOSED'],
    ...['--start-time', '2030-01-31T08:00:00Z', '--end-time', '2030-01-31T09:00:00Z'],
  ],
  'blocks update': ['--kind', 'CLOSED'],
  'hours set': ['--weekdays', '[]'],
  availability: ['--clinic-id', 'c', '--from', '2030-01-31', '--to', '2030-02-01'],
  'keys create': ['--name', 'n'],
  'operators create': ['--email', 'ada@example.com', '--role', 'staff', '--password-stdin'],
  'patients update': ['--name', 'n'],
  'patients upsert': ['--name', 'n'],
  'appointments update': ['--status', 'CANCELED'],
  'appointments upsert': ['--status', 'CANCELED'],
  'webhooks update': ['--active', 'true'],
  'keys update': ['--name', 'n'],
  'operators update': ['--role', 'staff'],
  'webhooks redeliver': ['--since', '1h', '--yes'],
  'operators end-sessions': ['--yes'],
  'operators reset-factors': ['--yes'],
  'factors rename-passkey': ['--name', 'n'],
  'organization update': ['--required-factors', 'off'],
  'keys reveal': ['--password-stdin'],
  'tokens create': ['--name', 'n', '--access', 'webhooks'],
  'tokens confirm': ['--password-stdin'],
  'tokens change-password': ['--password-stdin'],
  login: ['--email', 'ada@example.com', '--password-stdin'],
  listen: ['--forward-to', 'http://127.0.0.1:9/'],
  api: ['GET', '/api/clinics'],
  open: ['dashboard'],
};

const leaves = (parent: Command, words: readonly string[] = []): [string, Command][] =>
  parent.commands.length === 0
    ? [[words.join(' '), parent]]
    : parent.commands.flatMap((command) => leaves(command, [...words, command.name()]));
const commands = leaves(buildProgram()).filter(([name]) => !WITHOUT_REQUEST.includes(name));

const argumentsOf = (name: string, command: Command): string[] => {
  const ids = name === 'api' || name === 'open' ? [] : command.registeredArguments.map(() => 'id');
  const yes = name.endsWith(' delete') ? ['--yes'] : [];
  return [...name.split(' '), ...ids, ...(NEEDED[name] ?? []), ...yes];
};

let server: Server;
let folder: Folder;
let cli: Cli;
/** The ids of the responses to the command that runs. */
const sent: string[] = [];

beforeAll(async () => {
  folder = await openFolder();
  server = createServer((request, response) => {
    request.resume();
    const id = `req-${sent.length}`;
    sent.push(id);
    response
      .writeHead(403, { 'content-type': 'application/json', 'x-request-id': id })
      .end(
        JSON.stringify({ name: 'Forbidden', message: 'Refused by the test.', details: { requestId: id } }),
      );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = `chairside_token_${'x'.repeat(43)}`;
  cli = emptyCli(folder, { CHAIRSIDE_URL: url, CHAIRSIDE_TOKEN: token });
  // `logout` ends the session of a profile.
  const settings = join(folder.path, 'config', 'chairside');
  await mkdir(settings, { recursive: true });
  const profiles = { current: 'default', profiles: { default: { url, token } } };
  await writeFile(join(settings, 'profiles.json'), JSON.stringify(profiles), { mode: 0o600 });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await folder.close();
});

test.each(commands)('%s', async (name, command) => {
  sent.length = 0;
  const { stderr } = await cli.run(argumentsOf(name, command), 'password\nnext password\n');
  expect(sent, stderr).not.toEqual([]);
  expect(stderr.split('\n')).toContain(`Request id: ${sent.at(-1)}`);
});
