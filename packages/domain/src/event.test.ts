import { expect, test } from 'vitest';
import { newEvent, subscribes } from './event.ts';

test('an empty array selects all events, a family its members, and a name one event', () => {
  expect(subscribes([], 'payment.refunded')).toBe(true);
  expect(subscribes(['patient.*'], 'patient.updated')).toBe(true);
  expect(subscribes(['patient.*'], 'payment.updated')).toBe(false);
  expect(subscribes(['patient.updated'], 'patient.updated')).toBe(true);
  expect(subscribes(['patient.updated'], 'patient.created')).toBe(false);
});

test('the body has the fields of the contract, where it comes from, and a time in whole seconds', () => {
  const author = { principal: { kind: 'apiKey' as const, id: 'k' }, requestId: 'r' };
  const time = new Date(1_700_000_000_999);
  const record = { _id: 'p', clinicId: 'new', name: 'Ada' };
  const before = { _id: 'p', clinicId: 'old', name: 'Ada' };
  const event = newEvent({ _id: 'e', event: 'patient.updated', time, author, ref: 'x' }, record, before);
  expect(event.body).toBe(
    '{"id":"e","event":"patient.updated","timestamp":1700000000,"data":{"_id":"p","clinicId":"new","name":"Ada"},"origin":{"kind":"apiKey","ref":"x","requestId":"r"},"changed":["clinicId"]}',
  );
  expect(event.clinicIds).toEqual(['new', 'old']);
  expect(event.body).not.toContain('principal');
});

test.each([
  [
    'a field that is new, one that is gone, and one that differs',
    { a: 1, b: [2], c: 3 },
    { b: [4], c: 3, d: 5 },
    ['b', 'd', 'a'],
  ],
  ['nothing, but the time', { a: 1, lastEditTime: '1' }, { a: 1, lastEditTime: '2' }, []],
])('an update names %s', (_name, before, after, changed) => {
  const author = { principal: { kind: 'system' as const, id: 'admin' }, requestId: 'r' };
  const made = (event: 'invoice.updated' | 'invoice.paid') =>
    JSON.parse(
      newEvent(
        { _id: 'e', event, time: new Date(), author },
        { clinicId: 'c', ...after },
        { clinicId: 'c', ...before },
      ).body,
    );
  expect(made('invoice.updated')).toMatchObject({ changed, origin: { kind: 'import' } });
  expect(made('invoice.paid')).not.toHaveProperty('changed');
});
