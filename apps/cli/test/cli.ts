import { join } from 'node:path';
import {
  type Ended,
  type Folder,
  type Started,
  startCommand,
  type WholeService,
} from '@chairside/test-support';

/** Runs the command line as a process with its own environment. */
export type Cli = {
  environment: Record<string, string>;
  run(args: readonly string[], stdin?: string | Buffer): Promise<Ended>;
  start(args: readonly string[], stdin?: string | Buffer): Started;
};

/** The command line with its settings in a folder of the test. */
export const emptyCli = (folder: Folder, more: Record<string, string> = {}): Cli => {
  const environment = { XDG_CONFIG_HOME: join(folder.path, 'config'), HOME: folder.path, ...more };
  const start = (args: readonly string[], stdin?: string | Buffer) =>
    startCommand('cli', environment, args, stdin);
  return { environment, start, run: (args, stdin) => start(args, stdin).ended };
};

/** The command line with the practice's API key. */
export const keyCli = (folder: Folder, { address, practice }: WholeService): Cli =>
  emptyCli(folder, { CHAIRSIDE_URL: address, CHAIRSIDE_API_KEY: practice.apiKey });

/** The command line with the access token of an administrator. */
export const administratorCli = (folder: Folder, { address, practice }: WholeService): Cli =>
  emptyCli(folder, { CHAIRSIDE_URL: address, CHAIRSIDE_TOKEN: practice.administrator.token });

/** Parses an output that has one JSON object in each line. */
export const linesOf = ({ stdout }: Pick<Ended, 'stdout'>): any[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
