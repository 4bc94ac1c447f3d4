import { ServiceError } from '@chairside/domain';
import { expect, test } from 'vitest';
import { loggableError } from './loggable-error.ts';

const named = (name: string, message: string, extra: object = {}) =>
  Object.assign(new Error(message), { name, ...extra });

test('withholds messages of a database that quote a document, in causes too', () => {
  const inner = named('MongoServerError', 'E11000 duplicate key { email: "ada@example.com" }', {
    code: 11000,
    codeName: 'DuplicateKey',
  });
  const text = JSON.stringify(loggableError(new Error('saving ada@example.com failed', { cause: inner })));
  expect(text).not.toContain('ada');
  expect(text).toContain('DuplicateKey');
  expect(text).toContain('loggable-error.test.ts');
});

test('withholds a message with lines that look like those of a stack', () => {
  const { stack } = loggableError(new Error('duplicate key { name: "Ada\n    at home" }'));
  expect(stack).not.toContain('home');
  expect(stack).toMatch(/^ {4}at .*loggable-error\.test\.ts/);
});

test('keeps the messages of our own errors, whatever their class', () => {
  class Own extends ServiceError {
    override readonly name = 'Own';
  }
  expect(loggableError(new Own('the claim is too old'))).toMatchObject({
    type: 'Own',
    message: 'the claim is too old',
  });
});

test('keeps messages that describe a machine or a bug', () => {
  expect(loggableError(named('MongoServerSelectionError', 'connect ECONNREFUSED'))).toMatchObject({
    message: 'connect ECONNREFUSED',
  });
  expect(loggableError(named('Error', 'connect', { code: 'ECONNREFUSED' }))).toMatchObject({
    message: 'connect',
  });
  expect(loggableError(new TypeError('x is not a function'))).toMatchObject({
    message: 'x is not a function',
  });
});

test('accepts any thrown value', () => {
  expect(loggableError('ada@example.com')).toMatchObject({
    type: 'string',
    message: expect.stringContaining('withheld'),
  });
});
