import { expect, test } from 'vitest';
import { changesText, kindText, reasonOf, stateOf, verbOf } from './words.ts';

test('an entry names its kind in words, with the number of several', () => {
  expect(kindText({ kind: 'patient', action: 'read', ids: ['a'] })).toBe('patient');
  expect(kindText({ kind: 'apiKey', action: 'revealed', ids: ['a'] })).toBe('API key');
  expect(kindText({ kind: 'appointment', action: 'listed', ids: ['a', 'b'] })).toBe('2 appointments');
  expect(kindText({ kind: 'auditEntry', action: 'read', ids: [] })).toBe('the audit log');
  expect(kindText({ kind: 'session', action: 'token_ended', ids: ['a'] })).toBe('');
  expect(kindText({ kind: 'operator', action: 'created', ids: [] })).toBe('an operator');
  expect(kindText({ kind: 'patient', action: 'listed', ids: [] })).toBe('patients');
  expect(kindText({ kind: 'openingHours', action: 'updated', ids: [] })).toBe('opening hours');
});

test('an entry says what was done, or tried and why not', () => {
  const sentence = (entry: Parameters<typeof verbOf>[0]) =>
    [stateOf(entry.result), verbOf(entry), reasonOf(entry)].filter(Boolean).join(', ');
  expect(sentence({ kind: 'operator', action: 'created', result: 'ValidationError' })).toBe(
    'Refused, tried to create, the values were not valid',
  );
  expect(sentence({ kind: 'operator', action: 'confirmed', result: 'Forbidden' })).toBe(
    'Refused, tried to confirm the password of, the password was wrong',
  );
  expect(sentence({ kind: 'apiKey', action: 'created', result: 'Forbidden' })).toContain('not allowed');
  expect(sentence({ kind: 'apiKey', action: 'deleted', result: 'begun' })).toBe(
    'Not known, began to delete, it is not known whether it was done',
  );
  expect(sentence({ kind: 'patient', action: 'read', result: 'not_modified' })).toBe(
    'opened, nothing new since the last time',
  );
  expect(sentence({ kind: 'connection', action: 'granted', result: 'ok' })).toBe('connected');
  expect(sentence({ kind: 'connection', action: 'deleted', result: 'ok' })).toBe('disconnected');
  expect(reasonOf({ action: 'read', result: 'NewName' })).toBe('NewName');
});

const text = (...changes: object[]) =>
  changesText({ action: 'updated', changes: changes as never }, (_field, id) => (id === 'c1' ? 'Markt' : id));

test('a change is a field in words with its value', () => {
  expect(text({ field: 'rateLimit', value: '600', before: '60' })).toBe('requests per minute from 60 to 600');
  expect(text({ field: 'active', value: false })).toBe('not active');
  expect(text({ field: 'scopes', value: [] })).toBe('scopes: none');
  expect(text({ field: 'events', value: [] })).toBe('events: all');
  expect(text({ field: 'clinicIds', value: ['c1', 'c2'] })).toBe('clinics: Markt, c2');
  expect(text({ field: 'passwordChangeRequired' }, { field: 'email' })).toBe(
    'password change required; e-mail',
  );
  const filters = [{ field: 'kind', value: 'operator' }];
  expect(changesText({ action: 'listed', changes: filters }, (_, id) => id)).toBe('filters: kind: operator');
});

test('a change of a URL says whether the host is another one', () => {
  const host = { field: 'newHost', value: false };
  expect(text({ field: 'url', value: 'a.example', before: 'a.example' }, host)).toBe(
    'URL on the same host, a.example',
  );
  expect(text({ field: 'url', value: 'b.example', before: 'a.example' }, { ...host, value: true })).toBe(
    'URL from a.example to b.example; host that is new to the organization',
  );
  expect(text({ field: 'url', value: 'a.example' }, host)).toBe(
    'URL: a.example; host known to the organization',
  );
});
