/**
 * Checks that no test depends on the speed of the machine, on a window of time, or on a name that another file or run
 * may use at the same moment. `npm run check` runs it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** What a test must not do, and what it does instead. */
const REMEDIES = {
  sleep: 'waits for a time. Await the event: expect.poll, a promise, a log line, or fake timers',
  limit: 'has a limit of its own for a wait. Leave it out: LONGEST_WAIT_MS is the limit of all waits',
  duration: 'depends on how long something took. Drive the clock, or compare two recorded moments',
  window:
    'counts within a window of time that passes. Use steadyLimiter, or hold the clock of the window (limitsNow)',
  name: 'uses a fixed name, path or port. Make one: openTestStore, mkdtemp, port 0, randomUUID',
} as const;
type Kind = keyof typeof REMEDIES;

/** The only files that may, with the reason. */
type Allowed = Readonly<Record<string, Partial<Record<Kind, string>>>>;
const ALLOWED: Allowed = {
  'apps/api/src/own-factors/routes.service.test.ts': {
    window:
      'the pause of codes is measured by the clock of the api, which the test drives; other counts are steady',
  },
  'apps/admin/test/encryption.release.test.ts': { sleep: 'a kill hits the command wherever it is' },
  'apps/demo/test/contract-events.release.test.ts': {
    duration: 'a slow machine can only make an end after five seconds later',
  },
  'apps/demo/test/faults.release.test.ts': { duration: 'the service promises a response within a second' },
  'apps/demo/test/idle.long.test.ts': {
    duration: 'wake-ups are counted for each second, and a slow machine only lengthens the time',
  },
  'apps/demo/test/two-apis.release.test.ts': {
    window: 'two processes count together, six calls in a minute',
  },
  'apps/demo/test/wrong-clocks.release.test.ts': {
    duration: 'the clocks are wrong by five minutes, so a minute is near',
  },
  'apps/webhook-dispatcher/src/delivery/send-slow-connect.test.ts': {
    sleep: 'the system drops a packet, and nothing reports it. A later end of the wait cannot fail the test',
  },
  'apps/webhook-dispatcher/src/delivery/send.test.ts': {
    duration: 'a part is compared with its whole, and a slow machine only lengthens both',
  },
  'apps/demo/test/operators-night.release.test.ts': { sleep: 'the pace of the writes' },
  'apps/webhook-dispatcher/test/cable.ts': { sleep: 'the pace of the events during an outage' },
  'apps/webhook-dispatcher/test/claims.service.test.ts': { sleep: 'a database that takes long' },
  'apps/webhook-dispatcher/test/dns-gone.release.test.ts': { sleep: 'the length of an outage' },
  'apps/webhook-dispatcher/test/slow-database.release.test.ts': { sleep: 'a database that takes long' },
  'apps/webhook-dispatcher/test/slowed-down.service.test.ts': { sleep: 'a receiver that takes long' },
  'packages/local-services/src/data-directory.service.test.ts': { name: 'the server belongs to the test' },
  'packages/local-services/src/engines.long.test.ts': { name: 'the server belongs to the test' },
  'packages/local-services/src/sources/downloaded-mongodb.release.test.ts': {
    duration: 'a start promises to give up a download within seconds',
  },
  'packages/mongodb/src/connection/connection-string.test.ts': { name: 'no server is connected' },
  'packages/mongodb/test/store.service.test.ts': { name: 'the name is tested, and nothing is stored there' },
  'packages/queue/src/rate-limiter.service.test.ts': {
    window: 'the limiter is tested, with windows of an hour',
  },
  'packages/queue/test/queue-user.ts': { window: 'the limiter is tested, with windows of ten minutes' },
  'packages/startup/src/settings.test.ts': { name: 'no server is connected' },
  'packages/signing/test/verify-page.test.ts': {
    limit: 'nothing else ends a program that is run synchronously',
  },
};

const PLACES = '{apps,packages,bench,chaos,release,scripts}/**/';
const TESTS = [
  `${PLACES}*.test.{ts,tsx}`,
  '{apps,packages}/**/test/**/*.{ts,tsx}',
  'packages/test-support/src/*.ts',
];

