/**
 * Checks that no read of the store puts into memory as many rows as there happen to be. A query is read row by row with
 * `rowsOf`, or names a bound: `limit`, `atMost`, `atOnce`, or the values that it looks up (`$in`). `npm run check` runs it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const COMMAND = 'a command of the operator of the service, which runs alone';
const SLOTS = 'slots bound their number';

/** The only files that may read more, how often, and what bounds these reads. */
type Allowed = Readonly<Record<string, readonly [times: number, reason: string]>>;
const ALLOWED: Allowed = {
  'apps/admin/src/deliveries.ts': [1, COMMAND],
  'packages/mongodb/src/access/api-keys.ts': [1, SLOTS],
  'packages/mongodb/src/access/operators.ts': [3, `${SLOTS}; an operator has 20 sessions`],
  'packages/mongodb/src/access/program-tokens.ts': [1, SLOTS],
  'packages/mongodb/src/administration/delete-organization.ts': [1, COMMAND],
  'packages/mongodb/src/administration/erase.ts': [2, COMMAND],
  'packages/mongodb/src/deliveries/redeliveries.ts': [
    2,
    'groups by outcome; bulk redeliveries that run, of which a subscription can begin ten an hour',
  ],
  'packages/mongodb/src/deliveries/repairs.ts': [1, 'groups by the deliveries that are looked up'],
  'packages/mongodb/src/driver/database.ts': [1, 'passes on the read of others'],
  'packages/mongodb/src/driver/ferretdb.ts': [1, 'one document, by a unique key'],
  'packages/mongodb/src/driver/views.ts': [2, 'the collections of one name'],
  'packages/mongodb/src/encryption/data-keys.ts': [1, 'the data keys of an organization: one for 2^32 uses'],
  'packages/mongodb/src/encryption/vault.ts': [1, COMMAND],
  'packages/mongodb/src/monitoring/outages.ts': [1, 'one for each process'],
  'packages/mongodb/src/preparation/indexes.ts': [1, 'the collections'],
  'packages/mongodb/src/preparation/running-processes.ts': [3, 'one for each process'],
  'packages/mongodb/src/stops/stops.ts': [2, '`MAX_STOPS` bounds their number'],
  'packages/mongodb/src/subscriptions/subscriptions.ts': [2, `${SLOTS}, for each clinic`],
};

const FILES = '{apps,packages}/**/src/**/*.ts';
const EXCLUDED = [
  '**/node_modules/**',
  '**/*.test.ts',
  'packages/{client,local-services,test-support}/**',
  'apps/{cli,demo}/**',
  'apps/dashboard/web/**',
  // The one place that reads rows.
  'packages/mongodb/src/driver/rows.ts',
];

// biome-ignore lint/suspicious/noExplicitAny: the rules read few fields of many kinds of nodes
type Node = { type: string; start: number; end: number; [key: string]: any };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const child of Object.values(node).flat().filter(isNode)) yield* nodesIn(child);
}

/** Whether the node reads all rows of a query at once, or iterates over the driver's cursor. */
const readsAll = (node: Node, textOf: (node: Node) => string): boolean => {
  if (node.type === 'ForOfStatement' && node.await)
    return /\.(find|aggregate)\b\s*[<(]/.test(textOf(node.right));
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const name = node.callee.property.name;
  return name === 'toArray' || (name === 'fromAsync' && node.callee.object.name === 'Array');
};

const isBounded = (text: string): boolean => /\b(limit|atMost|atOnce)\b|\$in\b/.test(text);

/** The reads of a repository that name no bound, one line each, and the number of files. */
export const checkReads = (
  root: string,
  allowed: Allowed = ALLOWED,
): { problems: string[]; files: number } => {
  const files = globSync(FILES, { cwd: root, exclude: EXCLUDED }).sort();
  const found = new Map<string, number[]>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const textOf = ({ start, end }: Node) => text.slice(start, end);
    const reads = [...nodesIn(parseSync(file, text).program as unknown as Node)].filter(
      (node) =>
        readsAll(node, textOf) && !isBounded(textOf(node.type === 'ForOfStatement' ? node.right : node)),
    );
    if (reads.length > 0)
      found.set(
        file,
        reads.map(({ start }) => text.slice(0, start).split('\n').length),
      );
  }
  const problems = [...new Set([...found.keys(), ...Object.keys(allowed)])].sort().flatMap((file) => {
    const lines = found.get(file) ?? [];
    const [times = 0] = allowed[file] ?? [];
    if (lines.length === times) return [];
    if (lines.length < times)
      return [`${file} has ${lines.length} reads without a bound: correct its entry in ALLOWED`];
    return lines.map(
      (line) =>
        `${file}:${line} reads as many rows as there are. Use rowsOf, or name the bound: limit, atMost, atOnce or $in`,
    );
  });
  return { problems, files: files.length };
};

if (import.meta.main) {
  const { problems, files } = checkReads(join(import.meta.dirname, '..'));
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  console.log(`reads: those of ${files} files are bounded`);
}
