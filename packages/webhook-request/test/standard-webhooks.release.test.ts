import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { rowsNow } from './standard-webhooks-cases.ts';

const drivers = join(import.meta.dirname, 'standard-webhooks');
const root = mkdtempSync(join(tmpdir(), 'chairside-standard-webhooks-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Language {
  name: string;
  /** Commands that the language needs, each with the Debian packages that have it. */
  needs: { command: string[]; packages: string }[];
  /** Installs the library and builds the driver in the folder, which contains all drivers. */
  build: string[][];
  command: string[];
  /** Prints the version of the library that was installed. */
  version: string[];
}

const installed = createRequire(import.meta.url).resolve('standardwebhooks');
/** The signature in the tests of the libraries in Ruby, PHP and C# is in src/webhook-request.test.ts instead. */
const languages: Language[] = [
  {
    name: 'JavaScript',
    needs: [],
    build: [],
    // Not the copy, because it would not find the library.
    command: [process.execPath, join(drivers, 'verify.mjs')],
    version: [process.execPath, '-p', `require('${join(dirname(installed), '../package.json')}').version`],
  },
  {
    name: 'Python',
    needs: [
      { command: ['python3', '--version'], packages: 'python3' },
      { command: ['python3', '-c', 'import ensurepip'], packages: 'python3-venv' },
    ],
    build: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', '--requirement', 'requirements.txt'],
    ],
    command: ['venv/bin/python', 'verify.py'],
    version: ['venv/bin/pip', 'freeze'],
  },
  {
    name: 'Go',
    needs: [{ command: ['go', 'version'], packages: 'golang-go' }],
    build: [['go', 'build', '-o', 'verify-go', 'verify.go']],
    command: ['./verify-go'],
    version: ['go', 'list', '-m', 'github.com/standard-webhooks/standard-webhooks/libraries'],
  },
  {
    name: 'Rust',
    needs: [{ command: ['cargo', '--version'], packages: 'cargo' }],
    build: [['cargo', 'build', '--quiet', '--target-dir', 'target']],
    command: ['target/debug/verify'],
    version: ['cargo', 'tree', '--depth', '0', '--package', 'standardwebhooks'],
  },
  {
    name: 'Java',
    needs: [
      { command: ['javac', '--version'], packages: 'default-jdk-headless' },
      { command: ['mvn', '--version'], packages: 'maven' },
    ],
    build: [
      ['mvn', '--batch-mode', '--quiet', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
      ['javac', '-cp', 'lib/*', 'Verify.java'],
    ],
    command: ['java', '-cp', 'lib/*:.', 'Verify'],
    version: ['ls', 'lib'],
  },
];

/** A missing language fails the release, because the guide promises that its library verifies the webhooks. */
function requireCommands({ name, needs }: Language): void {
  for (const { command, packages } of needs) {
    const [program = '', ...args] = command;
    if (spawnSync(program, args).status !== 0)
      throw new Error(
        `The library of Standard Webhooks in ${name} needs: ${command.join(' ')}. Install it: apt-get install ${packages}`,
      );
  }
}

async function run(cwd: string, [program = '', ...args]: string[], input = ''): Promise<string> {
  const running = promisify(execFile)(program, args, { cwd });
  // A driver that ends early makes `running` fail, with the output of the driver.
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout.trim();
}

describe.each(languages)('the published library in $name', (language) => {
  it('accepts the webhooks and refuses forgeries', async () => {
    requireCommands(language);
    const cwd = join(root, language.name);
    cpSync(drivers, cwd, { recursive: true });
    for (const command of language.build) await run(cwd, command);
    const version = await run(cwd, language.version);

    // After the build, which may take longer than the tolerance of the timestamps.
    const rows = rowsNow();
    const input = rows.map(({ row }) => `${JSON.stringify(row)}\n`).join('');
    const printed = (await run(cwd, language.command, input)).split('\n');
    expect(printed).toHaveLength(rows.length);
    const wrong = rows
      .map(({ name, expected }, index) => ({ name, expected, verdict: printed[index] }))
      .filter(({ expected, verdict }) => verdict !== expected)
      .map(({ name, verdict }) => `${verdict}: ${name}`);
    expect([...new Set(wrong)]).toEqual([]);
    console.log(`${language.name}: ${rows.length} rows with ${version.replaceAll(/\s+/g, ' ')}`);
  });
});
