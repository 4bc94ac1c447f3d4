import type { Db, Document } from 'mongodb';
import { expect, test } from 'vitest';
import { inspectTopology } from './topology.ts';

/** A database that responds to `hello` with this document. */
const databaseWith = (hello: Document): Db =>
  ({ admin: () => ({ command: async () => ({ ...hello }) }) }) as unknown as Db;
const members = (count: number) => Array.from({ length: count }, (_, index) => `mongodb-${index}:27017`);

test.each([
  [{}, { kind: 'standalone', dataMembers: 0, arbiters: 0 }],
  [{ msg: 'isdbgrid' }, { kind: 'sharded', dataMembers: 0, arbiters: 0 }],
  [
    { setName: 'rs0', hosts: members(2), passives: members(1) },
    { kind: 'replicaSet', dataMembers: 3, arbiters: 0 },
  ],
  [
    { setName: 'rs0', hosts: members(2), arbiters: members(1) },
    { kind: 'replicaSet', dataMembers: 2, arbiters: 1 },
  ],
])('%j', async (hello, topology) => {
  expect(await inspectTopology(databaseWith(hello))).toMatchObject(topology);
});
