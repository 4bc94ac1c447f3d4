import { stripVTControlCharacters } from 'node:util';
import { nodeArgumentsOf } from '@chairside/test-support';
import { spawnOptions } from '@chairside/test-support/app';
import { spawn } from '@lydell/node-pty';
import type { Cli } from './cli.ts';

/** A command on a terminal of its own. */
export type Terminal = {
  /** Everything on the terminal so far, escape sequences included. */
  raw(): string;
  /** Everything on the terminal so far, without escape sequences. */
  text(): string;
  /**
   * Resolves when the text contains this message after the message of the previous call. Rejects if the command ends
   * first.
   */
  until(part: string): Promise<void>;
  /** Types these characters. */
  type(characters: string): void;
  /** Resolves with the exit code when the command ends. */
  ended: Promise<number>;
};

/** Starts a program on a terminal with 80 columns. */
export const openProgram = (
  file: string,
  args: readonly string[],
  { cwd, env }: Pick<ReturnType<typeof spawnOptions>, 'cwd' | 'env'>,
): Terminal => {
  const pty = spawn(file, [...args], { name: 'xterm-256color', cols: 80, rows: 30, cwd, env });
  let raw = '';
  let seen = 0;
  let look = () => {};
  const text = () => stripVTControlCharacters(raw);
  pty.onData((data) => {
    raw += data;
    look();
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode));
  });
  return {
    raw: () => raw,
    text,
    type: (characters) => pty.write(characters),
    ended,
    until: (part) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = text().indexOf(part, seen);
          if (at === -1) return;
          seen = at + part.length;
          look = () => {};
          resolve();
        };
        look();
        ended.then((code) =>
          reject(new Error(`ended with ${code} before ${JSON.stringify(part)}:\n${text()}`)),
        );
      }),
  };
};

/** Starts a command of the command line on a terminal with 80 columns. */
export const openTerminal = (
  { environment }: Cli,
  args: readonly string[],
  more: Record<string, string> = {},
): Terminal =>
  openProgram(
    process.execPath,
    [...nodeArgumentsOf('cli'), ...args],
    spawnOptions({ TERM: 'xterm-256color', ...environment, ...more }),
  );
