import { expect, test } from 'vitest';
import { type CountedAttempt, judge } from './subscription-health.ts';

const attempt = (
  subscriptionId: string,
  cause?: CountedAttempt['cause'],
  activation = 1,
): CountedAttempt => ({
  subscriptionId,
  activation,
  ...(cause && { cause }),
});

test('counts the failures after the last success', () => {
  expect(judge([attempt('a', 'dns'), attempt('a'), attempt('a', 'tls'), attempt('a', 'status')])).toEqual({
    healthy: [],
    streaks: [
      {
        subscriptionId: 'a',
        activation: 1,
        failures: 2,
        succeeded: true,
        lastCauses: ['tls', 'status'],
        permits: [],
      },
    ],
  });
});

test('a subscription whose last attempt succeeded is healthy', () => {
  expect(judge([attempt('a', 'dns'), attempt('a'), attempt('b')])).toEqual({
    healthy: ['a', 'b'],
    streaks: [],
  });
});

test('attempts of different activations are different streaks', () => {
  const { streaks } = judge([attempt('a', 'dns', 1), attempt('a', 'dns', 2)]);
  expect(streaks.map(({ activation, failures }) => [activation, failures])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test('returns the last five causes', () => {
  const causes = ['dns', 'dns', 'connect', 'tls', 'timeout', 'reset'] as const;
  expect(judge(causes.map((cause) => attempt('a', cause))).streaks[0]).toMatchObject({
    failures: 6,
    lastCauses: causes.slice(1),
  });
});

test('returns the permits with which the attempts were made', () => {
  const { streaks } = judge([{ ...attempt('a', 'dns'), permit: 't' }, attempt('a', 'dns')]);
  expect(streaks[0]).toMatchObject({ failures: 2, permits: ['t'] });
});
