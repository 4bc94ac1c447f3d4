import { expect, test } from 'vitest';
import { appointmentsText, languageText, methodText, statusOf, surfaceText } from './words.ts';

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

test('the appointments of a day are counted without the canceled ones', () => {
  const text = (...statuses: Parameters<typeof appointmentsText>[0][number]['status'][]) =>
    appointmentsText(statuses.map((status) => ({ status })));
  expect(text('SCHEDULED', 'PATIENT_ARRIVED', 'CANCELED', 'NO_SHOW')).toBe(
    '3 appointments, 1 arrived, 1 no-show, 1 canceled',
  );
  expect(text('REQUESTED')).toBe('1 appointment');
  expect(text('CANCELED', 'CANCELED')).toBe('no appointments, 2 canceled');
});
