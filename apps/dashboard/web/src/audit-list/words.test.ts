import { expect, test } from 'vitest';
import { changeText, kindText } from './words.ts';

test('an entry names its kind in words, with the number of several', () => {
  expect(kindText({ kind: 'patient', action: 'read', ids: ['a'] })).toBe('patient');
  expect(kindText({ kind: 'apiKey', action: 'revealed', ids: ['a'] })).toBe('API key');
  expect(kindText({ kind: 'appointment', action: 'listed', ids: ['a', 'b'] })).toBe('2 appointments');
  expect(kindText({ kind: 'auditEntry', action: 'read', ids: [] })).toBe('the audit log');
  expect(kindText({ kind: 'session', action: 'token_ended', ids: ['a'] })).toBe('');
});

test('a change is a field in words with its value', () => {
  expect(changeText({ field: 'rateLimit', value: '600', before: '60' } as never)).toBe(
    'requests per minute from 60: 600',
  );
  expect(changeText({ field: 'newHost', value: true } as never)).toBe('host that is new to the organization');
  expect(changeText({ field: 'active', value: false } as never)).toBe('not active');
  expect(changeText({ field: 'scopes', value: [] } as never)).toBe('scopes: none');
  expect(changeText({ field: 'passwordChangeRequired' } as never)).toBe('password change required');
});
