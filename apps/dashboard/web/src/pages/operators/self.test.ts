import type { Operator } from '@chairside/client';
import { expect, test } from 'vitest';
import { otherAdministrators, remainText } from './self.ts';

const NOW = Date.parse('2030-01-31T12:00:00.000Z');
const of = (_id: string, fields: Partial<Operator> = {}): Operator => ({
  _id,
  role: 'administrator',
  active: true,
  email: `${_id}@example.com`,
  passwordChangeRequired: false,
  factors: [],
  createdTime: '2030-01-01T00:00:00.000Z',
  ...fields,
});

test('names the administrators who remain, and when they last signed in', () => {
  const all = [
    of('a'),
    of('b'),
    of('c', { role: 'staff' }),
    of('d', { active: false }),
    of('e', { invitation: { expiryTime: '2030-02-01T00:00:00.000Z' } }),
  ];
  expect(otherAdministrators(all, 'a').map(({ _id }) => _id)).toEqual(['b']);
  const ada = of('b', { name: 'Ada Byron', lastSignInTime: '2030-01-31T09:00:00.000Z' });
  expect(remainText([ada], NOW)).toMatch(
    /^Ada Byron \(last signed in: 3 h\w*\.? ago\) stays administrator\.$/,
  );
  expect(remainText([ada, of('c')], NOW)).toMatch(
    / and c@example\.com \(has never signed in\) stay administrators\.$/,
  );
  expect(remainText([], NOW)).toMatch(/refused/);
});
