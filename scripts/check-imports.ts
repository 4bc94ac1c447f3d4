/**
 * Checks who imports whom: the table below is the design. Any other edge fails, and so does a cycle.
 * Run by `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Package or app → what it may import beside Node itself and its own files. Tests may import anything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': ['zod'],
  'packages/signing': [],
  'packages/mongodb': ['@chairside/domain', 'mongodb', 'mongodb-connection-string-url'],
  'packages/queue': ['@chairside/domain', 'bullmq', 'ioredis', 'rate-limiter-flexible'],
  'packages/telemetry': ['@chairside/domain', '@opentelemetry'],
  'packages/processes': [],
  'packages/local-services': ['@chairside/processes', 'mongodb', 'ioredis', 'mongodb-memory-server-core'],
  'packages/test-support': [
    '@chairside/domain',
    '@chairside/mongodb',
    'mongodb',
    'mongodb-connection-string-url',
    'vitest',
  ],
  'apps/api': [
    '@chairside/domain',
    '@chairside/mongodb',
    '@chairside/queue',
    '@fastify/compress',
    '@fastify/cors',
    '@fastify/helmet',
    '@scalar/fastify-api-reference',
    'content-type',
    'fast-json-stringify',
    'fastify',
    'fastify-type-provider-zod',
    'ipaddr.js',
    'marked',
    'marked-gfm-heading-id',
    'prom-client',
    'zod',
  ],
  'apps/webhook-dispatcher': [
    '@chairside/domain',
    '@chairside/mongodb',
    '@chairside/queue',
    '@chairside/signing',
    'pino',
    'prom-client',
    'undici',
    'zod',
  ],
  'apps/admin': ['@chairside/domain', '@chairside/mongodb', '@chairside/queue', 'commander', 'zod'],
  'apps/demo': [
    '@chairside/domain',
    '@chairside/local-services',
    '@chairside/mongodb',
    '@chairside/processes',
    '@chairside/signing',
    'get-port',
  ],
};

/** Who may reach across organizations: the dispatcher, the admin, the demo's seed and the api's authentication. */
const EVERY_ORGANIZATION = 'everyOrganization';
const MAY_REACH_EVERY_ORGANIZATION = [
  'packages/mongodb/',
  'apps/webhook-dispatcher/',
  'apps/admin/',
  'apps/demo/',
  'packages/test-support/',
  'apps/api/src/app.ts',
  'apps/api/src/sessions/routes.ts',
];

/** The ranks inside an app: a file imports files of a lower rank, or of its own folder. */
const API_RANKS: readonly [RegExp, number][] = [
  [/^main\.ts$/, 4],
  [/^app\.ts$/, 3],
  [/^[a-z-]+\/[a-z-]+\.ts$/, 2],
  [/^plugins\//, 1],
  [/^config\.ts$/, 0],
];

const root = resolve(import.meta.dirname, '..');
const problems: string[] = [];
const graph = new Map<string, string[]>();

const ownerOf = (file: string): string => file.split('/').slice(0, 2).join('/');

type Import = { specifier: string; typeOnly: boolean };

const importsOf = (file: string): Import[] => {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, typeOnly: isType }],
    ),
  );
  return [...imports, ...exports];
};

const rankOf = (file: string): number => {
  const path = file.slice('apps/api/src/'.length);
  return path.startsWith('plugins/') ? 1 : (API_RANKS.find(([pattern]) => pattern.test(path))?.[1] ?? 0);
};

const checkInside = (file: string, target: string, typeOnly: boolean): void => {
  if (ownerOf(target) !== ownerOf(file)) {
    problems.push(`${file} reaches into ${target}: import the package by its name`);
  }
  if (!file.startsWith('apps/api/src/') || typeOnly) return;
  const sameFolder = dirname(file) === dirname(target);
  if (!sameFolder && rankOf(target) >= rankOf(file)) {
    problems.push(`${file} imports ${target}: resource folders and plugins do not import each other's users`);
  }
};

const check = (file: string): void => {
  const owner = ownerOf(file);
  const isTest = /\.test\.ts$|\/test\//.test(file);
  const allowed = MAY_IMPORT[owner];
  if (allowed === undefined) {
    problems.push(`${owner} is not in the table of scripts/check-imports.ts`);
    return;
  }
  const edges: string[] = [];
  for (const { specifier, typeOnly } of importsOf(file)) {
    if (specifier.startsWith('node:')) continue;
    if (specifier.startsWith('.')) {
      const target = relative(root, resolve(root, dirname(file), specifier));
      if (!isTest) checkInside(file, target, typeOnly);
      if (!typeOnly) edges.push(target);
    } else if (!isTest && !allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) {
      problems.push(
        `${file} imports ${specifier}, which the table of scripts/check-imports.ts does not allow`,
      );
    }
  }
  graph.set(file, edges);
  const text = readFileSync(join(root, file), 'utf8');
  if (
    !isTest &&
    text.includes(EVERY_ORGANIZATION) &&
    !MAY_REACH_EVERY_ORGANIZATION.some((path) => file.startsWith(path))
  ) {
    problems.push(
      `${file} reaches across organizations: only ${MAY_REACH_EVERY_ORGANIZATION.join(', ')} may`,
    );
  }
};

const findCycles = (): void => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at !== -1) {
      problems.push(`cycle: ${[...path.slice(at), file].join(' → ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
};

const files = globSync('{packages,apps}/*/{src,test}/**/*.ts', { cwd: root });
for (const file of files) check(file);
findCycles();

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`imports: ${files.length} files follow the table`);
