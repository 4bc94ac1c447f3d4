import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CodeMeaning, meaningOf } from './error-codes.ts';

/** MongoDB's own list of errors: code, name and categories of `src/mongo/base/error_codes.yml`. */
const listed = readFileSync(new URL('../../test/mongodb-error-codes.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => {
    const [code = '', name = '', ...categories] = line.split(' ');
    return { code: Number(code), name, categories };
  });

/** The meanings that a category allows. */
const ALLOWED: Readonly<Record<string, readonly (CodeMeaning | undefined)[]>> = {
  NetworkError: ['unreachable'],
  NetworkTimeoutError: ['unreachable'],
  NotPrimaryError: ['unreachable'],
  ShutdownError: ['unreachable'],
  SystemOverloadedError: ['overloaded'],
  ExceededTimeLimitError: ['overloaded', 'unreachable'],
  RetriableError: ['unreachable', 'overloaded'],
  WriteConcernError: ['unreachable'],
  CloseConnectionError: ['unreachable'],
  SnapshotError: ['unreachable'],
  StaleShardVersionError: ['unreachable'],
  NeedRetargettingError: ['unreachable'],
  CancellationError: ['unreachable'],
  CursorInvalidatedError: ['unreachable'],
  InternalOnly: ['unreachable'],
  Interruption: ['unreachable', 'overloaded'],
  ConnectionFatalMessageParseError: ['unreachable'],
  ValidationError: ['refused'],
  IDLParseError: ['refused'],
  VersionedAPIError: ['refused'],
  // No operation of this service gets these.
  StreamProcessorUserError: [undefined],
  StreamProcessorRetryableError: [undefined],
  NonResumableChangeStreamError: [undefined],
  PlannerEstimationError: [undefined],
};

test('the meaning of each listed code follows from its categories', () => {
  expect(listed.length).toBeGreaterThan(400);
  const wrong = listed.flatMap(({ code, name, categories }) =>
    categories
      .filter((category) => category in ALLOWED && !ALLOWED[category]?.includes(meaningOf(code)))
      .map((category) => `${name} (${code}), of ${category}, is ${meaningOf(code)}`),
  );
  expect(wrong).toEqual([]);
});

test('each code that has a meaning is listed, with the name in the table; Atlas adds one', () => {
  const table = readFileSync(new URL('error-codes.ts', import.meta.url), 'utf8');
  const named = [...table.matchAll(/^ {4}(\w+): ([\d_]+),$/gm)].map(
    ([, name = '', code = '']) => `${Number(code.replaceAll('_', ''))} ${name}`,
  );
  expect(new Set(named).size).toBe(named.length);
  const names = new Set(listed.map(({ code, name }) => `${code} ${name}`));
  expect(named.filter((each) => !names.has(each))).toEqual(['8000 AtlasError']);
});

test('what is a matter of the server, not of the operation, has no other meaning', () => {
  const passing = [371, 8000, 14_031, 391, 365, 24, 112, 314, 317, 384];
  expect(passing.filter((code) => ['refused', undefined].includes(meaningOf(code)))).toEqual([]);
  expect([2, 14, 66, 121, 10_334, 11_000].map(meaningOf)).toEqual(Array(6).fill('refused'));
});
