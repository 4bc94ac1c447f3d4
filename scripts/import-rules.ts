/**
 * The tables of allowed imports, and the rules of dependency-cruiser that follow from them. check-imports.ts reports
 * any other import and every cycle, including those of type imports. Packages of npm need no table: pnpm lets a package
 * import only what its own package.json names.
 */
import type { ICruiseOptions, IForbiddenRuleType, IRegularForbiddenRuleType } from 'dependency-cruiser';

/**
 * Maps a package or app to the packages of this repository that it may import. Tests, and scripts for developers, may
 * import other packages too.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/domain': [],
  'packages/network': ['domain'],
  'packages/startup': ['domain', 'network'],
  'packages/concurrency': ['domain'],
  'packages/telemetry': ['domain', 'startup'],
  'packages/signing': [],
  'packages/webhook-request': ['signing'],
  'packages/client': [],
  'packages/publishing': [],
  'packages/mongodb': ['concurrency', 'domain', 'startup', 'telemetry', 'webhook-request'],
  'packages/mail': ['domain', 'network', 'startup'],
  'packages/passwords': ['concurrency', 'domain'],
  'packages/http-server': ['concurrency', 'domain', 'startup', 'telemetry'],
  'packages/authorization-server': [
    'concurrency',
    'domain',
    'http-server',
    'mongodb',
    'network',
    'startup',
    'telemetry',
  ],
  'packages/schedule': ['domain'],
  'packages/queue': ['concurrency', 'domain', 'network'],
  'packages/processes': [],
  'packages/terminal': [],
  'packages/local-services': ['processes'],
  'packages/test-support': ['domain', 'mongodb', 'network', 'processes'],
  'apps/api': [
    'concurrency',
    'domain',
    'http-server',
    'mongodb',
    'passwords',
    'queue',
    'schedule',
    'startup',
    'telemetry',
  ],
  'apps/webhook-dispatcher': [
    'concurrency',
    'domain',
    'mail',
    'mongodb',
    'network',
    'queue',
    'startup',
    'telemetry',
    'webhook-request',
  ],
  'apps/admin': [
    'concurrency',
    'domain',
    'mail',
    'mongodb',
    'passwords',
    'queue',
    'startup',
    'telemetry',
    'terminal',
  ],
  'apps/cli': ['client', 'processes', 'signing', 'terminal', 'webhook-request'],
  'apps/dashboard/server': [
    'authorization-server',
    'concurrency',
    'domain',
    'http-server',
    'network',
    'startup',
    'telemetry',
  ],
  'apps/dashboard/web': ['client', 'webhook-request'],
  'apps/mcp': [
    'concurrency',
    'domain',
    'http-server',
    'mongodb',
    'network',
    'queue',
    'schedule',
    'startup',
    'telemetry',
  ],
  'apps/demo': ['client', 'domain', 'local-services', 'mongodb', 'processes', 'signing', 'startup'],
  chaos: ['client', 'domain', 'local-services', 'processes', 'signing', 'test-support'],
  release: ['domain', 'local-services', 'processes', 'signing', 'test-support'],
  bench: [
    'concurrency',
    'domain',
    'local-services',
    'mongodb',
    'processes',
    'queue',
    'schedule',
    'signing',
    'test-support',
  ],
};

/**
 * Maps a package to all that it may import of npm and of Node.js. `domain` decides without I/O, and `signing` and
 * `client` are published without dependencies. biome.json restricts the names that they import of `node:net` and
 * `node:crypto`.
 */
const PURE: Readonly<Record<string, { npm: readonly string[]; node: readonly string[] }>> = {
  'packages/domain': { npm: ['zod'], node: ['net'] },
  'packages/signing': { npm: [], node: ['crypto'] },
  'packages/client': { npm: [], node: [] },
  'packages/schedule': { npm: ['temporal-polyfill'], node: [] },
  'packages/concurrency': { npm: [], node: ['async_hooks'] },
};

