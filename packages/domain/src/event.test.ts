import { expect, test } from 'vitest';
import { newEvent, subscribes } from './event.ts';

test('an empty array selects all events, a family its members, and a name one event', () => {
  expect(subscribes([], 'payment.refunded')).toBe(true);
  expect(subscribes(['patient.*'], 'patient.updated')).toBe(true);
  expect(subscribes(['patient.*'], 'payment.updated')).toBe(false);
  expect(subscribes(['patient.updated'], 'patient.updated')).toBe(true);
  expect(subscribes(['patient.updated'], 'patient.created')).toBe(false);
});

test('the body has the four fields of the contract and a time in whole seconds', () => {
  const author = { principal: { kind: 'apiKey' as const, id: 'k' }, requestId: 'r' };
  const time = new Date(1_700_000_000_999);
  const record = { _id: 'p', clinicId: 'new', name: 'Ada' };
  const event = newEvent({ _id: 'e', event: 'patient.updated', time, author }, record, 'old');
  expect(event.body).toBe(
    '{"id":"e","event":"patient.updated","timestamp":1700000000,"data":{"_id":"p","clinicId":"new","name":"Ada"}}',
  );
  expect(event.clinicIds).toEqual(['new', 'old']);
  expect(event.body).not.toMatch(/requestId|principal/);
});
