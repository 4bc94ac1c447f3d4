import { expect, test } from 'vitest';
import { keptHeadersOf } from './kept-headers.ts';

const URL_OF_REQUEST = 'https://receiver.example/hooks/a?token=secret';
const kept = (headers: Record<string, string | string[]>) => keptHeadersOf(headers, URL_OF_REQUEST);

test('keeps the headers that explain a response, and no others', () => {
  expect(
    kept({
      'content-type': 'text/html',
      'content-length': '12',
      date: 'Tue, 15 Jan 2030 08:00:00 GMT',
      'retry-after': '120',
      server: 'nginx',
      'set-cookie': ['session=secret'],
      'x-debug': 'secret',
    }),
  ).toEqual({
    'content-type': 'text/html',
    'content-length': '12',
    date: 'Tue, 15 Jan 2030 08:00:00 GMT',
    'retry-after': '120',
    server: 'nginx',
  });
});

test.each([
  ['https://www.example/new', 'https://www.example/new'],
  ['https://www.example/new?code=secret', 'https://www.example/new?…'],
  ['https://www.example/new#secret', 'https://www.example/new?…'],
  ['https://user:secret@www.example/', 'https://www.example/'],
  ['/login', 'https://receiver.example/login'],
  ['next?x', 'https://receiver.example/hooks/next?…'],
  ['mailto:secret@example.com', undefined],
  ['https://[', undefined],
])('of the location %j, keeps %j', (location, target) => {
  expect(kept({ location }).location).toBe(target);
});

test('of a challenge, keeps the scheme', () => {
  expect(kept({ 'www-authenticate': 'Digest realm="x", nonce="secret"' })).toEqual({
    'www-authenticate': 'Digest',
  });
});

test('keeps 256 characters without control characters, and the first of several values', () => {
  expect(kept({ server: 'x'.repeat(300) }).server).toHaveLength(256);
  expect(kept({ server: 'a\u001b[31mb\u0007' }).server).toBe('a[31mb');
  expect(kept({ server: ['one', 'two'], date: [] })).toEqual({ server: 'one' });
});
