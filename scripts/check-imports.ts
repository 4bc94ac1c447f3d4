/**
 * Checks the imports between packages, apps and folders: the rules of import-rules.ts, and further rules that
 * dependency-cruiser cannot express. `npm run check` runs it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { parseSync, Visitor } from 'oxc-parser';
import { BY_PATH, DOORS_TO_STORE, options, resolveOptions, rules, TEST } from './import-rules.ts';

/** The files and folders that write to a terminal, read its width, or start programs. */
const WRITERS = [
  'apps/admin/src/command.ts',
  'apps/admin/src/main.ts',
  'apps/cli/src/access/prompt.ts',
  'apps/cli/src/entry.ts',
  'apps/cli/src/listen/command.ts',
  'apps/cli/src/output/',
  'apps/demo/',
  'bench/',
  'chaos/',
  'release/',
  'packages/local-services/',
  'packages/processes/',
  'packages/publishing/',
  'packages/terminal/',
  'packages/test-support/',
  'scripts/',
];

/** Names and modules that only some files may use, with the reason. Tests may use all of them. */
const RESTRICTED: Readonly<Record<string, { places: readonly string[]; reason: string }>> = {
  timingSafeEqual: {
    places: [
      'packages/http-server/src/accepted-secrets.ts',
      'packages/mongodb/src/access/passwords.ts',
      'packages/signing/',
      'bench/',
      'scripts/',
    ],
    reason: 'a second comparison of secrets may reveal them. Use acceptedSecrets',
  },
  'node:dns/promises': {
    places: ['packages/network/src/dialable-addresses.ts', 'scripts/'],
    reason: 'an address that nobody has checked could be of the internal network. Use dialableAddresses',
  },
  'dns/promises': {
    places: ['scripts/'],
    reason: 'an address that nobody has checked could be of the internal network. Use dialableAddresses',
  },
  'node:dns': {
    places: ['scripts/'],
    reason: 'an address that nobody has checked could be of the internal network. Use dialableAddresses',
  },
  buildConnector: {
    places: [
      'apps/webhook-dispatcher/src/delivery/connect.ts',
      'packages/authorization-server/src/document-fetch.ts',
      'scripts/',
    ],
    reason:
      'it connects to addresses that others choose, and must dial those that dialableAddresses has checked',
  },
  createSecureContext: {
    places: ['packages/network/src/trust.ts', 'scripts/'],
    reason: 'another context would let a server determine the work of this process. Use trusting',
  },
  'ipaddr.js': {
    places: [
      'packages/domain/src/public-address.ts',
      'packages/http-server/src/caller-network.ts',
      'packages/startup/src/settings.ts',
      'scripts/',
    ],
    reason: 'callers are counted by networkOf and siteOf',
  },
  'rate-limiter-flexible': {
    places: ['packages/queue/src/rate-limiter.ts', 'scripts/'],
    reason: 'a second counter would not fall back when Redis is unreachable. Use openRateLimiter',
  },
  stdout: {
    places: WRITERS,
    reason: 'a value could move the cursor of the terminal. Use the functions that write',
  },
  stderr: {
    places: WRITERS,
    reason: 'a value could move the cursor of the terminal. Use the functions that write',
  },
  ip: {
    places: [
      'apps/api/src/http/caller-address.ts',
      'apps/dashboard/server/src/http/caller.ts',
      // Apps call the connector directly, not through the dashboard.
      'apps/mcp/src/authorization/bearer-tokens.ts',
      // The authorization server runs in the process of the dashboard, whose connections come from browsers and apps.
      'packages/authorization-server/',
      'scripts/',
    ],
    reason:
      'it is the address of the connection, which is that of the dashboard for all its users. Use callerAddress in the api, and callerOf in the dashboard',
  },
};

const isTest = (file: string): boolean => new RegExp(TEST).test(file);

const importProblems = async (root: string): Promise<string[]> => {
  const places = globSync('{apps,packages,bench,chaos,release,scripts}', { cwd: root });
  const ruleSet = { forbidden: rules };
  const { output } = await cruise(
    places,
    { ...options, ruleSet, validate: true, baseDir: root },
    resolveOptions,
  );
  const comments = new Map(rules.map(({ name, comment }) => [name, comment]));
  const { modules, summary } = output as ICruiseResult;
  const unused = Object.entries(BY_PATH).filter(
    ([place, target]) =>
      !modules.some(
        ({ source, dependencies }) =>
          source.startsWith(place) && dependencies.some(({ resolved }) => resolved === target),
      ),
  );
  const violations = summary.violations.map(({ from, to, rule, cycle }) => {
    const path = cycle === undefined ? to : cycle.map(({ name }) => name).join(', which imports ');
    return `${from} imports ${path}. ${rule.name}: ${comments.get(rule.name)}`;
  });
  const stale = unused.map(
    ([place, target]) => `${place} no longer imports ${target}: remove it from BY_PATH`,
  );
  return [...violations, ...stale];
};

