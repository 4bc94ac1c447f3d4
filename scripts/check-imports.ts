/**
 * Checks the imports between packages and inside apps/api against the tables below. Any other import is an error, and so is
 * a cycle. `npm run check` runs it.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The packages that each package or app may import, besides its own files. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': ['zod'],
  'packages/signing': [],
  'packages/mongodb': ['@chairside/domain', 'mongodb', 'mongodb-connection-string-url'],
  'packages/queue': ['@chairside/domain', 'bullmq', 'ioredis', 'rate-limiter-flexible'],
  'packages/telemetry': ['@chairside/domain', '@opentelemetry'],
  'packages/local-services': ['mongodb', 'ioredis', 'mongodb-memory-server-core'],
  'packages/test-practice': [
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
    '@chairside/telemetry',
    '@fastify/compress',
    '@fastify/cors',
    '@fastify/helmet',
    '@scalar/fastify-api-reference',
    'content-type',
    'fast-json-stringify',
    'fastify',
    'fastify-type-provider-zod',
    'ipaddr.js',
    'lru-cache',
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
    '@chairside/telemetry',
    'lru-cache',
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
    '@chairside/signing',
    'get-port',
  ],
};

/** The code that may reach across organizations: the dispatcher, the admin, the seed of the demo and the authentication of the api. */
const EVERY_ORGANIZATION = 'everyOrganization';
const MAY_REACH_EVERY_ORGANIZATION = [
  'packages/mongodb/',
  'apps/webhook-dispatcher/',
  'apps/admin/',
  'apps/demo/',
  'packages/test-practice/',
  'apps/api/src/app.ts',
  'apps/api/src/sessions/routes.ts',
];

/** The `node:` modules of packages that use few of them. A package without an entry may import all. */
const NODE_MODULES: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': ['crypto', 'fs', 'net', 'tls'],
  'packages/signing': ['crypto'],
  'packages/telemetry': [],
};

/**
 * The layers of apps/api/src, from the lowest: files and folders. A file imports files of lower layers, or of its own folder.
 * `*` stands for the folders of the resources.
 */
const API_LAYERS: readonly (readonly string[])[] = [
  ['config.ts', 'metrics.ts'],
  ['context.ts'],
  ['http'],
  ['audit', 'lists', 'passwords'],
  ['records'],
  ['*'],
  ['app.ts'],
  ['main.ts'],
  ['entry.ts'],
];

const API = 'apps/api/src/';
const root = resolve(import.meta.dirname, '..');
const problems: string[] = [];
const graph = new Map<string, string[]>();

const ownerOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Tests, chaos, benchmarks and scripts may import anything. They are searched for cycles only. */
const isTest = (file: string): boolean => /\.test\.ts$|\/test\/|^(chaos|bench|scripts)\//.test(file);

/** The modules that a file names: static and dynamic imports, and re-exports, with those of types only. */
const importsOf = (file: string, text: string): string[] => {
  const { module } = parseSync(file, text);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
    ...dynamic.map((source) => /^(['"])(.*)\1$/.exec(source)?.[2]),
  ].filter((specifier) => specifier !== undefined);
};

const layerOf = (file: string): number => {
  const [name = ''] = file.slice(API.length).split('/');
  const layer = API_LAYERS.findIndex((names) => names.includes(name));
  return layer === -1 ? API_LAYERS.findIndex((names) => names.includes('*')) : layer;
};

const checkFile = (file: string, target: string): void => {
  if (ownerOf(target) !== ownerOf(file))
    problems.push(`${file} imports ${target}: import the package by its name`);
  if (isTest(target)) problems.push(`${file} imports ${target}: only tests import tests`);
  if (!file.startsWith(API) || dirname(file) === dirname(target)) return;
  if (layerOf(target) >= layerOf(file)) {
    problems.push(`${file} imports ${target}, which is in the same layer of apps/api or in a higher one`);
  }
};

const checkPackage = (file: string, specifier: string): void => {
  const owner = ownerOf(file);
  const [nodeModules, packages] = [NODE_MODULES[owner], MAY_IMPORT[owner] ?? []];
  const isAllowed = specifier.startsWith('node:')
    ? (nodeModules?.includes(specifier.slice('node:'.length)) ?? true)
    : packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  if (!isAllowed) {
    problems.push(`${file} imports ${specifier}, which the table of scripts/check-imports.ts does not allow`);
  }
};

const check = (file: string): void => {
  if (!isTest(file) && MAY_IMPORT[ownerOf(file)] === undefined) {
    problems.push(`${ownerOf(file)} is not in the table of scripts/check-imports.ts`);
    return;
  }
  const text = readFileSync(join(root, file), 'utf8');
  const [own, others] = [[] as string[], [] as string[]];
  for (const specifier of importsOf(file, text)) (specifier.startsWith('.') ? own : others).push(specifier);
  const targets = own.map((specifier) => relative(root, resolve(root, dirname(file), specifier)));
  graph.set(file, targets);
  if (isTest(file)) return;
  for (const target of targets) checkFile(file, target);
  for (const specifier of others) checkPackage(file, specifier);
  if (
    text.includes(EVERY_ORGANIZATION) &&
    !MAY_REACH_EVERY_ORGANIZATION.some((path) => file.startsWith(path))
  ) {
    problems.push(
      `${file} reaches across organizations: only ${MAY_REACH_EVERY_ORGANIZATION.join(', ')} may`,
    );
  }
};

/** Type-only imports count: the files of such a cycle cannot be read, moved or tested apart. */
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

const files = globSync(['{packages,apps}/*/{src,test}/**/*.ts', '{chaos,bench,scripts}/**/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
});
for (const file of files) check(file);
findCycles();

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`imports: ${files.length} files follow the table`);
