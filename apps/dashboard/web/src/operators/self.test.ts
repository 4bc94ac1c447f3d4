import { expect, test } from 'vitest';
import { otherAdministrators, remainText } from './self.ts';

const of = (_id: string, role: 'administrator' | 'staff', active = true) =>
  ({ _id, role, active, email: `${_id}@example.com` }) as never;

test('names the administrators who remain', () => {
  const all = [
    of('a', 'administrator'),
    of('b', 'administrator'),
    of('c', 'staff'),
    of('d', 'administrator', false),
  ];
  expect(otherAdministrators(all, 'a').map(({ _id }) => _id)).toEqual(['b']);
  expect(remainText(['b@x'])).toBe('b@x stays administrator.');
  expect(remainText(['b@x', 'c@x'])).toBe('b@x and c@x stay administrators.');
  expect(remainText([])).toMatch(/refused/);
});
