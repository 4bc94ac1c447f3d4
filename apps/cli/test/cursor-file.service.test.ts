import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyCli, openOwnApi } from './cli.ts';

/** A log without events, and the queries with which it is read. */
const openQuietLog = async () => {
  const queries: URLSearchParams[] = [];
  const { url, folder } = await openOwnApi((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/api/events') queries.push(searchParams);
    response.writeHead(200, { 'content-type': 'application/json', 'x-resume-cursor': 'end' }).end('[]');
  });
  const cli = emptyCli(folder, { CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: 'key' });
  const file = join(folder.path, 'events.cursor');
  const follow = async (signal: NodeJS.Signals, isEnough: () => boolean) => {
    const { child, ended } = cli.start(['events', 'follow', '--cursor-file', file]);
    const before = queries.length;
    await expect.poll(isEnough).toBe(true);
    child.kill(signal);
    await ended;
    return queries.slice(before);
  };
  return { cli, file, follow, queries };
};

test('a follower that has printed nothing continues where it ended', async () => {
  const { follow, queries } = await openQuietLog();
  await follow('SIGINT', () => queries.length >= 2);
  const count = queries.length;
  const [first] = await follow('SIGINT', () => queries.length > count);
  expect(first?.get('cursor')).toBe('end');
});

test('a follower that is killed before it has read anything begins at the same time again', async () => {
  const { file, follow, queries } = await openQuietLog();
  const [first] = await follow('SIGKILL', () => queries.length > 0 && existsSync(file));
  const count = queries.length;
  const [again] = await follow('SIGKILL', () => queries.length > count);
  expect(first?.get('since')).toMatch(/Z$/);
  expect(again?.get('since')).toBe(first?.get('since'));
});

test('a time that is too old is not kept, so that it can be corrected', async () => {
  const { cli, file } = await openQuietLog();
  const args = ['events', 'follow', '--cursor-file', file, '--since', '31 days ago'];
  const { code, stderr } = await cli.run(args);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('keeps 30 days') });
  expect(existsSync(file)).toBe(false);
});
