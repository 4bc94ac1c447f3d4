import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { emptyCli, linesOf, openOwnApi } from './cli.ts';

/** An api that lets every request wait, and a function that starts a login to it. */
const openService = async () => {
  const waiting: ServerResponse[] = [];
  const { url, folder } = await openOwnApi((_request, response) => void waiting.push(response));
  const cli = emptyCli(folder);
  const login = (profile: string, password: string | Buffer = 'password') =>
    cli.start(
      ['login', '--profile', profile, '--url', url, '--email', 'ada@example.com', '--password-stdin'],
      password,
    ).ended;
  return { cli, login, waiting };
};

test('a login keeps the session of another one that has ended meanwhile', async () => {
  const { cli, login, waiting } = await openService();
  const respond = () =>
    waiting
      .pop()
      ?.writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ token: 'token', role: 'staff', expiryTime: '2030-01-01T00:00:00.000Z' }));

  const first = login('first');
  await expect.poll(() => waiting.length).toBe(1);
  const second = login('second');
  await expect.poll(() => waiting.length).toBe(2);
  respond();
  expect((await second).code).toBe(0);
  respond();
  expect((await first).code).toBe(0);
  const profiles = linesOf(await cli.run(['profiles']));
  expect(profiles).toMatchObject([
    { name: 'second', current: true, signedIn: true },
    { name: 'first', current: false, signedIn: true },
  ]);
});

test('a password on stdin that is not UTF-8 is refused and not sent', async () => {
  const { login, waiting } = await openService();
  const { code, stderr } = await login('default', Buffer.from('a long p\u00e4ssword\n', 'latin1'));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('stdin: is not UTF-8') });
  expect(waiting).toEqual([]);
});
