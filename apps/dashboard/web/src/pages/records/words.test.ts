import { expect, test } from 'vitest';
import { languageText, methodText, statusOf, surfaceText } from './words.ts';

test('enumerations are words, and values of a newer api stay as they are', () => {
  expect(statusOf('appointments', 'PATIENT_ARRIVED')?.text).toBe('Arrived');
  expect(statusOf('invoices', 'PARTIALLY_PAID')?.text).toBe('Partly paid');
  expect(statusOf('invoices', 'NEW_STATUS')).toBeUndefined();
  expect(statusOf('patients', 'OPEN')).toBeUndefined();
  expect([methodText('DIRECT_DEBIT'), methodText('BARTER')]).toEqual(['Direct debit', 'BARTER']);
  expect([surfaceText('O'), surfaceText('X')]).toEqual(['occlusal', 'X']);
  expect([languageText('fr'), languageText('de-CH'), languageText('not a language')]).toEqual([
    'French',
    'Swiss High German',
    'not a language',
  ]);
});
