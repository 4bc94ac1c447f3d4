/**
 * Checks who imports whom: the table below is the design. Any other edge fails, and so does a cycle.
 * Run by `npm run check`.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Package, app or folder → the packages that it may import beside its own files. Tests may import any package, but no
 * file of another package or app.
 */
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
    '@chairside/processes',
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
  chaos: ['@chairside/local-services', '@chairside/signing', '@chairside/test-support', 'mongodb'],
  bench: [
    '@chairside/domain',
    '@chairside/local-services',
    '@chairside/mongodb',
    '@chairside/processes',
    '@chairside/queue',
    '@chairside/signing',
    '@chairside/test-support',
    '@octokit/webhooks-methods',
    'fastify',
    'ioredis',
    'mongodb',
    'standardwebhooks',
    'stripe',
    'svix',
    'undici',
  ],
  scripts: ['oxc-parser', 'vitest', 'yaml'],
};

/** The scripts compare the parts of the repository with each other, so they may import the files of all. */
const MAY_REACH_INTO_ALL = 'scripts';

/** Package → the modules of Node.js that its source may import, with the names. Any other package may import all. */
const MAY_IMPORT_FROM_NODE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Functions without effects: no module that reads files, connects or waits.
  'packages/domain': { 'node:net': ['BlockList', 'isIP'] },
};

/** File or folder → what it imports against the tables. An exception that nothing needs any more fails. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Reads the certificates of the system.
  'packages/domain/src/trust.ts': ['node:crypto', 'node:fs', 'node:tls'],
  // By path: with a dependency by name, the packages mongodb and test-support would depend on each other.
  'packages/mongodb/test/': ['packages/test-support/src/index.ts'],
  // Compare the settings of both apps.
  'apps/api/test/configuration-table.test.ts': ['apps/webhook-dispatcher/src/config.ts'],
  'apps/api/test/settings.test.ts': ['apps/webhook-dispatcher/src/config.ts'],
};

/** Files that may reach across organizations: the dispatcher, the admin, the demo's seed, tests, the api's authentication. */
const EVERY_ORGANIZATION = 'everyOrganization';
const MAY_REACH_EVERY_ORGANIZATION = [
  'packages/mongodb/',
  'apps/webhook-dispatcher/',
  'apps/admin/',
  'apps/demo/',
  'packages/test-support/',
  'bench/',
  'chaos/',
  'scripts/',
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

const ownerOf = (file: string): string => {
  const [folder = '', name = ''] = file.split('/');
  return folder === 'packages' || folder === 'apps' ? `${folder}/${name}` : folder;
};

type Import = {
  specifier: string;
  /** What is imported; `*` for the whole module. */
  names: readonly string[];
  /** Of types only, or while the program runs: neither takes part in a cycle. */
  isLoose: boolean;
};

const importsOf = (file: string): Import[] => {
  const text = readFileSync(join(root, file), 'utf8');
  const { module } = parseSync(file, text);
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    names: entries.map(({ importName }) => importName.name ?? '*'),
    isLoose: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, isType }) =>
      moduleRequest === null
        ? []
        : [{ specifier: moduleRequest.value, names: [importName.name ?? '*'], isLoose: isType }],
    ),
  );
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, specifier] = /^(?:'(.*)')$/.exec(text.slice(start, end)) ?? [];
    return specifier === undefined ? [] : [{ specifier, names: ['*'], isLoose: true }];
  });
  return [...imports, ...exports, ...dynamic];
};

const usedExceptions = new Set<string>();

const isException = (file: string, imported: string): boolean => {
  const [path] =
    Object.entries(EXCEPTIONS).find(([place, all]) => file.startsWith(place) && all.includes(imported)) ?? [];
  if (path !== undefined) usedExceptions.add(`${path} ${imported}`);
  return path !== undefined;
};

const rankOf = (file: string): number => {
  const path = file.slice('apps/api/src/'.length);
  return path.startsWith('plugins/') ? 1 : (API_RANKS.find(([pattern]) => pattern.test(path))?.[1] ?? 0);
};

const checkNode = (file: string, { specifier, names }: Import): void => {
  const modules = MAY_IMPORT_FROM_NODE[ownerOf(file)];
  const allowed = modules?.[specifier] ?? [];
  if (modules === undefined || names.every((name) => allowed.includes(name))) return;
  if (!isException(file, specifier)) {
    problems.push(`${file} imports ${names.join(', ')} of ${specifier}, which ${ownerOf(file)} may not`);
  }
};

const checkOwner = (file: string, target: string): void => {
  const owner = ownerOf(file);
  if (ownerOf(target) === owner || owner === MAY_REACH_INTO_ALL || isException(file, target)) return;
  const remedy = target.startsWith('apps/')
    ? 'no file imports those of another app; what tests share is in packages/test-support'
    : 'import the package by its name';
  problems.push(`${file} reaches into ${target}: ${remedy}`);
};

const checkRank = (file: string, target: string): void => {
  if (!file.startsWith('apps/api/src/')) return;
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
  for (const each of importsOf(file)) {
    const { specifier, isLoose } = each;
    if (specifier.startsWith('node:')) {
      if (!isTest) checkNode(file, each);
    } else if (specifier.startsWith('.')) {
      const target = relative(root, resolve(root, dirname(file), specifier));
      checkOwner(file, target);
      if (!isTest && !isLoose) checkRank(file, target);
      if (!isLoose) edges.push(target);
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

const PLACES = ['{packages,apps}/*/{src,test}/**/*.ts', '{bench,chaos,scripts}/**/*.ts'];
const files = globSync(PLACES, { cwd: root, exclude: ['**/node_modules/**'] });
for (const file of files) check(file);
findCycles();
for (const [place, all] of Object.entries(EXCEPTIONS)) {
  for (const imported of all) {
    if (usedExceptions.has(`${place} ${imported}`)) continue;
    problems.push(`${place} does not import ${imported} any more: remove the exception`);
  }
}

if (problems.length > 0) {
  console.error([...new Set(problems)].join('\n'));
  process.exit(1);
}
console.log(`imports: ${files.length} files follow the table`);
