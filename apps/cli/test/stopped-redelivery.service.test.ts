import { expect, test } from 'vitest';
import { emptyCli, openOwnApi } from './cli.ts';

test('a bulk redelivery that somebody has stopped is not reported as done', async () => {
  const redelivery = { _id: 'red_1', made: 3, waiting: 0, succeeded: 3, failed: 0, gone: 0 };
  const { url, folder } = await openOwnApi(({ method }, response) => {
    const state = method === 'POST' ? 'running' : 'stopped';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...redelivery, state }));
  });
  const cli = emptyCli(folder, { CHAIRSIDE_URL: url, CHAIRSIDE_TOKEN: 'token' });
  const ended = await cli.run(['webhooks', 'redeliver', 'sub_1', '--since', '2h', '--yes']);
  expect(ended.json).toMatchObject({ state: 'stopped', made: 3 });
  expect(ended.stderr).toContain('was stopped after 3 deliveries');
  expect(ended.code).toBe(1);
});
