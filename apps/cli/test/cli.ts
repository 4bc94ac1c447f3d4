import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  type Ended,
  type Folder,
  openFolder,
  runCommand,
  type Started,
  startCommand,
  type WholeService,
} from '@chairside/test-support';
import { onTestFinished } from 'vitest';
import { run } from '../src/run.ts';

/** The command line with its own environment. `run` runs a command in this process, and `start` starts one. */
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
  return {
    environment,
    start,
    run: (args, stdin) => runCommand(run, environment, args, (given) => start(args, given), stdin),
  };
};

/** The command line with the practice's API key. */
export const keyCli = (folder: Folder, { address, practice }: WholeService): Cli =>
  emptyCli(folder, { CHAIRSIDE_URL: address, CHAIRSIDE_API_KEY: practice.apiKey });

/** The command line with the access token of an administrator. */
export const administratorCli = (folder: Folder, { address, practice }: WholeService): Cli =>
  emptyCli(folder, { CHAIRSIDE_URL: address, CHAIRSIDE_TOKEN: practice.administrator.token });

/** An api that responds as `respond` does, knows its key, and a folder, until the end of the test. */
export const openOwnApi = async (respond: RequestListener): Promise<{ url: string; folder: Folder }> => {
  const server = createServer((request, response) => {
    if (request.url !== '/api/apikeys/current') return respond(request, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ref: 'own' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await openFolder();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await folder.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, folder };
};

/**
 * The response of an api to a batch, made of what it responds to each of its writes.
 *
 * @param respondTo returns the status and the body of a single call with the body of a write
 */
export const batchResponse = async (
  body: string,
  respondTo: (body: any) => Promise<{ status: number; body: object; retryAfter?: number }>,
): Promise<{ results: object[] }> => {
  const { writes } = JSON.parse(body) as { writes: { body: object }[] };
  const result = async (write: { body: object }): Promise<object> => {
    const { status, body: responded, retryAfter } = await respondTo(write.body);
    return status === 200
      ? { status, created: true, changed: true, ...responded }
      : { status, error: responded, ...(retryAfter !== undefined && { retryAfter }) };
  };
  return { results: await Promise.all(writes.map(result)) };
};

/** Parses an output that has one JSON object in each line. */
export const linesOf = ({ stdout }: Pick<Ended, 'stdout'>): any[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
