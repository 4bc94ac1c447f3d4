import { expect, test } from 'vitest';
import { changesOf, conflictsOf, editOf, type Fields, followed, undoableOf } from './edit.ts';

const before: Fields = { url: 'https://a.example/', events: ['patient.*'], active: true };
const type = (url: string) => ({ base: before, fields: { ...before, url } });

test('changed fields keep the input, and unchanged fields follow the subscription', () => {
  const disabled = { ...before, active: false };
  const edit = followed(type('https://b.example/'), disabled);
  expect(edit.fields).toEqual({ ...disabled, url: 'https://b.example/' });
  // So saving the URL does not enable the subscription again.
  expect(changesOf(edit)).toEqual({ url: 'https://b.example/' });
  expect(conflictsOf(edit, disabled)).toEqual([]);
  expect(followed(edit, disabled)).toBe(edit);
});

test('a field that the operator and somebody else have changed is a conflict until the values are equal', () => {
  const theirs = { ...before, url: 'https://c.example/' };
  const edit = followed(type('https://b.example/'), theirs);
  expect(edit.fields.url).toBe('https://b.example/');
  expect(conflictsOf(edit, theirs)).toEqual(['URL: https://c.example/']);
  expect(conflictsOf(edit, { ...before, url: 'https://b.example/' })).toEqual([]);
});

test('without a change there is nothing to send', () => {
  expect(changesOf(editOf(before))).toEqual({});
});

test('an edit restores the fields that it changed, and says what undoing cannot', () => {
  expect(undoableOf(editOf(before), 'healthy')).toBeUndefined();
  expect(undoableOf(type('https://b.example/'), 'healthy')).toMatchObject({ restored: { url: before.url } });
  const off = { base: before, fields: { ...before, active: false } };
  expect(undoableOf(off, 'healthy')).toMatchObject({
    restored: { active: true },
    lost: expect.stringContaining('does not send'),
  });
  // Undoing could not bring back the state that failures have caused.
  const on = { base: { ...before, active: false }, fields: before };
  expect(undoableOf(on, 'disabled')).toBeUndefined();
  expect(undoableOf(on, 'off')).toMatchObject({ restored: { active: false } });
});
