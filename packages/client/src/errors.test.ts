import { describe, expect, it } from 'vitest';
import { ChairsideError, connectionError, errorOf, retryAfterOf } from './errors.ts';

const now = Date.parse('2030-01-31T00:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['2', 2],
    ['0', 0],
    [' 7 ', 7],
    ['Thu, 31 Jan 2030 00:00:30 GMT', 30],
    ['Thursday, 31-Jan-30 00:00:30 GMT', 30],
    ['Thu, 31 Jan 2030 00:00:00 GMT', 0],
    ['Wed, 30 Jan 2030 00:00:00 GMT', 0],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['2030-01-31T00:00:30Z', undefined],
  ])('%j is %j', (value, seconds) => {
    expect(retryAfterOf(new Headers({ 'retry-after': value }), now)).toBe(seconds);
  });

  it('is unknown without the header', () => {
    expect(retryAfterOf(new Headers(), now)).toBeUndefined();
  });
});

describe('an error response', () => {
  const body = {
    message: 'name must be text',
    name: 'ValidationError',
    statusCode: 400,
    details: {
      requestId: 'req_1',
      issues: [{ path: 'name', message: 'must be text', code: 'wrong_type' }],
      moreIssues: 2,
    },
  };

  it('becomes an error with all details of the response', () => {
    const headers = new Headers({ 'x-request-id': 'req_1', 'retry-after': '3' });
    const error = errorOf({ status: 400, headers }, JSON.stringify(body), now);
    expect(error).toBeInstanceOf(ChairsideError);
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, message: error.message }).toEqual({
      name: 'ValidationError',
      message: 'name must be text',
      status: 400,
      issues: body.details.issues,
      requestId: 'req_1',
      retryAfter: 3,
      details: body.details,
      code: undefined,
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: 'name must be text', status: 400 });
  });

  it.each([
    ['<html>502 secret</html>', 'a page of a proxy'],
    ['', 'nothing'],
    ['null', 'null'],
    ['[]', 'a list'],
    ['{"error":"secret"}', 'JSON of somebody else'],
    ['{"name":7,"message":"secret"}', 'another form'],
  ])('whose body is %s becomes an UnexpectedResponse without its text', (text) => {
    const error = errorOf({ status: 502, headers: new Headers() }, text, now);
    expect(error).toMatchObject({
      name: 'UnexpectedResponse',
      status: 502,
      issues: [],
      requestId: undefined,
    });
    expect(error.message).not.toContain('secret');
  });

  it('becomes an error without issues if its details are not valid', () => {
    const text = JSON.stringify({ name: 'Forbidden', message: 'no', details: 'x' });
    expect(errorOf({ status: 403, headers: new Headers() }, text, now).issues).toEqual([]);
  });
});

describe('a failure of the network', () => {
  const inner = { code: 'ECONNREFUSED', message: 'Authorization: Basic c2VjcmV0' };

  it.each([
    ['the code of its cause', new TypeError('fetch failed', { cause: inner }), 'ECONNREFUSED'],
    ['its own code', Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET'],
    [
      'no code that is a sentence',
      Object.assign(new Error('x'), { code: 'Basic c2VjcmV0 was sent' }),
      undefined,
    ],
    ['no code', new TypeError('Failed to fetch Basic c2VjcmV0'), undefined],
    ['no error', 'text', undefined],
  ])('becomes an error that contains %s and nothing else of it', (_, thrown, code) => {
    const error = connectionError('api.example.com', thrown);
    expect(error).toMatchObject({ name: 'ConnectionError', code, status: undefined });
    expect(error).not.toHaveProperty('cause');
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('c2VjcmV0');
  });
});

it('recognizes errors of another copy of the package', () => {
  const copy = Object.defineProperty(new Error('x'), Symbol.for('@chairside/client/ChairsideError'), {
    value: true,
  });
  expect(copy).toBeInstanceOf(ChairsideError);
  expect(new Error('x')).not.toBeInstanceOf(ChairsideError);
  expect(null).not.toBeInstanceOf(ChairsideError);
});
