import type { Db } from 'mongodb';
import { expect, test } from 'vitest';
import { inspectPrivileges } from './privileges.ts';

const ACTIONS = [
  'find',
  'insert',
  'update',
  'remove',
  'createCollection',
  'createIndex',
  'dropIndex',
  'dropCollection',
  'listCollections',
  'listIndexes',
];
const user = { user: 'services', db: 'chairside' };
const role = (name: string, db: string) => ({ role: name, db });
const everywhere = { db: 'chairside', collection: '' };

/** A database that responds to `connectionStatus` with this information. */
const databaseWith = (authInfo: object): Db =>
  ({ databaseName: 'chairside', command: async () => ({ authInfo }) }) as unknown as Db;

test.each([
  ['no access control', {}, { isAuthenticated: false, missing: [], beyond: [] }],
  [
    'readWrite on the database',
    {
      authenticatedUsers: [user],
      authenticatedUserRoles: [role('readWrite', 'chairside')],
      authenticatedUserPrivileges: [
        { resource: everywhere, actions: ACTIONS },
        { resource: { db: 'chairside', collection: 'system.js' }, actions: ['find'] },
      ],
    },
    { isAuthenticated: true, missing: [], beyond: [] },
  ],
  [
    'root',
    {
      authenticatedUsers: [user],
      authenticatedUserRoles: [role('root', 'admin')],
      authenticatedUserPrivileges: [{ resource: { db: '', collection: '' }, actions: ACTIONS }],
    },
    { isAuthenticated: true, missing: [], beyond: ['root@admin'] },
  ],
  [
    'read on the database, and readWrite on another and on one collection',
    {
      authenticatedUsers: [user],
      authenticatedUserRoles: [role('read', 'chairside'), role('readWrite', 'other')],
      authenticatedUserPrivileges: [
        { resource: everywhere, actions: ['find', 'listCollections', 'listIndexes'] },
        { resource: { db: 'other', collection: '' }, actions: ACTIONS },
        { resource: { db: 'chairside', collection: 'patients' }, actions: ACTIONS },
      ],
    },
    {
      isAuthenticated: true,
      missing: [
        'insert',
        'update',
        'remove',
        'createCollection',
        'createIndex',
        'dropIndex',
        'dropCollection',
      ],
      beyond: ['readWrite@other'],
    },
  ],
])('%s', async (_name, authInfo, privileges) => {
  expect(await inspectPrivileges(databaseWith(authInfo))).toEqual(privileges);
});
