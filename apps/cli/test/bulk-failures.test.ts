import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Folder, openFolder } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { type Cli, emptyCli } from './cli.ts';

type Response = { status: number; body: object; headers?: Record<string, string> };

/** An api that responds as `respond` says, and the command line with its address. */
const openService = async (): Promise<{
  cli: Cli;
  folder: Folder;
  respond: (of: (name: string) => Response) => void;
}> => {
  let responseTo = (_name: string): Response => ({ status: 200, body: { _id: 'pat_1' } });
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join(''));
    const made = responseTo(body.name);
    response.writeHead(made.status, { 'content-type': 'application/json', ...made.headers });
    response.end(JSON.stringify(made.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await openFolder();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await folder.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cli = emptyCli(folder, { CHAIRSIDE_URL: address, CHAIRSIDE_API_KEY: 'key' });
  return {
    cli,
    folder,
    respond(of) {
      responseTo = of;
    },
  };
};

const created = (): Response => ({ status: 200, body: { _id: 'pat_1' } });
const refusal = (status: number, name: string, headers = {}): Response => ({
  status,
  body: { name, message: 'A reason.', details: {} },
  headers,
});
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, row) => ({ clinicId: 'cli_1', name: `row ${row}` }));

test('a row whose first request is still running is not refused, but left', async () => {
  const { cli, folder, respond } = await openService();
  const file = await folder.writeLines('running.ndjson', rowsOf(3));
  const running = refusal(409, 'Conflict', { 'retry-after': '0' });
  respond((name) => (name === 'row 1' ? running : created()));
  const { code, stderr } = await cli.run(['patients', 'create', '--from', file]);
  expect(stderr).toContain('0 refused, 1 left.');
  expect(stderr).toContain('run the same command again');
  expect(code).toBe(1);
  expect(existsSync(`${file}.refused.ndjson`)).toBe(false);
  respond(created);
  const again = await cli.run(['patients', 'create', '--from', file]);
  expect(again.stderr).toContain('3 of 3 rows are created, 0 refused, 0 left.');
});
