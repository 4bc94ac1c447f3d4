import { expect, test } from 'vitest';
import { parseRedisUrl } from './redis-url.ts';

test.each([
  [
    'redis://localhost',
    { kind: 'single', server: { host: 'localhost', port: 6379 }, database: 0, tls: false },
  ],
  [
    'rediss://user:p%40ss%2Fword@redis.example.com:6380/2',
    {
      kind: 'single',
      server: { host: 'redis.example.com', port: 6380 },
      database: 2,
      tls: true,
      username: 'user',
      password: 'p@ss/word',
    },
  ],
  [
    'redis://:secret@[::1]:7000',
    { kind: 'single', server: { host: '::1', port: 7000 }, database: 0, tls: false, password: 'secret' },
  ],
  [
    'redis://user:p@ss@host/1',
    {
      kind: 'single',
      server: { host: 'host', port: 6379 },
      database: 1,
      tls: false,
      username: 'user',
      password: 'p@ss',
    },
  ],
  [
    'redis+sentinel://one/mymaster?sentinel_password=a@b',
    {
      kind: 'sentinel',
      sentinels: [{ host: 'one', port: 26_379 }],
      master: 'mymaster',
      database: 0,
      sentinelPassword: 'a@b',
      tls: false,
    },
  ],
  [
    'redis+sentinel://:secret@one,two:26380,[::1]:1/mymaster/3?sentinel_username=me&sentinel_password=a%26b',
    {
      kind: 'sentinel',
      sentinels: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 26_380 },
        { host: '::1', port: 1 },
      ],
      master: 'mymaster',
      database: 3,
      sentinelUsername: 'me',
      sentinelPassword: 'a&b',
      password: 'secret',
      tls: false,
    },
  ],
  [
    'rediss+cluster://one:7000,two/',
    {
      kind: 'cluster',
      nodes: [
        { host: 'one', port: 7000 },
        { host: 'two', port: 6379 },
      ],
      tls: true,
    },
  ],
])('%s', (url, address) => {
  expect(parseRedisUrl(url)).toEqual(address);
});

test.each([
  ['localhost:6379', 'must be redis://'],
  ['http://secret', 'must be redis://'],
  ['redis://', 'must be redis://'],
  ['redis://:a/b@host', 'write @ as %40'],
  ['redis://:a#b@host:6379/0', '# as %23'],
  ['redis://:a?b@host', '? as %3F'],
  ['redis://:p@a/b@host/1', '/ as %2F'],
  ['redis://us/er:secret@host', '/ as %2F'],
  ['rediss://user:pass/word#@host', '/ as %2F'],
  ['redis+sentinel://:a/b@one,two/master', '/ as %2F'],
  ['redis+cluster://:a#b@one,two', '# as %23'],
  ['redis://secret:70000', 'hosts'],
  ['redis://secret,secret2', 'one host'],
  ['redis://secret/first', 'number'],
  ['redis://secret/0/1', 'number'],
  ['redis://secret?db=1', 'must not have options'],
  ['redis://:%secret@host', 'percent-encoded'],
  ['redis+sentinel://secret:26379', 'name of the master'],
  ['redis+sentinel://secret/m?password=secret', 'sentinel_password'],
  ['redis+cluster://secret/1', 'no database'],
  ['redis+cluster://secret,,secret', 'hosts'],
])('%s is refused with a message that quotes nothing of it', (url, reason) => {
  expect(() => parseRedisUrl(url)).toThrow(reason);
  expect(() => parseRedisUrl(url)).not.toThrow('secret');
});