// biome-ignore lint/suspicious/noExplicitAny: the rules read few fields of many kinds of nodes
type Node = { type: string; start: number; [key: string]: any };
type Finding = { kind: Kind; start: number };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The child nodes of a node. */
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

/** The node and all nodes below it, each with its ancestors, the nearest first. */
function* nodesIn(node: Node, ancestors: readonly Node[] = []): Generator<[Node, readonly Node[]]> {
  yield [node, ancestors];
  for (const child of childrenOf(node)) yield* nodesIn(child, [node, ...ancestors]);
}

const hasBelow = (node: Node, matches: (node: Node) => boolean): boolean =>
  matches(node) || childrenOf(node).some((child) => hasBelow(child, matches));

/** The name of a function that is called: `f` in `f()`, `x.f()` and `x?.f()`. */
const calledName = (node: Node): string | undefined => {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const { callee } = node;
  return callee.type === 'MemberExpression' ? callee.property.name : callee.name;
};

/** The name before the dot: `expect` in `expect.poll()`. */
const ownerOf = ({ callee }: Node): string | undefined =>
  callee.type === 'MemberExpression' ? callee.object.name : undefined;

const keyOf = ({ key }: Node): string | undefined => key?.name ?? key?.value;

/** The value of a property of an object literal. */
const propertyOf = (node: Node | undefined, name: string): Node | undefined =>
  node?.type === 'ObjectExpression'
    ? node.properties.find((each: Node) => each.type === 'Property' && keyOf(each) === name)?.value
    : undefined;

/** Whether a value is known without running the code: a number, or a constant that is written in capitals. */
const isConstant = (node: Node): boolean => {
  if (node.type === 'Literal') return typeof node.value === 'number';
  if (node.type === 'Identifier') return /^[A-Z][A-Z0-9_]*$/.test(node.name);
  if (node.type === 'UnaryExpression') return isConstant(node.argument);
  return node.type === 'BinaryExpression' && isConstant(node.left) && isConstant(node.right);
};

const isFunction = (node: Node | undefined): boolean => /Function/.test(node?.type ?? '');

/** Whether the value is a string without variable parts. */
const fixedText = (node: Node | undefined): string | undefined => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0].value.cooked;
};

/** The local names of the function that a module imports from `node:timers/promises` to wait for a time. */
const promisedTimers = (program: Node): Set<string> =>
  new Set(
    program.body
      .filter((each: Node) => each.type === 'ImportDeclaration')
      .filter((each: Node) => /^(node:)?timers\/promises$/.test(each.source.value))
      .flatMap((each: Node) => each.specifiers)
      .filter(({ imported }: Node) => imported?.name === 'setTimeout')
      .map(({ local }: Node) => local.name),
  );

/** The one limit of all waits, under its name. */
const isTheLimit = (node: Node | undefined): boolean =>
  node !== undefined &&
  hasBelow(node, ({ type, name }) => type === 'Identifier' && name === 'LONGEST_WAIT_MS');

const isClockReading = (node: Node): boolean =>
  node.type === 'CallExpression' &&
  calledName(node) === 'now' &&
  ['Date', 'performance'].includes(ownerOf(node) ?? '');

const readsClock = (node: Node): boolean => hasBelow(node, isClockReading);

/** A duration that the service reports. */
const isReportedDuration = ({ type, name }: Node): boolean =>
  type === 'Identifier' && /^(duration|elapsed|took|timings|firstByte)(Ms)?$/.test(name);

/** The call of `expect` at the beginning of a chain such as `expect(x).not.toBe(y)`. */
const isExpectation = ({ type, callee }: Node): boolean => {
  let inner = type === 'CallExpression' ? callee : undefined;
  let depth = 0;
  while (inner?.type === 'MemberExpression') {
    inner = inner.object;
    depth++;
  }
  return depth > 0 && inner?.type === 'CallExpression' && calledName(inner) === 'expect';
};

