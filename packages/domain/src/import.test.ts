import { expect, test } from 'vitest';
import { readImportLine, recordEvent } from './import.ts';

const payment = {
  externalId: 'y',
  clinicId: 'c',
  patientId: 'p',
  amount: 1,
  currency: 'EUR',
  method: 'CASH',
  status: 'COMPLETED',
  creationTime: '2026-01-01T00:00:00Z',
};

test('a line is read whole: null is the same as absent, all that is wrong is told at once', () => {
  expect(readImportLine('payment', { ...payment, invoiceId: null })).toEqual({
    line: {
      externalId: 'y',
      fields: expect.not.objectContaining({ invoiceId: null, externalId: 'y' }),
    },
  });
  const { issues } = readImportLine('payment', {
    ...payment,
    amount: 2 ** 60,
    currency: 'euro',
    _id: 'x',
  }) as {
    issues: { path: string; message: string }[];
  };
  expect(issues.map(({ path }) => path).sort()).toEqual(['', 'amount', 'currency']);
});

test('what is wrong never quotes a value, nor a key that is no field name', () => {
  const told = JSON.stringify([
    readImportLine('patient', { externalId: 'x', clinicId: 'c', 'Ada Beispiel, born 1815': true }),
    readImportLine('patient', 'Ada Beispiel'),
    readImportLine('clinic', { externalId: 'x', timezone: 'Ada', defaultLocale: 'A da', currency: 'Ada' }),
  ]);
  expect(told).not.toMatch(/Ada|Beispiel/);
});

test('an appointment gets its status from its times, which must fit together', () => {
  const line = { externalId: 'a', clinicId: 'c' };
  const startTime = '2026-01-01T10:00:00Z';
  expect(readImportLine('appointment', line)).toMatchObject({ line: { fields: { status: 'REQUESTED' } } });
  expect(readImportLine('appointment', { ...line, startTime, endTime: startTime })).toEqual({
    issues: [{ path: 'endTime', message: 'must be after startTime' }],
  });
  expect(
    readImportLine('appointment', { ...line, procedures: [{ procedureId: 'x', price: 2 ** 60 }] }),
  ).toMatchObject({ issues: [{ path: 'procedures.0.price' }] });
});

test('clinics and treatments have no events', () => {
  expect(recordEvent('clinic', undefined, {})).toBeUndefined();
  expect(recordEvent('treatment', {}, {})).toBeUndefined();
  expect(recordEvent('patient', undefined, {})).toBe('patient.created');
  expect(recordEvent('payment', { status: 'COMPLETED' }, { status: 'REFUNDED' })).toBe('payment.refunded');
});
