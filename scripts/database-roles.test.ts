import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type DatabaseRole,
  databaseRoles,
  vaultRoles,
} from '../packages/mongodb/src/preparation/database-roles.ts';

/*
 * The roles of database users are in the code. The blocks of the documentation with which an operator sets them, and the
 * script of deploy/compose, are made from them. The tests of packages/mongodb compare them with the commands of the processes.
 */

type Roles = Readonly<Record<string, DatabaseRole>>;
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const quoted = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');
/** The privileges of a role, one in each line. */
const linesOf = (role: DatabaseRole, indent: string): string =>
  Object.entries(role)
    .map(([collection, actions]) => `${indent}on(${quoted([collection, ...actions])}),\n`)
    .join('');

/** What an operator pastes into mongosh. It may be repeated. */
const blockOf = (database: string, roles: Roles): string => `use ${database}
function on(collection, ...actions) {
  return { resource: { db: db.getName(), collection }, actions }
}
function setRole(role, privileges) {
  if (db.getRole(role) === null) db.createRole({ role, privileges, roles: [] })
  else db.updateRole(role, { privileges, roles: [] })
}
${Object.entries(roles)
  .map(([name, role]) => `setRole('${name}', [\n${linesOf(role, '  ')}])\n`)
  .join('')}`;

const scriptOf = (roles: Roles): string =>
  Object.entries(roles)
    .map(([name, role]) => `  ${name}: [\n${linesOf(role, '    ')}  ],\n`)
    .join('');

/** The files with what is made from the roles: the text before it, the text after it, and what is between them. */
const PARTS = [
  ['docs/operation/install.md', '<!-- roles -->\n```js\n', '```\n', blockOf('chairside', databaseRoles)],
  [
    'docs/operation/backup.md',
    '<!-- roles of the vault -->\n```js\n',
    '```\n',
    blockOf('chairside-vault', vaultRoles),
  ],
  ['deploy/compose/mongodb.js', 'const roles = {\n', '};\n', scriptOf(databaseRoles)],
] as const;

test.each(PARTS)(
  '%s has the roles of the code; update it with: npm test -- scripts/database-roles.test.ts -u',
  async (path, before, after, made) => {
    const text = read(path);
    const begin = text.indexOf(before) + before.length;
    expect(begin, `${path} has no ${before}`).toBeGreaterThanOrEqual(before.length);
    const end = text.indexOf(after, begin);
    await expect(text.slice(0, begin) + made + text.slice(end)).toMatchFileSnapshot(`../${path}`);
  },
);

test('a user of the dashboard or the connector can read no record, and change none', () => {
  const records = [
    'patients',
    'appointments',
    'invoices',
    'payments',
    'treatments',
    'events',
    'operators',
    'apiKeys',
  ];
  for (const role of Object.values(databaseRoles))
    expect(Object.keys(role).filter((collection) => records.includes(collection))).toEqual([]);
  expect(new Set(Object.values(databaseRoles.chairsideSchedule).flat())).toEqual(new Set(['find']));
});
