import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type CursorScope, openCursors } from './cursor.ts';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [older, newer] = [key('1'), key('2')];
const cursors = openCursors(older);
const scope: CursorScope = {
  organizationId: 'o',
  list: 'events',
  filter: { clinicId: 'c', event: undefined },
};
const position = ['2030-01-01T00:00:00.000Z', '01ARYZ6S41'];
const cursor = cursors.seal(scope, position);

test('opens where it was sealed, whatever the order of the filter', () => {
  expect(cursors.open(scope, cursor)).toEqual(position);
  expect(cursors.open({ ...scope, filter: { clinicId: 'c' } }, cursor)).toEqual(position);
  expect(cursor).toMatch(/^[\w-]+$/);
  const two = { ...scope, filter: { b: 2, a: 1 } };
  expect(cursors.open({ ...scope, filter: { a: 1, b: 2 } }, cursors.seal(two, position))).toEqual(position);
});

test.each<[string, Partial<CursorScope>]>([
  ['another organization', { organizationId: 'p' }],
  ['another list', { list: 'deliveries' }],
  ['another filter', { filter: { clinicId: 'd' } }],
  ['a filter more', { filter: { clinicId: 'c', event: 'x' } }],
  ['a filter less', { filter: {} }],
])('does not open for %s', (_name, other) => {
  expect(cursors.open({ ...scope, ...other }, cursor)).toBeUndefined();
});

test('does not open when it was changed, made up or cut', () => {
  const bytes = Buffer.from(cursor, 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] as number) ^ 1;
    expect(cursors.open(scope, changed.toString('base64url'))).toBeUndefined();
  }
  const plain = Buffer.from(JSON.stringify(position)).toString('base64url');
  for (const forged of ['', 'x', plain, cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`]) {
    expect(cursors.open(scope, forged), forged).toBeUndefined();
  }
});

test('opens under every key that is configured, and under no other', () => {
  expect(openCursors(`${newer},${older}`).open(scope, cursor)).toEqual(position);
  expect(openCursors(newer).open(scope, cursor)).toBeUndefined();
});

test('the encryption key itself makes no cursor', () => {
  expect(openCursors(older).seal(scope, position)).toBe(cursor);
  expect(openCursors(newer).seal(scope, position)).not.toBe(cursor);
});
