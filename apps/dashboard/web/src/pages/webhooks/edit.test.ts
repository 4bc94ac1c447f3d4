import { expect, test } from 'vitest';
import { changesOf, conflictsOf, editOf, followed, losesHeaders, undoableOf } from './edit.ts';
import { headersOf, linesOf, problemOf } from './headers.ts';

const before = {
  url: 'https://a.example/',
  events: ['patient.*' as const],
  payload: 'full' as const,
  headers: {},
  active: true,
};
const { base } = editOf(before);
const type = (url: string) => ({ base, fields: { ...base, url } });

test('changed fields keep the input, and unchanged fields follow the subscription', () => {
  const disabled = { ...before, active: false };
  const edit = followed(type('https://b.example/'), disabled);
  expect(edit.fields).toEqual({ ...base, active: false, url: 'https://b.example/' });
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
  const off = { base, fields: { ...base, active: false } };
  expect(undoableOf(off, 'healthy')).toMatchObject({
    restored: { active: true },
    lost: expect.stringContaining('does not send'),
  });
  // Undoing could not bring back the state that failures have caused.
  const on = { base: { ...base, active: false }, fields: base };
  expect(undoableOf(on, 'disabled')).toBeUndefined();
  expect(undoableOf(on, 'off')).toMatchObject({ restored: { active: false } });
});

test('headers are edited as lines, and sent as an object', () => {
  const headers = { Authorization: '********', 'X-Key': 'a: b' };
  const lines = 'Authorization: ********\nX-Key: a: b';
  expect(linesOf(headers)).toBe(lines);
  expect(headersOf(`\n  ${lines} \n\n`)).toEqual(headers);
  const edit = editOf({ ...before, headers });
  expect(changesOf({ ...edit, fields: { ...edit.fields, headers: 'X-Key: c' } })).toEqual({
    url: before.url,
    headers: { 'X-Key': 'c' },
  });
  expect(problemOf(lines)).toBe('');
  expect(problemOf('no colon')).toContain('a colon');
  expect(problemOf('X-Key: a\nx-key: b')).toContain('x-key occurs twice');
});

test('headers are typed for the URL of the form, not for one that somebody else has set meanwhile', () => {
  const edit = editOf(before);
  const typed = { ...edit, fields: { ...edit.fields, headers: 'X-Key: a' } };
  const moved = { ...before, url: 'https://theirs.example/' };
  expect(followed(typed, moved)).toBe(typed);
  expect(conflictsOf(typed, moved)).toEqual(['URL: https://theirs.example/']);
  expect(changesOf(typed)).toEqual({ url: before.url, headers: { 'X-Key': 'a' } });
});

test('a URL of another origin loses the values that are not typed again, and nothing brings them back', () => {
  const edit = editOf({ ...before, headers: { Authorization: '********' } });
  const at = (url: string, headers = edit.fields.headers) => ({
    ...edit,
    fields: { ...edit.fields, url, headers },
  });
  expect(losesHeaders(at('https://a.example/other'))).toBe(false);
  expect(losesHeaders(at('https://a.example:444/'))).toBe(true);
  expect(losesHeaders(at('https://b.example/', 'Authorization: typed'))).toBe(false);
  expect(undoableOf(at('https://a.example/other'), 'healthy')).toBeDefined();
  expect(undoableOf(at('https://b.example/'), 'healthy')).toBeUndefined();
  expect(undoableOf(at('https://a.example/', 'X-Key: a'), 'healthy')).toBeUndefined();
});