/**
 * Whether a file imports a module under a name that is computed at run time, although its owner may import the store
 * only as in DOORS_TO_STORE. Such an import could load the store.
 */
const loadsComputed = (file: string, text: string): boolean =>
  Object.keys(DOORS_TO_STORE).some((owner) => file.startsWith(`${owner}/`)) &&
  parseSync(file, text).module.dynamicImports.some(
    ({ moduleRequest: { start, end } }) => !/^(['"])[^'"]*\1$/.test(text.slice(start, end)),
  );

/** The folders of the services, whose times all come from one clock. */
const SERVICES =
  /^(apps\/(api|webhook-dispatcher|dashboard\/server|mcp|admin)|packages\/(authorization-server|domain|http-server|mongodb|network|queue|schedule|startup|telemetry|work))\/src\//;
const CLOCK = 'packages/domain/src/clock.ts';

/** Whether the code makes a plain `Error`, whose message the log would withhold. */
const makesPlainError = (file: string, text: string): boolean => {
  if (!SERVICES.test(file) || isTest(file) || !text.includes('new Error')) return false;
  let found = false;
  new Visitor({
    NewExpression: ({ callee }) => {
      found ||= 'name' in callee && callee.name === 'Error';
    },
  }).visit(parseSync(file, text).program);
  return found;
};

/** Whether the code reads the clock of the machine: `new Date()`, `Date()` or `Date.now`. */
const readsMachineClock = (file: string, text: string): boolean => {
  if (!SERVICES.test(file) || isTest(file) || file === CLOCK || !text.includes('Date')) return false;
  let found = false;
  const isNamed = (node: object, name: string) => 'name' in node && node.name === name;
  new Visitor({
    NewExpression: (node) => {
      found ||= isNamed(node.callee, 'Date') && node.arguments.length === 0;
    },
    CallExpression: (node) => {
      found ||= isNamed(node.callee, 'Date');
    },
    MemberExpression: (node) => {
      found ||= isNamed(node.object, 'Date') && isNamed(node.property, 'now');
    },
  }).visit(parseSync(file, text).program);
  return found;
};

/** Whether the code contains the name, as an identifier or as a string: `x.name`, `{ name }`, `x['name']`. */
const uses = (file: string, text: string, name: string): boolean => {
  if (!text.includes(name)) return false;
  let found = false;
  const see = (used: string): void => {
    found ||= used === name;
  };
  new Visitor({
    Identifier: (node) => see(node.name),
    Literal: (node) => see(String(node.value)),
  }).visit(parseSync(file, text).program);
  return found;
};

const textProblems = (root: string, file: string): string[] => {
  const text = readFileSync(join(root, file), 'utf8');
  const restricted = Object.entries(RESTRICTED).filter(
    ([name, { places }]) =>
      !isTest(file) && !places.some((place) => file.startsWith(place)) && uses(file, text, name),
  );
  return [
    ...(loadsComputed(file, text)
      ? [`${file} imports a module under a computed name, which could be the store`]
      : []),
    ...(makesPlainError(file, text)
      ? [`${file} makes a plain Error, whose message the log withholds. Use ServiceError`]
      : []),
    ...(readsMachineClock(file, text)
      ? [`${file} reads the clock of the machine, which may differ from that of another process. Use clock`]
      : []),
    ...restricted.map(
      ([name, { places, reason }]) => `${file} uses ${name}: ${reason}. Only ${places.join(', ')} may`,
    ),
  ];
};

/** What is wrong with the imports of a repository, one line each, and the number of its files. */
export const checkImports = async (root: string): Promise<{ problems: string[]; files: number }> => {
  const files = globSync('{apps,packages,bench,chaos,release,scripts}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  const problems = [...(await importProblems(root)), ...files.flatMap((file) => textProblems(root, file))];
  return { problems, files: files.length };
};

if (import.meta.main) {
  const { problems, files } = await checkImports(join(import.meta.dirname, '..'));
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  console.log(`imports: ${files} files follow the rules`);
}
