import { expect, test } from 'vitest';
import { judgeSync } from './judge-sync.ts';
import type { SyncEvidence } from './sync/records.ts';

const ada = { name: 'Ada', phone: null };
const equal = { records: { one: ada }, unwritten: 0 };
const violationsOf = (sync: Partial<SyncEvidence>): string[] => [
  ...judgeSync({
    sync: { systems: { a: equal, b: equal }, service: [{ externalId: 'one', fields: { ...ada } }], ...sync },
  }),
];

test('finds nothing if all have the same', () => {
  expect(violationsOf({})).toEqual([]);
});

test.each<[what: string, sync: Partial<SyncEvidence>, violation: RegExp]>([
  [
    'another value',
    { systems: { a: { ...equal, records: { one: { ...ada, phone: '1' } } } } },
    /^a has .*"1".* for one/,
  ],
  ['a missing record', { systems: { a: { ...equal, records: {} } } }, /^a has nothing for one/],
  [
    'a record that the service does not have',
    { systems: { a: { ...equal, records: { one: ada, two: ada } } } },
    /^a has .* for two, and the service nothing/,
  ],
  ['a change that is not written', { systems: { a: { ...equal, unwritten: 2 } } }, /^a has 2 changes/],
  [
    'an external id twice',
    { service: Array(2).fill({ externalId: 'one', fields: ada }) },
    /^two records have the external id one/,
  ],
])('finds %s', (_, sync, violation) => {
  expect(violationsOf(sync)).toEqual([expect.stringMatching(violation)]);
});
