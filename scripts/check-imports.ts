/**
 * Checks the imports between packages, apps and folders against the tables below. Any other import fails, and so does
 * a cycle. `npm run check` runs it.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * Maps a package, app or folder to the packages that it may import besides its own files. Tests may import any
 * package, but no file of another package or app.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': ['zod'],
  'packages/runtime': ['@chairside/domain', 'zod'],
  'packages/signing': [],
  'packages/client': [],
  'packages/publishing': ['@arethetypeswrong/core', 'esbuild', 'openapi-typescript', 'publint'],
  'packages/mongodb': [
    '@chairside/domain',
    '@chairside/runtime',
    'lru-cache',
    'mongodb',
    'mongodb-connection-string-url',
  ],
  'packages/http-server': ['@chairside/domain', '@chairside/runtime', 'fastify', 'ipaddr.js', 'prom-client'],
  'packages/authorization-server': [
    '@chairside/domain',
    '@chairside/http-server',
    '@chairside/mongodb/oauth',
    '@chairside/runtime',
    'fastify',
    'oidc-provider',
    'undici',
    'zod',
  ],
  'packages/schedule': ['@chairside/domain', 'temporal-polyfill'],
  'packages/queue': [
    '@chairside/domain',
    '@chairside/runtime',
    'bullmq',
    'ioredis',
    'lru-cache',
    'rate-limiter-flexible',
  ],
  'packages/telemetry': ['@chairside/runtime', '@opentelemetry'],
  'packages/processes': [],
  'packages/terminal': ['cli-progress'],
  'packages/local-services': [
    '@chairside/processes',
    'mongodb',
    'ioredis',
    'mongodb-memory-server-core',
    'playwright-core',
  ],
  'packages/test-support': [
    '@chairside/domain',
    '@chairside/mongodb',
    '@chairside/processes',
    '@chairside/runtime',
    'ioredis',
    'mongodb',
    'mongodb-connection-string-url',
    'vitest',
  ],
  'apps/api': [
    '@chairside/domain',
    '@chairside/http-server',
    '@chairside/mongodb',
    '@chairside/queue',
    '@chairside/runtime',
    '@chairside/telemetry',
    '@fastify/compress',
    '@fastify/cors',
    '@fastify/helmet',
    '@scalar/fastify-api-reference',
    'content-type',
    'fast-json-stringify',
    'fastify',
    'fastify-type-provider-zod',
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
    '@chairside/runtime',
    '@chairside/signing',
    '@chairside/telemetry',
    'lru-cache',
    'pino',
    'prom-client',
    'undici',
    'zod',
  ],
  'apps/admin': [
    '@chairside/domain',
    '@chairside/mongodb',
    '@chairside/queue',
    '@chairside/runtime',
    '@chairside/terminal',
    'commander',
    'jsonc-parser',
    'zod',
  ],
  'apps/cli': [
    '@bomb.sh/tab',
    '@chairside/client',
    '@chairside/signing',
    '@clack/prompts',
    '@chairside/terminal',
    'cli-truncate',
    'commander',
    'csv-parse',
    'csv-stringify',
    'env-paths',
    'open',
    'string-width',
    'write-file-atomic',
  ],
  'apps/dashboard/server': [
    '@chairside/authorization-server',
    '@chairside/domain',
    '@chairside/http-server',
    '@chairside/runtime',
    '@fastify/cookie',
    '@fastify/helmet',
    '@fastify/reply-from',
    '@fastify/static',
    'csv-stringify',
    'fastify',
    'prom-client',
    'zod',
  ],
  'apps/dashboard/web': [
    '@chairside/client',
    '@tanstack/react-query',
    '@tanstack/react-router',
    'd3-scale',
    'react',
    'react-aria-components',
    'react-dom',
  ],
  'apps/mcp': [
    '@chairside/domain',
    '@chairside/http-server',
    '@chairside/mongodb/schedule',
    '@chairside/queue',
    '@chairside/runtime',
    '@chairside/schedule',
    '@chairside/telemetry',
    '@modelcontextprotocol/fastify',
    '@modelcontextprotocol/server',
    'fastify',
    'prom-client',
    'undici',
    'zod',
  ],
  'apps/demo': [
    '@chairside/client',
    '@chairside/domain',
    '@chairside/local-services',
    '@chairside/mongodb',
    '@chairside/processes',
    '@chairside/runtime',
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
    '@chairside/runtime',
    '@chairside/schedule',
    '@chairside/signing',
    '@chairside/test-support',
    '@octokit/webhooks-methods',
    'fastify',
    'ioredis',
    'mongodb',
    'playwright-core',
    'standardwebhooks',
    'stripe',
    'svix',
    'undici',
  ],
  scripts: ['github-slugger', 'marked', 'oxc-parser', 'vitest', 'yaml'],
};

/** The scripts compare parts of the repository with each other, so they may import files of all parts. */
const MAY_REACH_INTO_ALL = 'scripts';

