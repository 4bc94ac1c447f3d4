import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Folder, nodeArgumentsOf, openFolder } from '@chairside/test-support';
import { spawnOptions } from '@chairside/test-support/app';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { batchResponse, type Cli, emptyCli, linesOf } from './cli.ts';

const KEY = 'chairside_key_this_must_not_be_shown';
const ESCAPE = '\u001b';

type Responder = (request: IncomingMessage, response: ServerResponse) => unknown;

let server: Server;
let folder: Folder;
let cli: Cli;
let respond: Responder;
let requests: { method?: string; url?: string }[] = [];

beforeAll(async () => {
  folder = await openFolder();
  server = createServer((request, response) => {
    const { method, url } = request;
    requests.push({ method, url } as { method: string; url: string });
    if (request.url === '/api/apikeys/current') json(200, { ref: 'own' })(request, response);
    else respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  cli = emptyCli(folder, { CHAIRSIDE_URL: `http://127.0.0.1:${port}`, CHAIRSIDE_API_KEY: KEY });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await folder.close();
});
beforeEach(() => {
  requests = [];
  respond = json(200, [{ _id: 'pat_1', name: 'Ada' }]);
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

const refusal = (name: string, message: string) => ({ name, message, details: {} });

type Ended = { code: number; stdout: string; stderr: string };

/** Runs a line of bash, in which `chairside` is the command line. */
const shell = (line: string, environment = cli.environment): Promise<Ended> =>
  new Promise((resolve) => {
    const { cwd, env } = spawnOptions(environment);
    const program = `'${process.execPath}' '${nodeArgumentsOf('cli').join("' '")}'`;
    const script = `set -o pipefail; chairside() { ${program} "$@"; }; ${line}`;
    execFile('bash', ['-c', script], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

/** Expects that a failure is reported in a sentence, without a stack trace, the key or an escape character. */
const expectSentence = ({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): void => {
  expect(stderr).not.toMatch(/^ +at |node:internal|Unexpected error/m);
  expect(stdout + stderr).not.toContain(KEY);
  expect(stdout + stderr).not.toContain(btoa(KEY));
  expect(stderr).not.toContain(ESCAPE);
};

describe('output', () => {
  test.each(['--version', '--help', 'patients list', 'patients list -o csv', 'patients get pat_1 -o json'])(
    'a full disk behind stdout: %s',
    async (args) => {
      const ended = await shell(`chairside ${args} > /dev/full`);
      expect(ended.stderr).toBe(
        'stdout: The disk is full. Free some space, then run the same command again.\n',
      );
      expect(ended.code).toBe(1);
    },
  );

  test.each(['--help', ...['table', 'json', 'ndjson', 'csv'].map((format) => `patients list -o ${format}`)])(
    'a closed pipe ends quietly: %s',
    async (args) => {
      // The list is larger than the buffer of a pipe.
      respond = json(200, Array(1000).fill({ _id: 'pat_1', name: 'n'.repeat(200) }));
      // `true` may end before the command writes, or after.
      expect(await shell(`chairside ${args} | true`)).toEqual({ code: 0, stdout: '', stderr: '' });
    },
  );
});

describe('files', () => {
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, row) => ({ clinicId: 'cli_1', name: `row ${row}` }));

  test('reports that the disk of the journal is full, and the next run continues', async () => {
    const file = await folder.writeLines('full.ndjson', rowsOf(1200));
    const bodies: string[] = [];
    respond = async (request, response) => {
      const body = await text(request);
      bodies.push(body);
      const made = async () => ({ status: 200, body: { _id: 'pat_1' } });
      json(200, await batchResponse(body, made))(request, response);
    };
    // A limit for the size of a file (one block of 1,024 bytes) simulates a full disk.
    const ended = await shell(`ulimit -f 1; chairside patients create --from '${file}'`);
    expectSentence(ended);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('cannot grow');
    expect(ended.stderr).toContain('run the same command again');
    expect(bodies).toHaveLength(1);
    const again = await cli.run(['patients', 'create', '--from', file]);
    expect(again.stderr).toContain('1200 of 1200 rows are created, 0 refused, 0 left.');
    expect(again.code).toBe(0);
    // The batch whose result the journal does not have is sent again, and is the same.
    expect(bodies).toHaveLength(4);
    expect(new Set(bodies).size).toBe(3);
  });

  test('a full disk for the refused rows ends with a sentence', async () => {
    const file = await folder.writeLines('refused.ndjson', rowsOf(12));
    symlinkSync('/dev/full', `${file}.refused.ndjson`);
    const refused = async () => ({ status: 400, body: refusal('ValidationError', 'Wrong.') });
    respond = async (request, response) =>
      json(200, await batchResponse(await text(request), refused))(request, response);
    const ended = await cli.run(['patients', 'create', '--from', file]);
    expectSentence(ended);
    expect(ended.stderr).toContain('The disk is full.');
    expect(ended.code).toBe(1);
    expect(readFileSync(`${file}.chairside-journal`, 'utf8')).not.toContain('"result":"refused"');
  });

  test('a settings folder that is not a folder ends with a sentence', async () => {
    const ended = await emptyCli(folder, { XDG_CONFIG_HOME: '/dev/null' }).run(['whoami']);
    expectSentence(ended);
    expect(ended.stderr).toContain('/dev/null/chairside/profiles.json: A part of this path is not a folder.');
    expect(ended.code).toBe(1);
  });
});

test.each([
  ['patients create --data -', 2, 'stdin: is not JSON'],
  ['login --email a@example.com --password-stdin', 2, 'stdin is empty'],
  ['patients delete pat_1', 2, 'give --yes'],
  ['login', 2, 'Give --email'],
])('stdin is closed: %s', async (args, code, sentence) => {
  const ended = await shell(`chairside ${args} <&-`);
  expectSentence(ended);
  expect(ended.stderr).toContain(sentence);
  expect(ended.code).toBe(code);
  expect(requests).toEqual([]);
});

describe('secrets', () => {
  test.each([
    [{ CHAIRSIDE_API_KEY: `${KEY}\n` }, 2],
    [{ CHAIRSIDE_API_KEY: `${KEY} ü` }, 2],
    [{ CHAIRSIDE_TOKEN: KEY, CHAIRSIDE_API_KEY: '' }, 2],
    [{ CHAIRSIDE_URL: `https://user:${KEY}@example.com` }, 2],
    [{ CHAIRSIDE_URL: `https://example.com/?key=${KEY}` }, 2],
  ])('are not in the error for %j', async (environment, code) => {
    const ended = await emptyCli(folder, { ...cli.environment, ...environment }).run(['patients', 'list']);
    expectSentence(ended);
    // The client's names of its options mean nothing to users of the command line.
    expect(ended.stderr).not.toMatch(/baseUrl|apiKey|accessToken/);
    expect(ended.code).toBe(code);
    expect(requests).toEqual([]);
  });

  test('are in no list of processes, and in no text that a proxy sends back', async () => {
    let listed = '';
    respond = ({ headers }, response) => {
      // The command is waiting for this response.
      listed = readFileSync(`/proc/${started.child.pid}/cmdline`, 'utf8');
      listed += readFileSync(`/proc/${started.child.pid}/task/${started.child.pid}/children`, 'utf8');
      response.writeHead(401, { 'content-type': 'text/html' }).end(`<p>${headers.authorization}</p>`);
    };
    const started = cli.start(['patients', 'list']);
    const ended = await started.ended;
    expect(listed).toContain('patients\0list\0');
    // The command has no child process.
    expect(listed.endsWith('\0')).toBe(true);
    expect(listed).not.toContain(KEY);
    expectSentence(ended);
    expect(ended.stderr).toContain('CHAIRSIDE_API_KEY');
    expect(ended.code).toBe(3);
  });
});

describe('a server that is not the API', () => {
  const html = '<html>\u001b[31mhello</html>';

  test.each([
    [200, 1],
    [502, 5],
  ])('HTML with status %i', async (status, code) => {
    respond = (_request, response) =>
      void response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '0' }).end(html);
    const ended = await cli.run(['patients', 'list']);
    expectSentence(ended);
    expect(ended.stderr).toContain(`status ${status} is not one of the Chairside API. Check the address`);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
  });

  test('a redirect is not followed', async () => {
    respond = (_request, response) => void response.writeHead(302, { location: '/api/elsewhere' }).end();
    const ended = await cli.run(['patients', 'list']);
    expectSentence(ended);
    expect(ended.stderr).toContain('status 302');
    expect(ended.code).toBe(1);
    expect(requests).toHaveLength(1);
  });

  test('a body without an end', async () => {
    const part = Buffer.alloc(2 ** 20, ' ');
    respond = (_request, response) => {
      const more = (): void => {
        while (response.writable && response.write(part));
      };
      response.writeHead(200).on('drain', more);
      more();
    };
    const ended = await cli.run(['patients', 'list']);
    expectSentence(ended);
    expect(ended.stderr).toContain('larger than 64 MiB');
    expect(ended.code).toBe(5);
    expect(requests).toHaveLength(1);
  });

  test('escape sequences in a message are shown escaped', async () => {
    const issues = [{ path: `name${ESCAPE}[1m`, message: 'no\u009b2J' }];
    const body = { name: 'ValidationError', message: `Wrong${ESCAPE}]0;title\u0007.`, details: { issues } };
    respond = json(400, body);
    const ended = await cli.run(['patients', 'list']);
    expectSentence(ended);
    expect(ended.stderr).toBe('Wrong\\u001b]0;title\\u0007.\n  name\\u001b[1m no\\u009b2J\n');
    expect(ended.code).toBe(1);
  });
});

describe('a server that is busy', () => {
  const failing = (count: number, failure: Responder): void => {
    const success = respond;
    respond = (request, response) => (requests.length <= count ? failure : success)(request, response);
  };
  const limited = refusal('TooManyRequests', 'Too many requests.');
  const unreachable = refusal('ServiceUnavailable', 'The database is unreachable.');

  test.each([
    ['429 with Retry-After, then success', 1, json(429, limited, { 'retry-after': '1' })],
    ['503 three times, then success', 3, json(503, unreachable, { 'retry-after': '0' })],
  ])('%s', async (_what, count, failure) => {
    failing(count, failure);
    const ended = await cli.run(['patients', 'list']);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    expect(linesOf(ended)).toHaveLength(1);
    expect(requests).toHaveLength(count + 1);
  });

  test.each([
    ['429 with a long Retry-After', json(429, limited, { 'retry-after': '3600' }), 1, limited],
    ['503 without an end', json(503, unreachable, { 'retry-after': '0' }), 4, unreachable],
  ])('%s ends with code 5', async (_what, failure, count, { message }) => {
    respond = failure;
    const ended = await cli.run(['patients', 'list']);
    expectSentence(ended);
    expect(ended.stderr).toContain(message);
    expect(ended.code).toBe(5);
    expect(requests).toHaveLength(count);
  });
});
