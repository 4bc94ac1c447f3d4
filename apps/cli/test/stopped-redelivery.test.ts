import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openFolder } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { emptyCli } from './cli.ts';

test('a bulk redelivery that somebody has stopped is not reported as done', async () => {
  const redelivery = { _id: 'red_1', made: 3, waiting: 0, succeeded: 3, failed: 0, gone: 0 };
  const server = createServer(({ method }, response) => {
    const state = method === 'POST' ? 'running' : 'stopped';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...redelivery, state }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = await openFolder();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await folder.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cli = emptyCli(folder, { CHAIRSIDE_URL: address, CHAIRSIDE_TOKEN: 'token' });
  const ended = await cli.run(['webhooks', 'redeliver', 'sub_1', '--since', '2h', '--yes']);
  expect(ended.json).toMatchObject({ state: 'stopped', made: 3 });
  expect(ended.stderr).toContain('was stopped after 3 deliveries');
  expect(ended.code).toBe(1);
});
