import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { killAtExit } from '@chairside/processes';
import { nodeArgumentsOf, spawnOptions } from './app.ts';
import type { TestStore } from './test-store.ts';

export type Ended = { code: number | null; stdout: string; stderr: string; json: any };

export type Started = { child: ChildProcess; ended: Promise<Ended> };

const jsonOf = (output: string): any => {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
};

/** The result of a command with this exit code and this output. */
export const endedWith = (code: number | null, stdout: string, stderr: string): Ended => ({
  code,
  stdout,
  stderr,
  json: jsonOf(stdout),
});

const SOURCE = nodeArgumentsOf('admin');

const startProcess = (
  environment: Record<string, string>,
  file: string,
  args: readonly string[],
  stdin: string | Buffer = '',
): Started => {
  const child = killAtExit(spawn(file, args, spawnOptions(environment)));
  child.stdin.end(stdin);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr, [code]]) => endedWith(code as number | null, stdout, stderr),
  );
  return { child, ended };
};

/** Starts a command line program as a process, from source. */
export const startCommand = (
  app: 'admin' | 'cli',
  environment: Record<string, string>,
  args: readonly string[],
  stdin?: string | Buffer,
): Started => startProcess(environment, process.execPath, [...nodeArgumentsOf(app), ...args], stdin);

/** Starts the command line program of apps/admin as a process, from source. */
export const startCli = (
  environment: Record<string, string>,
  args: readonly string[],
  stdin?: string | Buffer,
): Started => startCommand('admin', environment, args, stdin);

/**
 * Starts the command line program of apps/admin through a shell, because `spawn` cannot pass every byte as an argument.
 *
 * @param args the arguments in the syntax of the shell
 */
export const startCliInShell = (environment: Record<string, string>, args: string): Started =>
  startProcess(environment, 'sh', ['-c', `exec "$0" '${SOURCE.join("' '")}' ${args}`, process.execPath]);

/** A folder for input files. It is removed when it is closed. */
export type Folder = {
  path: string;
  write(name: string, content: string | Buffer): Promise<string>;
  writeLines(name: string, lines: readonly object[]): Promise<string>;
  close(): Promise<void>;
};

export const openFolder = async (): Promise<Folder> => {
  const path = await mkdtemp(join(tmpdir(), 'chairside-admin-'));
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(path, name), content);
    return join(path, name);
  };
  return {
    path,
    write,
    writeLines: (name, lines) => write(name, lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    close: () => rm(path, { recursive: true, force: true }),
  };
};

export const environmentOf = ({ url, encryptionKeys }: Pick<TestStore, 'url' | 'encryptionKeys'>) => ({
  MONGODB_URL: url,
  ENCRYPTION_KEYS: encryptionKeys,
});
