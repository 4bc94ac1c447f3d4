import { expect, test } from 'vitest';
import { appointmentCreateSchema } from './appointment.ts';
import { procedureCreateSchema, procedureUpdateSchema } from './procedure.ts';

const issuesOf = (price: unknown) => {
  const { error } = procedureUpdateSchema.safeParse({ price });
  return error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
};

test.each([
  0,
  10.5,
  -5,
  1e6,
  '0',
  '10',
  '10.50',
  '-5.00',
  '0.001',
  '12345678901234567890.12',
  null,
  undefined,
])('the price %j is accepted', (price) => {
  expect(issuesOf(price)).toBeUndefined();
});

test.each([
  '10,50',
  'abc',
  'NaN',
  '',
  ' ',
  ' 10',
  '10 ',
  '1.000,00',
  '1,000.00',
  '10.',
  '.5',
  '+5',
  '1e3',
  '0x10',
  'Infinity',
  '10 EUR',
  '€10',
  '١٠',
  '10\n',
])('the price %j is refused with a sentence', (price) => {
  expect(issuesOf(price)).toEqual(['price must be a decimal number with a point, such as 10.50']);
});

test('a new procedure and a text of 101 digits are checked, too', () => {
  const issues = (price: unknown) =>
    procedureCreateSchema
      .safeParse({ name: 'Check-up', durationMinutes: 30, currency: 'EUR', price })
      .error?.issues.map(({ message }) => message);
  expect(issues('10,50')).toEqual(['must be a decimal number with a point, such as 10.50']);
  expect(issues('1'.repeat(101))).toEqual(['must have at most 100 characters']);
  expect(issues(2 ** 60)).toEqual(['must lie between -2^53 and 2^53']);
  expect(issues(true)).toEqual(['must be a number or a string']);
});

test('the price of an appointment stays any number or text', () => {
  const of = (price: unknown) => ({
    clinicId: 'c',
    patientId: 'p',
    procedures: [{ procedureId: 'x', price }],
  });
  for (const price of ['10,50', '', 'on request', 10.5])
    expect(appointmentCreateSchema.safeParse(of(price)).success).toBe(true);
});
