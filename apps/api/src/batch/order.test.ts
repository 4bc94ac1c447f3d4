import type { BatchWrite } from '@chairside/domain';
import { expect, test } from 'vitest';
import { inOrder, overtaken, type PlacedWrite } from './order.ts';

const NONE = { patient: new Map<string, string>(), appointment: new Map<string, string>() };
const placed = (...writes: Partial<BatchWrite>[]): PlacedWrite[] =>
  writes.map((write, index) => ({ index, write: { method: 'update', kind: 'patient', ...write } }));
/** The places of the writes of each group. */
const groupsOf = (writes: PlacedWrite[], known = NONE): number[][] =>
  inOrder(writes, known).map((group) => group.map(({ index }) => index));

test('writes of different records are one group', () => {
  expect(groupsOf(placed({ _id: 'a' }, { _id: 'b' }, { externalId: 'a' }))).toEqual([[0, 1, 2]]);
});

test('writes of one record are in order, also if one of them names it in another way', () => {
  const chain = placed({ _id: 'a' }, { _id: 'a' }, { _id: 'b' }, { _id: 'a' });
  expect(groupsOf(chain)).toEqual([[0, 2], [1], [3]]);
  const known = { ...NONE, patient: new Map([['x', 'a']]) };
  expect(groupsOf(placed({ _id: 'a' }, { externalId: 'x' }), known)).toEqual([[0], [1]]);
  const renamed = placed({ _id: 'a', body: { externalId: 'x' } }, { externalId: 'x' }, { _id: 'a' });
  expect(groupsOf(renamed)).toEqual([[0], [1], [2]]);
});

test('a kind has external ids of its own', () => {
  const both = placed({ externalId: 'x' }, { kind: 'appointment', externalId: 'x' });
  expect(groupsOf(both)).toEqual([[0, 1]]);
});

test('a write waits for earlier writes of the patient that it refers to, and later ones wait for it', () => {
  const visit: Partial<BatchWrite> = {
    method: 'create',
    kind: 'appointment',
    body: { patientExternalId: 'x' },
  };
  const upsert: Partial<BatchWrite> = { method: 'upsert', externalId: 'x', body: {} };
  expect(groupsOf(placed(visit, upsert, visit, visit, upsert))).toEqual([[0], [1], [2, 3], [4]]);
  const byId: Partial<BatchWrite> = { ...visit, body: { patientId: 'a' } };
  expect(groupsOf(placed({ method: 'delete', _id: 'a' }, byId))).toEqual([[0], [1]]);
});

test('a write is overtaken if a later write of its record was made, however that was named', () => {
  const writes = placed({ externalId: 'x' }, { _id: 'b' }, { _id: 'a' }, { _id: 'a' });
  const made = new Map([[2, { record: { _id: 'a', externalId: 'x' } }]]);
  expect([...overtaken(writes, NONE, made)]).toEqual([0]);
  expect([...overtaken(writes, NONE, new Map())]).toEqual([]);
});