/**
 * Maps a package or app to the modules of the store that it may import (at most one), including imports in tests and
 * type-only imports.
 */
export const DOORS_TO_STORE: Readonly<Record<string, readonly string[]>> = {
  'apps/api': ['packages/mongodb/src/index.ts'],
  'packages/authorization-server': ['packages/mongodb/src/stores/oauth-store.ts'],
  'apps/dashboard/server': [],
  'apps/mcp': ['packages/mongodb/src/stores/schedule-store.ts'],
};

/** Maps a file or folder to the only file of another package that it imports by path. */
export const BY_PATH: Readonly<Record<string, string>> = {
  // With a dependency by name, the packages mongodb and test-support would depend on each other.
  'packages/mongodb/test/': 'packages/test-support/src/index.ts',
  // These tests compare the settings of both apps.
  'apps/api/test/configuration-table.test.ts': 'apps/webhook-dispatcher/src/config.ts',
  'apps/api/test/settings.test.ts': 'apps/webhook-dispatcher/src/config.ts',
};

/**
 * The layers of a source folder as files and folders, from the lowest. A file may import files of lower layers and of
 * its own folder. `*` stands for all other files and folders: the resources of the api, the pages of the dashboard.
 */
const LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'apps/api/src': [
    ['config.ts', 'monitoring'],
    ['context.ts'],
    ['http'],
    ['audit', 'factors', 'lists', 'mail'],
    ['passwords'],
    ['records'],
    ['*'],
    ['batch'],
    ['app.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/webhook-dispatcher/src': [
    ['config.ts', 'lease.ts', 'named-waits.ts', 'outage', 'outbound'],
    ['delivery'],
    ['scheduler'],
    ['publishing'],
    ['mail', 'sweep'],
    ['monitoring'],
    ['workers.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/dashboard/server/src': [
    ['config.ts', 'metrics.ts', 'principals.ts', 'refusals.ts', 'session-cookie.ts'],
    ['api.ts'],
    ['context.ts', 'http'],
    ['*'],
    ['app.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/dashboard/web/src': [
    ['api', 'language.ts', 'search.ts', 'shared-value.ts', 'styles'],
    ['session'],
    ['components'],
    ['sign-in'],
    ['records'],
    ['clinics', 'events', 'notices', 'principals', 'subscriptions'],
    ['audit', 'deliveries'],
    ['redeliveries', 'statistics'],
    ['find'],
    ['layout'],
    ['new-build.ts', 'pages'],
    ['router.tsx'],
    ['main.tsx'],
  ],
  'apps/dashboard/web/src/pages': [['*']],
  'apps/admin/src': [
    ['bad-lines.ts', 'config.ts', 'failure.ts', 'import-files.ts', 'interruption.ts', 'verdict.ts'],
    ['cells.ts', 'redis.ts', 'repeats.ts', 'utf8.ts'],
    ['command.ts', 'lines.ts'],
    ['import-file.ts', 'place.ts', 'restores.ts', 'rows.ts', 'stops.ts'],
    [
      'clinic-hours.ts',
      'delete-organization.ts',
      'organization-search.ts',
      'organization-suspension.ts',
      'subscriptions.ts',
    ],
    ['*'],
    ['program.ts'],
    ['run.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/cli/src': [
    ['failure.ts', 'version.ts'],
    ['flags', 'interrupt.ts', 'output'],
    ['access'],
    ['nouns.ts'],
    ['bulk', 'events', 'verify.ts'],
    ['*'],
    ['program.ts'],
    ['run.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/mcp/src': [
    ['config.ts', 'introspection.ts', 'tools'],
    ['metrics.ts'],
    ['context.ts'],
    ['health', 'http', 'server.ts'],
    ['authorization'],
    ['messages.ts'],
    ['app.ts'],
    ['main.ts'],
    ['entry.ts'],
  ],
  'apps/demo/src': [
    ['connector.ts', 'inbox.ts', 'problem.ts', 'receiver.ts', 'records.ts', 'signals.ts', 'steps.ts'],
    ['main-job.ts', 'ports.ts', 'reset.ts', 'service.ts', 'settings.ts'],
    ['practice.ts'],
    ['data-folder.ts', 'practices.ts'],
    ['addresses.ts', 'directions.ts', 'sign-in.ts'],
    ['apps.ts'],
    ['start.ts'],
    ['main.ts'],
  ],
  'packages/mongodb/src': [
    ['driver'],
    ['connection'],
    ['encryption'],
    ['audit', 'events', 'lanes', 'mails', 'restores', 'stops'],
    ['access', 'deliveries', 'records'],
    ['oauth', 'schedule', 'statistics', 'subscriptions'],
    ['monitoring', 'notices', 'preparation'],
    ['administration'],
    ['stores'],
    ['index.ts'],
  ],
};

export const TEST = String.raw`\.test\.tsx?$|/test/`;
/** Tests, and scripts that only developers run. */
const DEVELOPMENT = [TEST, '^(apps|packages)/.+/scripts/'];
/** A package or app, as the first group of a pattern. */
const OWNER = '^(apps/dashboard/[^/]+|(?:apps|packages)/[^/]+|bench|chaos|release)/';
const ANY_FILE = '^(apps|packages|bench|chaos|release|scripts)/';

const escaped = (path: string): string => path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const oneOf = (parts: readonly string[]): string => `(?:${parts.map(escaped).join('|')})`;

const error = (
  name: string,
  comment: string,
  from: IRegularForbiddenRuleType['from'],
  to: IRegularForbiddenRuleType['to'],
): IForbiddenRuleType => ({ name, comment, severity: 'error', from, to });

const packageRules = Object.entries(MAY_IMPORT).map(([owner, packages]) =>
  error(
    `imports of ${owner}`,
    'MAY_IMPORT in scripts/import-rules.ts does not allow this import.',
    { path: `^${escaped(owner)}/`, pathNot: DEVELOPMENT },
    {
      path: ['^(apps|packages|bench|chaos|release)/', '^@chairside/'],
      pathNot: [`^${escaped(owner)}/`, ...packages.map((name) => `^packages/${name}/`)],
    },
  ),
);

const pureRules = Object.entries(PURE).flatMap(([owner, { npm, node }]) => {
  const from = { path: `^${owner}/src/`, pathNot: TEST };
  const comment = 'PURE in scripts/import-rules.ts does not allow this import.';
  const allowed = npm.map((name) => `(^|node_modules/)${escaped(name)}(/|$)`);
  return [
    error(`npm packages of ${owner}`, comment, from, {
      dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown', 'unknown'],
      // The packages of this repository are in MAY_IMPORT.
      pathNot: ['^packages/', ...allowed],
    }),
    error(`Node.js modules of ${owner}`, comment, from, {
      dependencyTypes: ['core'],
      ...(node.length > 0 && { pathNot: `^${oneOf(node)}$` }),
    }),
  ];
});

const doorRules = Object.entries(DOORS_TO_STORE).flatMap(([owner, doors]) => [
  error(
    `store of ${owner}`,
    `Only these modules of the store are allowed, in tests too: ${doors.join(', ') || 'none'}.`,
    { path: `^${owner}/` },
    {
      path: ['^packages/mongodb/', '^@chairside/mongodb', '(^|/node_modules/)mongodb(/|$)'],
      ...(doors.length > 0 && { pathNot: `^${oneOf(doors)}$` }),
    },
  ),
  error(
    `loaders of ${owner}`,
    'A module that is loaded under a computed name could be the store.',
    { path: `^${owner}/` },
    { dependencyTypes: ['core'], path: '^module$' },
  ),
]);

const layerRules = Object.entries(LAYERS).flatMap(([root, layers]) => {
  const comment = 'This is in the same layer or in a higher one: see LAYERS in scripts/import-rules.ts.';
  const place = (name: string): string => `^${root}/${escaped(name)}(/|$)`;
  const named = layers.flat().filter((name) => name !== '*');
  const unnamed = { path: `^${root}/([^/]+)(/|$)`, pathNot: [TEST, ...named.map(place)] };
  const rules = layers.flatMap((names, index) => {
    const lower = layers.slice(0, index).flat();
    // A file above `*` may import everything but its own layer and the higher ones.
    const higher = named.filter((name) => !lower.includes(name));
    const refused = lower.includes('*') ? higher.map(place) : [`^${root}/`];
    const allowed = [TEST, ...lower.filter((name) => name !== '*').map(place)];
    return names.map((name) =>
      name === '*'
        ? error(`layers of ${root}`, comment, unnamed, {
            path: `^${root}/`,
            pathNot: [`^${root}/$1(/|$)`, ...allowed],
          })
        : error(
            `layers of ${root}`,
            comment,
            { path: place(name), pathNot: TEST },
            { path: refused, pathNot: [place(name), ...allowed] },
          ),
    );
  });
  if (layers.flat().includes('*')) return rules;
  const isMissing = 'This file or folder is missing in LAYERS of scripts/import-rules.ts.';
  return [...rules, error(`files of ${root}`, isMissing, unnamed, {})];
});

export const rules: IForbiddenRuleType[] = [
  error('no cycles', 'Files of a cycle cannot be read, moved or tested separately.', {}, { circular: true }),
  error(
    'no unresolvable imports',
    'The imported module does not exist, or package.json does not name it.',
    { pathNot: '^packages/signing/(test/recipe-runner|recipes/)' },
    { couldNotResolve: true },
  ),
  error(
    'tests only in tests',
    'Only tests may import tests. Move shared code of tests to packages/test-support.',
    { pathNot: [TEST, '^packages/test-support/'] },
    { path: TEST },
  ),
  error(
    'files of other packages',
    'Import a package by its name. Move code that apps share to a package, and code that tests share to packages/test-support.',
    { path: OWNER, pathNot: Object.keys(BY_PATH).map((place) => `^${escaped(place)}`) },
    { dependencyTypes: ['local'], path: ANY_FILE, pathNot: '^$1/' },
  ),
  ...Object.entries(BY_PATH).map(([place, target]) =>
    error(
      `files of other packages in ${place}`,
      'BY_PATH in scripts/import-rules.ts does not allow this import.',
      { path: `^(?=${escaped(place)})${OWNER.slice(1)}` },
      { dependencyTypes: ['local'], path: ANY_FILE, pathNot: ['^$1/', `^${escaped(target)}$`] },
    ),
  ),
  error(
    'packages without a row',
    'MAY_IMPORT in scripts/import-rules.ts has no row for this package or app: add it.',
    { path: OWNER, pathNot: Object.keys(MAY_IMPORT).map((owner) => `^${escaped(owner)}/`) },
    {},
  ),
  error(
    'dependencies for production',
    'The source imports a package that package.json names in devDependencies only. cli and web are bundled.',
    {
      path: '^(apps|packages)/.+/src/',
      pathNot: [TEST, '^apps/(cli|dashboard/web)/', '^packages/test-support/'],
    },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  ),
  ...packageRules,
  ...pureRules,
  ...doorRules,
  ...layerRules,
];

export const options: ICruiseOptions = {
  // The parser of TypeScript 7 has no API. swc reads type imports, too.
  parser: 'swc',
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: {
    path: '^(apps|packages)/.+/dist/|^packages/(signing|client|publishing)/(examples|test/consumer)/',
  },
};

export const resolveOptions = {
  exportsFields: ['exports'],
  conditionNames: ['@chairside/source', 'import', 'node', 'default'],
  extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js'],
};
