import { expect, test } from 'vitest';
import { localOf, timeOf } from './TimeField.tsx';

test('the field keeps a time to the minute', () => {
  for (const time of ['2030-01-31T12:34:00.000Z', '2030-07-01T00:00:00.000Z', '1999-12-31T23:59:00.000Z'])
    expect(timeOf(localOf(Date.parse(time)))).toBe(time);
});

test('an empty field and an impossible time return undefined', () => {
  for (const text of ['', '2030-02-31T99:00', '275760-12-31T00:00', 'x'])
    expect(timeOf(text)).toBeUndefined();
});
