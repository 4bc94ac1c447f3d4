import { expect, test } from 'vitest';
import { grantsOf } from './scopes.ts';

test('scopes are grouped by resource, those that can write first', () => {
  expect(grantsOf(['clinics:read', 'patients:read', 'patients:write', 'appointments:write'])).toEqual([
    { resource: 'appointments', reads: false, writes: true },
    { resource: 'patients', reads: true, writes: true },
    { resource: 'clinics', reads: true, writes: false },
  ]);
});
