import { expect, test } from 'vitest';
import { endOf } from './session-end.ts';

const at = (time: string): number => Date.parse(`2030-01-31T${time}:00Z`);
const session = { lastUsedTime: '2030-01-31T08:00:00Z', expiryTime: '2030-01-31T20:00:00Z' };

test('a session ends an hour after its last use, in this page or another', () => {
  expect(endOf(session, 0)).toEqual({ time: at('09:00'), isIdle: true });
  expect(endOf(session, at('08:30'))).toEqual({ time: at('09:30'), isIdle: true });
  expect(endOf(session, at('07:00'))).toEqual({ time: at('09:00'), isIdle: true });
});

test('no use postpones the end after twelve hours', () => {
  expect(endOf(session, at('19:00'))).toEqual({ time: at('20:00'), isIdle: false });
  expect(endOf(session, at('19:59'))).toEqual({ time: at('20:00'), isIdle: false });
});
