import { MongoNetworkError, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { isUnavailableAtStart, mayReadLater, NoResponseError, unavailabilityOf } from './unavailable.ts';

const serverError = (more: object) => new MongoServerError({ message: 'x', errmsg: 'x', ...more });
const systemError = (more: object) => Object.assign(new Error('x'), more);

test.each([
  ['its own code', serverError({ code: 10_107 }), 'unreachable'],
  ['a label of the driver', serverError({ errorLabels: ['RetryableWriteError'] }), 'unreachable'],
  [
    'too much to do, labelled',
    serverError({ errorLabels: ['RetryableError', 'SystemOverloadedError'] }),
    'overloaded',
  ],
  [
    'too slow, although it may be tried again',
    serverError({ code: 262, errorLabels: ['RetryableWriteError'] }),
    'overloaded',
  ],
  ['one of several writes', serverError({ writeErrors: [{ code: 11_000 }, { code: 91 }] }), 'unreachable'],
  ['only duplicates', serverError({ code: 11_000, writeErrors: [{ code: 11_000 }] }), undefined],
  [
    'the write concern of a write',
    serverError({ result: { writeConcernError: { code: 64 } } }),
    'unreachable',
  ],
  [
    'the write concern of a group',
    serverError({ result: { getWriteConcernError: () => ({ code: 11_602 }) } }),
    'unreachable',
  ],
  [
    'too slow to reach a majority',
    serverError({ result: { writeConcernError: { code: 50 } } }),
    'unreachable',
  ],
  [
    'an error that it wraps',
    serverError({ errorResponse: systemError({ code: 'ECONNRESET' }) }),
    'unreachable',
  ],
  ['a name that DNS does not know', systemError({ code: 'ENOTFOUND', syscall: 'querySrv' }), 'unreachable'],
  [
    'a name that DNS does not know, of a receiver',
    systemError({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    undefined,
  ],
  ['no response', new NoResponseError(), 'unreachable'],
  ['a full disk', serverError({ code: 14_031 }), 'blocked'],
  [
    'a full disk of PostgreSQL',
    serverError({
      writeErrors: [{ code: 4293, errmsg: 'x' }],
      message: 'could not extend file "base/5": No space left',
    }),
    'blocked',
  ],
  ['missing rights', serverError({ code: 13 }), 'blocked'],
  ['a refusal', serverError({ code: 121 }), undefined],
  ['a number in another error', systemError({ code: 91 }), undefined],
  ['no error', { code: 91 }, undefined],
])('%s', (_name, error, expected) => {
  expect(unavailabilityOf(error)).toBe(expected);
});

test('a server that refuses a connection counts as unreachable, although the driver labels it as overloaded', () => {
  const error = new MongoNetworkError('connect ECONNREFUSED');
  error.addErrorLabel('SystemOverloadedError');
  error.addErrorLabel('RetryableError');
  expect(unavailabilityOf(error)).toBe('unreachable');
});

test('an error that contains itself does not cause an endless loop', () => {
  const error = serverError({ code: 1 });
  error.cause = error;
  expect(unavailabilityOf(error)).toBeUndefined();
});

test('a start does not wait for rights, but for everything else', () => {
  for (const code of [46, 91, 112, 276, 8000, 14_031]) {
    expect({ code, waits: isUnavailableAtStart(serverError({ code })) }).toEqual({ code, waits: true });
  }
  for (const code of [11, 13, 18, 2, 121]) {
    expect({ code, waits: isUnavailableAtStart(serverError({ code })) }).toEqual({ code, waits: false });
  }
});

test('a read with an unknown error code may succeed later, but not a write', () => {
  const unknown = serverError({ code: 123_456 });
  expect([mayReadLater(unknown), unavailabilityOf(unknown)]).toEqual([true, undefined]);
  expect(mayReadLater(serverError({ code: 14 }))).toBe(false);
  expect(mayReadLater(new Error('x'))).toBe(false);
});