const sleeps = (node: Node, timers: ReadonlySet<string>, isDriven: boolean): boolean => {
  const name = calledName(node);
  if (name === 'waitForTimeout') return true;
  if (node.type === 'Literal' && /(^|[;&|(]\s*)sleep \d/.test(String(node.value))) return true;
  if (node.type !== 'CallExpression') return false;
  if (node.callee.type === 'Identifier' && timers.has(node.callee.name)) return true;
  const [, delay] = node.arguments;
  return name === 'setTimeout' && !isDriven && delay !== undefined && delay.value !== 0;
};

const BLOCKS = ['test', 'it', 'describe', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach'];
/** The beginning of `test.each(…)(…)` or `test(…)`. */
const blockOf = (node: Node): string | undefined => {
  let callee = node.callee;
  while (callee?.type === 'MemberExpression' || callee?.type === 'CallExpression')
    callee = callee.type === 'MemberExpression' ? callee.object : callee.callee;
  return BLOCKS.includes(callee?.name) ? callee.name : undefined;
};
const PROGRAMS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'];

const hasOwnLimit = (node: Node): boolean => {
  if (node.type !== 'CallExpression') return false;
  const name = calledName(node) ?? '';
  const owner = ownerOf(node);
  const { arguments: given } = node;
  // The limit of these is 1 s, and no setting changes it for all.
  if (owner === 'vi' && /^wait(For|Until)$/.test(name)) return !isTheLimit(propertyOf(given[1], 'timeout'));
  if (owner === 'vi' && name === 'setConfig') return /Timeout$/.test(given[0]?.properties?.[0]?.key.name);
  if (owner === 'AbortSignal' && name === 'timeout') return !isTheLimit(given[0]);
  if (/^setDefault(Navigation)?Timeout$/.test(name)) return !isTheLimit(given[0]);
  const own = given.some((each: Node) => {
    const limit = propertyOf(each, 'timeout');
    return limit !== undefined && !isTheLimit(limit);
  });
  if (name === 'poll' && owner === 'expect')
    return own || (given[1] !== undefined && given[1].type !== 'ObjectExpression');
  if (/^waitFor/.test(name) || PROGRAMS.includes(name)) return own;
  if (blockOf(node) === undefined) return false;
  const last = given.at(-1);
  return own || (isFunction(given.at(-2)) && last !== undefined && !isFunction(last));
};

const comparesDuration = (node: Node, ancestors: readonly Node[], isDriven: boolean): boolean => {
  if (isDriven) return false;
  if (isExpectation(node) && /^toBe(Less|Greater)Than/.test(calledName(node) ?? ''))
    return hasBelow(node, isReportedDuration);
  if (node.type !== 'BinaryExpression') return false;
  const [reading, other] = readsClock(node.left) ? [node.left, node.right] : [node.right, node.left];
  // A time that a test makes is no duration: `new Date(Date.now() - age)`, `Math.floor(Date.now() / 1000) - age`.
  if (calledName(ancestors[0] ?? node) === 'Date') return false;
  const isMade = calledName(reading) === 'floor';
  if (node.operator === '-' && readsClock(reading) && !isConstant(other) && !isMade) return true;
  const isArgument = ancestors.some(
    (each, at) => isExpectation(each) && each.arguments.includes(ancestors[at - 1] ?? node),
  );
  return isArgument && '+-'.includes(node.operator) && readsClock(node);
};

/** Functions that start a service as a process, whose clock no test can hold. */
const PROCESSES = ['startWholeService', 'startApi', 'startProcess'];

const countsInWindow = (node: Node, ancestors: readonly Node[], startsProcess: boolean): boolean => {
  const name = calledName(node);
  if (name === 'openRateLimiter') return !ancestors.some((each) => calledName(each) === 'steadyLimiter');
  if (name === 'openAuthorizationServer') {
    const test = ancestors.find((each) => blockOf(each) !== undefined);
    const counts = test === undefined || hasBelow(test, ({ value }) => value === 429);
    return counts && !hasBelow(node, (each) => keyOf(each) === 'limitsNow');
  }
  return startsProcess && node.type === 'Literal' && node.value === 429;
};

const hasFixedName = (node: Node, ancestors: readonly Node[]): boolean => {
  const name = calledName(node);
  if (name === 'db') return fixedText(node.arguments[0]) !== undefined;
  if (name === 'withDatabase') return fixedText(node.arguments[1]) !== undefined;
  if (name === 'tmpdir') return !ancestors.some((each) => /^mkdtemp/.test(calledName(each) ?? ''));
  if (name === 'listen') {
    const port = propertyOf(node.arguments[0], 'port') ?? node.arguments[0];
    return port?.type === 'Literal' && typeof port.value === 'number' && port.value !== 0;
  }
  if (node.type === 'Property') {
    const key = keyOf(node) ?? '';
    const value = fixedText(node.value);
    const isOpened = ancestors.some((each) => /^(open|start)[A-Z]/.test(calledName(each) ?? ''));
    if (/^(REDIS_PREFIX|redisPrefix)$/.test(key)) return value !== undefined;
    if (isOpened && key === 'prefix') return value !== undefined;
    return isOpened && /(^|_)PORT$/.test(key) && value !== undefined && value !== '0';
  }
  return /^\/tmp\//.test(fixedText(node) ?? '');
};

/** All that makes the tests of a file depend on its surroundings. */
const findingsIn = (file: string, text: string): Finding[] => {
  const program = parseSync(file, text).program as unknown as Node;
  const timers = promisedTimers(program);
  const all = [...nodesIn(program)];
  const calls = new Set(all.map(([node]) => calledName(node)));
  const startsProcess = PROCESSES.some((name) => calls.has(name));
  // Where a test drives the timers, its durations are those that it chose. A hook or a helper drives them for all tests.
  const testOf = (nodes: readonly Node[]) => nodes.find((each) => /^(test|it)$/.test(blockOf(each) ?? ''));
  const driving = all
    .filter(([node]) => calledName(node) === 'useFakeTimers')
    .map(([, ancestors]) => testOf(ancestors));
  return all.flatMap(([node, ancestors]) => {
    const isDriven = driving.some((each) => each === undefined || each === testOf([node, ...ancestors]));
    const kinds: Kind[] = [];
    if (sleeps(node, timers, isDriven)) kinds.push('sleep');
    if (hasOwnLimit(node)) kinds.push('limit');
    if (comparesDuration(node, ancestors, isDriven)) kinds.push('duration');
    if (countsInWindow(node, ancestors, startsProcess)) kinds.push('window');
    if (hasFixedName(node, ancestors)) kinds.push('name');
    return kinds.map((kind) => ({ kind, start: node.start }));
  });
};

/** What makes the tests of a repository depend on their surroundings, one line each, and the number of their files. */
export const checkTests = (
  root: string,
  allowed: Allowed = ALLOWED,
): { problems: string[]; files: number } => {
  const found = globSync(TESTS, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] });
  const files = [...new Set(found)].sort();
  const used = new Set<string>();
  const problems = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return findingsIn(file, text).flatMap(({ kind, start }) => {
      if (allowed[file]?.[kind] !== undefined) {
        used.add(`${file} ${kind}`);
        return [];
      }
      const line = text.slice(0, start).split('\n').length;
      return [`${file}:${line} ${REMEDIES[kind]}`];
    });
  });
  const stale = Object.entries(allowed)
    .flatMap(([file, kinds]) => Object.keys(kinds).map((kind) => ({ file, kind })))
    .filter(({ file, kind }) => !used.has(`${file} ${kind}`))
    .map(({ file, kind }) => `${file} has no "${kind}" any more: remove it from ALLOWED`);
  return { problems: [...new Set([...problems, ...stale])], files: files.length };
};

if (import.meta.main) {
  const { problems, files } = checkTests(join(import.meta.dirname, '..'));
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  console.log(`tests: ${files} files depend neither on time nor on names of others`);
}