/**
 * Maps a package or app to the only exports of the store that it may import, in tests and as types too. With these
 * doors, it cannot read anything else of the database. So it may not load a module under a computed name either.
 */
const ONLY_DOORS_TO_STORE: Readonly<Record<string, readonly string[]>> = {
  'packages/authorization-server': ['@chairside/mongodb/oauth'],
  'apps/dashboard/server': [],
  'apps/mcp': ['@chairside/mongodb/schedule'],
};
const STORE = /^(@chairside\/mongodb|mongodb)(\/|$)/;
/** Stands for the name of a module that is computed at run time. */
const COMPUTED = '(computed)';

/**
 * Maps a package to the modules and names of Node.js that its source may import. Packages that are not listed may
 * import all.
 */
const MAY_IMPORT_FROM_NODE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // Only functions without side effects: no module that reads files, connects or waits.
  'packages/domain': { 'node:net': ['BlockList', 'isIP'] },
  'packages/signing': { 'node:crypto': ['createHmac', 'createSecretKey', 'timingSafeEqual', 'KeyObject'] },
  'packages/client': {},
  'packages/telemetry': {},
};

/** Maps a file or folder to imports that the tables forbid. An exception that is no longer needed fails. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Imported by path, because with a dependency by name the packages mongodb and test-support would depend on each
  // other.
  'packages/mongodb/test/': ['packages/test-support/src/index.ts'],
  // These files compare the settings of both apps.
  'apps/api/test/configuration-table.test.ts': ['apps/webhook-dispatcher/src/config.ts'],
  'apps/api/test/settings.test.ts': ['apps/webhook-dispatcher/src/config.ts'],
};

/**
 * Files that may access all organizations: the dispatcher, the admin, the demo's seed, tests, the api's
 * authentication.
 */
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

