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

test('reports every issue of a line at once and treats null like an absent field', () => {
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

test.each([
  ['patient', { externalId: 'p', clinicId: 'c', name: '', email: '', phone: '', language: '' }],
  ['clinic', { externalId: 'c', name: 'Mitte', defaultLocale: '', timezone: '', currency: '' }],
  [
    'appointment',
    { externalId: 'a', clinicId: 'c', patientId: 'p', status: '', startTime: '', providerId: '' },
  ],
] as const)('an empty text of a %s is an absent field', (kind, line) => {
  const present = Object.entries(line).filter(([name, value]) => value !== '' && name !== 'externalId');
  const status = kind === 'appointment' ? { status: 'REQUESTED' } : {};
  expect(readImportLine(kind, line)).toEqual({
    line: { externalId: line.externalId, fields: { ...status, ...Object.fromEntries(present) } },
  });
});

test('an empty text in a required or an unknown field is refused', () => {
  expect(readImportLine('patient', { externalId: 'p', clinicId: '', fax: '' })).toEqual({
    issues: [
      { path: 'clinicId', message: 'must not be empty' },
      { path: '', message: 'has fields that this kind does not have: fax' },
    ],
  });
});

test.each(['smith&co@example.com', '"ada l"@example.com', 'info@example.xn--p1ai'])(
  'imports a patient with the address %s',
  (email) => {
    expect(readImportLine('patient', { externalId: 'p', clinicId: 'c', email })).toMatchObject({
      line: { fields: { email } },
    });
  },
);

test('an issue never quotes a value, or a key that is not a field name', () => {
  const issues = JSON.stringify([
    readImportLine('patient', { externalId: 'x', clinicId: 'c', 'Ada Beispiel, born 1815': true }),
    readImportLine('patient', 'Ada Beispiel'),
    readImportLine('clinic', { externalId: 'x', timezone: 'Ada', defaultLocale: 'A da', currency: 'Ada' }),
  ]);
  expect(issues).not.toMatch(/Ada|Beispiel/);
});

test('the time zone of a clinic is a name of IANA, not an abbreviation or an offset', () => {
  const line = { externalId: 'x' };
  for (const timezone of [
    'Asia/Kolkata',
    'UTC',
    'CET',
    'Etc/GMT+5',
    'America/Argentina/Ushuaia',
    'US/Eastern',
  ])
    expect(readImportLine('clinic', { ...line, timezone })).toMatchObject({ line: { fields: { timezone } } });
  for (const timezone of [
    'IST',
    'PST',
    'BST',
    'EST',
    'MST',
    'hst',
    '+02:00',
    '-0500',
    '+02',
    'GMT+2',
    'UTC+02:00',
    ' UTC',
  ])
    expect(readImportLine('clinic', { ...line, timezone })).toMatchObject({
      issues: [{ path: 'timezone', message: 'must be a time zone of IANA, such as Europe/Berlin' }],
    });
});

test('an appointment gets its status from its times, and its end must be after its start', () => {
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
