import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET } from './entries.ts';
import { cases, idOf, SECOND_SECRET, send, vectorGroups } from './receiver-cases.ts';
import { type RunningServer, startServer } from './running-server.ts';

const home = join(import.meta.dirname, '..');
const root = mkdtempSync(join(tmpdir(), 'chairside-receivers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Language {
  name: string;
  /** Commands that print the versions, each with the Debian packages that have it. */
  versions: { command: [string, ...string[]]; packages: string }[];
  /** Prepares the folder, which contains the receiver. */
  build?(folder: string): void;
  command(port: string): [string, ...string[]];
  /** Without a start, a receiver without a secret must respond with 500. */
  hasNoStart?: true;
  /** Responses that differ, because the HTTP server of this language does not show repeated headers as they are. */
  differs?: Record<string, string>;
}

// The server joins the two lines, and the result is a valid header.
const JOINS = { 'two headers, the second another scheme': '204' };
const languages: Language[] = [
  {
    name: 'JavaScript',
    versions: [{ command: [process.execPath, '--version'], packages: 'nodejs' }],
    command: () => [
      process.execPath,
      '--conditions=@chairside/source',
      join(home, 'docs/receivers/receiver.mjs'),
    ],
  },
  {
    name: 'Python',
    versions: [{ command: ['python3', '--version'], packages: 'python3' }],
    command: () => ['python3', 'receiver.py'],
  },
  {
    name: 'Go',
    versions: [{ command: ['go', 'version'], packages: 'golang-go' }],
    build: (cwd) => {
      const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      execFileSync('go', ['build', 'receiver.go'], { cwd, env });
    },
    command: () => ['./receiver'],
  },
  {
    name: 'Java',
    versions: [{ command: ['java', '--version'], packages: 'default-jdk-headless' }],
    command: () => ['java', 'Receiver.java'],
  },
  {
    name: 'PHP',
    versions: [{ command: ['php', '--version'], packages: 'php-cli' }],
    command: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
    hasNoStart: true,
    differs: JOINS,
  },
  {
    name: 'Ruby',
    versions: [
      { command: ['ruby', '--version'], packages: 'ruby' },
      { command: ['puma', '--version'], packages: 'puma' },
    ],
    command: (port) => ['puma', '-b', `tcp://127.0.0.1:${port}`, './receiver.rb'],
    differs: JOINS,
  },
  {
    name: 'C#',
    versions: [
      { command: ['mono', '--version'], packages: 'mono-runtime' },
      { command: ['mcs', '--version'], packages: 'mono-mcs' },
    ],
    build: (cwd) => void execFileSync('mcs', ['Receiver.cs'], { cwd }),
    command: () => ['mono', 'Receiver.exe'],
    // HttpListener keeps only the last of the two lines.
    differs: {
      'two headers, the first valid': '400 mismatch',
      'two headers, the second valid': '204',
      'two headers, both valid': '204',
      'two headers, the first empty': '204',
      'two headers, the second empty': '400 missing_header',
      'two headers, the second another scheme': '400 malformed_header',
    },
  },
];

/** A missing language fails the release, because its receiver would be published untested. */
function printVersions({ name, versions }: Language): void {
  for (const { command, packages } of versions) {
    const [program, ...args] = command;
    const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0)
      throw new Error(
        `The receiver in ${name} needs the command ${program}. Install it: apt-get install ${packages}`,
      );
    console.log(`${name}: ${stdout.split('\n')[0]}`);
  }
}

const BAD_SECRETS: Record<string, string | undefined> = {
  'no secret': undefined,
  'an empty secret': '',
  'a blank secret': ' '.repeat(40),
  'a secret of fifteen bytes': SECRET.slice(0, 15),
  'a secret with a space after it': `${SECRET} `,
  'a list with a space after the comma': `${SECRET}, ${SECOND_SECRET}`,
  'a list that ends with a comma': `${SECRET},`,
  'a comma alone': ',',
};
const forged = cases.filter(({ name }) => name === 'valid' || name === 'forged with an empty key');

describe.each(languages)('the receiver in $name', (language) => {
  const { build, command, hasNoStart = false, differs = {} } = language;
  const cwd = join(root, language.name.replace('#', 'sharp'));
  const start = (secret: string | undefined) => startServer({ cwd, secret, command });
  const serve = async (secret: string): Promise<RunningServer> => {
    const server = await start(secret);
    if ('exitCode' in server) throw new Error(`The receiver did not start:\n${server.output}`);
    return server;
  };
  /** Checks that the receiver does not start, or responds with 500 to every request. */
  const expectRefusedSecret = async (secret: string | undefined) => {
    const server = await start(secret);
    if ('exitCode' in server) {
      expect(hasNoStart).toBe(false);
      expect(server.exitCode).toBeGreaterThan(0);
      expect(server.output).toContain('CHAIRSIDE_WEBHOOK_SECRET');
      return;
    }
    try {
      expect(hasNoStart, 'it started').toBe(true);
      for (const { sent } of forged) expect(await send(server.port, sent())).toBe('500 bad_secret');
      await expect.poll(server.output).toContain('CHAIRSIDE_WEBHOOK_SECRET');
    } finally {
      await server.stop();
    }
  };

  beforeAll(() => {
    printVersions(language);
    mkdirSync(cwd);
    cpSync(join(home, 'docs/receivers'), cwd, { recursive: true });
    build?.(cwd);
  });

  describe('with two secrets', () => {
    let started: Promise<RunningServer> | undefined;
    // Not in beforeAll, because the start waits with expect.poll, which needs a test.
    const server = () => (started ??= serve(`${SECRET},${SECOND_SECRET}`));
    afterAll(async () => (await started)?.stop());

    const expectedOf = (name: string, expected: string) => differs[name] ?? expected;
    it.each(cases.map((each) => ({ ...each, expected: expectedOf(each.name, each.expected) })))(
      'responds with $expected: $name',
      async ({ sent, expected }) => {
        expect(await send((await server()).port, sent())).toBe(expected);
      },
    );

    it('has printed the accepted events, and no other', async () => {
      const accepted = cases
        .filter(({ name, expected }) => expectedOf(name, expected) === '204')
        .map(({ name }) => `test.ping ${idOf(name)}`);
      const { output } = await server();
      const printed = () => output().match(/\btest\.ping \w+/g);
      await expect.poll(printed).toContain(accepted.at(-1));
      expect(printed()).toEqual(accepted);
    });
  });

  it.each(Object.entries(BAD_SECRETS))('fails closed with %s', async (_name, secret) => {
    await expectRefusedSecret(secret);
  });

  it('passes the vectors', async () => {
    for (const { secrets, cases } of vectorGroups) {
      if (cases.every(({ expected }) => expected === '400 bad_secret')) {
        await expectRefusedSecret(secrets.join(','));
        continue;
      }
      const server = await serve(secrets.join(','));
      const responses: string[] = [];
      try {
        for (const { name, sent } of cases) responses.push(`${name}: ${await send(server.port, sent())}`);
      } finally {
        await server.stop();
      }
      expect(responses).toEqual(cases.map(({ name, expected }) => `${name}: ${expected}`));
    }
  });
});

it('there is one receiver for each language, and the vectors are most of the file', () => {
  expect(languages).toHaveLength(7);
  expect(vectorGroups.flatMap(({ cases }) => cases).length).toBeGreaterThan(130);
});
