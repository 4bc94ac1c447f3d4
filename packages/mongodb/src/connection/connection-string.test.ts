import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { databaseNamedBy, withDatabase } from './connection-string.ts';

test.each([
  ['mongodb://a', undefined],
  ['mongodb://a:1,b:2', undefined],
  ['mongodb://a:1,b:2/', undefined],
  ['mongodb://a/?replicaSet=rs0', undefined],
  ['mongodb://a/test', 'test'],
  ['mongodb://a:1,b:2/of%20ours?replicaSet=rs0', 'of ours'],
  ['mongodb+srv://user:p%40ss@cluster.example.net/practice', 'practice'],
  ['mongodb+srv://cluster.example.net', undefined],
])('finds the database that %s names', (url, name) => {
  expect(databaseNamedBy(url)).toBe(name);
});

test.each([
  ['mongodb://a:1', 'mongodb://a:1/x'],
  ['mongodb://a:1,b:2/old?replicaSet=rs0', 'mongodb://a:1,b:2/x?replicaSet=rs0'],
  ['mongodb://user:p%40ss@a,b/?w=1', 'mongodb://user:p%40ss@a,b/x?w=1&authSource=admin'],
  ['mongodb://user:p@a/old', 'mongodb://user:p@a/x?authSource=old'],
  ['mongodb://user:p@a/old?authSource=users', 'mongodb://user:p@a/x?authSource=users'],
  [
    'mongodb://user:p@a/old?authMechanism=SCRAM-SHA-256',
    'mongodb://user:p@a/x?authMechanism=SCRAM-SHA-256&authSource=old',
  ],
  ['mongodb://cn@a/old?authMechanism=MONGODB-X509', 'mongodb://cn@a/x?authMechanism=MONGODB-X509'],
  ['mongodb+srv://user:p@c.example.net', 'mongodb+srv://user:p@c.example.net/x'],
])('%s keeps its hosts, options and user when the database changes', (url, changed) => {
  expect(withDatabase(url, 'x')).toBe(changed);
});

test('the driver looks for the user in the same database as before', () => {
  const sourceOf = (url: string) => new MongoClient(url).options.credentials?.source;
  for (const url of [
    'mongodb://u:p@a:1,b:2',
    'mongodb://u:p@a/old',
    'mongodb://u:p@a/old?authSource=users',
  ]) {
    expect(sourceOf(withDatabase(url, 'x'))).toBe(sourceOf(url));
  }
});

test('the driver decodes a database name with special characters', () => {
  expect(new MongoClient(withDatabase('mongodb://a', 'of ours')).db().databaseName).toBe('of ours');
});

test.each(['http://a', 'mongodb://', 'a'])('%s is refused', (url) => {
  expect(() => databaseNamedBy(url)).toThrow();
  expect(() => withDatabase(url, 'x')).toThrow();
});