/**
 * The layers of an app as files and folders, from the lowest. A file may import files of lower layers and of its own
 * folder. `*` stands for all other folders: the resources of the api, the pages of the dashboard.
 */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'apps/api/src/': [
    ['config.ts', 'metrics.ts'],
    ['context.ts'],
    ['http'],
    ['audit', 'lists', 'passwords'],
    ['records'],
    ['*'],
    ['app.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/dashboard/web/src/': [
    ['api', 'record-kinds.ts', 'search.ts', 'styles'],
    ['session'],
    ['components'],
    ['sign-in'],
    ['layout'],
    ['clinics', 'event-log', 'outcomes', 'principals', 'subscriptions'],
    ['delivery-list', 'statistics'],
    ['*'],
    ['router.tsx'],
    ['main.tsx'],
  ],
};

/** The folder to check: this repository, or the one in the first argument. */
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const problems: string[] = [];
const graph = new Map<string, string[]>();

const ownerOf = (file: string): string => {
  const [folder = '', name = '', part = ''] = file.split('/');
  if (folder === 'apps' && name === 'dashboard') return `${folder}/${name}/${part}`;
  return folder === 'packages' || folder === 'apps' ? `${folder}/${name}` : folder;
};

const isTest = (file: string): boolean => /\.test\.tsx?$|\/test\//.test(file);

type Import = {
  specifier: string;
  /** The imported names; `*` for the whole module. */
  names: readonly string[];
};

/** Static and dynamic imports and re-exports, including type-only ones. */
const importsOf = (file: string, text: string): Import[] => {
  const { module } = parseSync(file, text);
  const imports = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    names: entries.map(({ importName }) => importName.name ?? '*'),
  }));
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, names: [importName.name ?? '*'] }],
    ),
  );
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, , specifier] = /^(['"])([^'"]*)\1$/.exec(text.slice(start, end)) ?? [];
    return [{ specifier: specifier ?? COMPUTED, names: ['*'] }];
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
    ? 'do not import files of another app; move code that tests share to packages/test-support'
    : 'import the package by its name';
  problems.push(`${file} imports the file ${target}: ${remedy}`);
};

/** The file or folder in `place` that contains the file. */
const partOf = (file: string, place: string): string => file.slice(place.length).split('/')[0] ?? '';

const layerOf = (part: string, layers: readonly (readonly string[])[]): number => {
  const layer = layers.findIndex((names) => names.includes(part));
  return layer === -1 ? layers.findIndex((names) => names.includes('*')) : layer;
};

const checkLayer = (file: string, target: string): void => {
  for (const [place, layers] of Object.entries(LAYERS)) {
    const [part, imported] = [partOf(file, place), partOf(target, place)];
    if (!file.startsWith(place) || part === imported) continue;
    if (layerOf(imported, layers) >= layerOf(part, layers))
      problems.push(`${file} imports ${target}, which is in the same layer of ${place} or in a higher layer`);
  }
};

const checkFile = (file: string, specifier: string): string => {
  const target = relative(root, resolve(root, dirname(file), specifier));
  checkOwner(file, target);
  if (isTest(file)) return target;
  if (isTest(target)) problems.push(`${file} imports ${target}, but only tests may import tests`);
  checkLayer(file, target);
  return target;
};

const checkPackage = (file: string, { specifier }: Import): void => {
  const allowed = MAY_IMPORT[ownerOf(file)] ?? [];
  if (allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return;
  problems.push(`${file} imports ${specifier}, which the table of scripts/check-imports.ts does not allow`);
};

const checkStore = (file: string, { specifier }: Import): void => {
  const owner = ownerOf(file);
  const doors = ONLY_DOORS_TO_STORE[owner];
  if (doors === undefined || doors.includes(specifier)) return;
  const isComputed = specifier === COMPUTED || specifier === 'node:module';
  if (!isComputed && !STORE.test(specifier)) return;
  const what = specifier === COMPUTED ? 'a module under a computed name' : specifier;
  const may = doors.length === 0 ? 'nothing' : `only ${doors.join(', ')}`;
  problems.push(`${file} imports ${what}: ${owner} may import ${may} of the store`);
};

const check = (file: string): void => {
  if (MAY_IMPORT[ownerOf(file)] === undefined) {
    problems.push(`${ownerOf(file)} is not in the table of scripts/check-imports.ts: add it`);
    return;
  }
  const text = readFileSync(join(root, file), 'utf8');
  const targets: string[] = [];
  for (const each of importsOf(file, text)) {
    checkStore(file, each);
    if (each.specifier === COMPUTED) continue;
    if (each.specifier.startsWith('.')) targets.push(checkFile(file, each.specifier));
    else if (isTest(file)) continue;
    else if (each.specifier.startsWith('node:')) checkNode(file, each);
    else checkPackage(file, each);
  }
  graph.set(file, targets);
  if (
    !isTest(file) &&
    text.includes(EVERY_ORGANIZATION) &&
    !MAY_REACH_EVERY_ORGANIZATION.some((path) => file.startsWith(path))
  ) {
    problems.push(`${file} accesses all organizations: only ${MAY_REACH_EVERY_ORGANIZATION.join(', ')} may`);
  }
};

/** Type-only imports count too, because the files of such a cycle cannot be read, moved or tested separately. */
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

const PLACES = [
  '{packages,apps}/*/{src,test}/**/*.ts',
  'apps/dashboard/*/{src,test}/**/*.{ts,tsx}',
  '{bench,chaos,scripts}/**/*.ts',
];
const files = globSync(PLACES, { cwd: root, exclude: ['**/node_modules/**'] });
for (const file of files) check(file);
findCycles();
for (const [place, all] of Object.entries(EXCEPTIONS)) {
  for (const imported of all) {
    if (usedExceptions.has(`${place} ${imported}`)) continue;
    problems.push(`${place} no longer imports ${imported}: remove the exception`);
  }
}

if (problems.length > 0) {
  console.error([...new Set(problems)].join('\n'));
  process.exit(1);
}
console.log(`imports: ${files.length} files follow the table`);
