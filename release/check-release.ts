/**
 * Runs the long tests before a release, part by part: `npm run check:release`. Each part has a line with its time. A part that
 * has passed is not repeated while the sources are the same, so an interrupted or failed run continues where it ended.
 *
 * Usage: npm run check:release [-- --again] [-- --only <text in the name of a part>]
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { killAtExit } from '@chairside/processes';
import { findBuilder, NO_BUILDER, root } from './builder.ts';

/** The passed parts and their times, of the sources that they were run on. */
type Passed = { sources: string; seconds: Record<string, number> };
const FILE = join(root, '.data/check-release.json');

const { values } = parseArgs({ options: { again: { type: 'boolean' }, only: { type: 'string' } } });

const git = (...given: string[]): string =>
  execFileSync('git', given, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
/** Names the commit together with the changes that are not committed. */
const sourcesNow = (): string =>
  createHash('sha256')
    .update([git('rev-parse', 'HEAD'), git('diff', 'HEAD'), git('status', '--porcelain')].join('\n'))
    .digest('hex');

const passedBefore = (sources: string): Passed => {
  const found: Passed | undefined = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined;
  return values.again || found?.sources !== sources ? { sources, seconds: {} } : found;
};

const script = (name: string): string[] => ['--conditions=@chairside/source', `release/${name}.ts`];
const vitest = (folder: string): string[] => [
  'node_modules/vitest/vitest.mjs',
  ...['run', '--config', 'vitest.release.config.ts', folder],
];
/** The packages with tests of a release, such as `apps/api`. */
const tested = [
  ...new Set(
    globSync('{packages,apps,chaos}/**/*.release.test.ts', { cwd: root, exclude: ['**/node_modules'] })
      .map((file) => (file.startsWith('chaos/') ? 'chaos/' : `${file.split('/').slice(0, 2).join('/')}/`))
      .concat('packages/schedule/'),
  ),
].sort();

/** The parts by name: the program and its arguments. `node` is the Node.js of the project. */
const parts: Readonly<Record<string, readonly [file: string, ...given: string[]]>> = {
  'packages as packed': [
    'pnpm',
    ...['--filter', '@chairside/signing', '--filter', '@chairside/client', 'run', 'check:release'],
  ],
  'long tests': [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--project=long'],
  ...Object.fromEntries(
    tested.map((folder) => [
      `tests of ${folder.slice(0, -1)}`,
      [process.execPath, ...vitest(folder)] as const,
    ]),
  ),
  'model of the capacity': [
    'pnpm',
    ...['--filter', '@chairside/bench', 'capacity', '--listSize', '1000', '--simulate'],
  ],
  manifests: [process.execPath, ...script('check-manifests')],
  images: [process.execPath, ...script('check-images')],
  upgrade: [process.execPath, ...script('check-upgrade')],
};

/** The programs that a part needs, with their Debian packages. */
const programs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tests of packages/signing': {
    go: 'golang-go',
    javac: 'default-jdk-headless',
    mcs: 'mono-mcs',
    mono: 'mono-runtime',
    php: 'php-cli',
    puma: 'puma',
    python3: 'python3',
    ruby: 'ruby',
  },
  'tests of packages/webhook-request': {
    cargo: 'cargo',
    go: 'golang-go',
    javac: 'default-jdk-headless',
    mvn: 'maven',
    python3: 'python3-venv',
  },
};
const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Sentences about the programs that these parts lack. */
const missingFor = async (names: readonly string[]): Promise<string[]> => {
  const packages = names
    .flatMap((name) => Object.entries(programs[name] ?? {}))
    .flatMap(([program, debian]) => (isOnPath(program) ? [] : [debian]));
  const hasBuilder = !names.includes('images') || (await findBuilder()) !== undefined;
  return [
    ...(packages.length > 0
      ? [`Programs are missing: apt-get install ${[...new Set(packages)].join(' ')}`]
      : []),
    ...(hasBuilder ? [] : [NO_BUILDER]),
  ];
};

const run = ([file, ...given]: readonly [string, ...string[]]): Promise<boolean> => {
  const child = killAtExit(spawn(file, given, { cwd: root, stdio: 'inherit' }));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code === 0));
  });
};

const sources = sourcesNow();
const passed = passedBefore(sources);
const wanted = Object.entries(parts).filter(
  ([name]) => values.only === undefined || name.includes(values.only),
);
if (wanted.length === 0) {
  console.error(`No part has this name. The parts are: ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
const due = wanted.map(([name]) => name).filter((name) => passed.seconds[name] === undefined);
const missing = await missingFor(due);
if (missing.length > 0) {
  // It is said now, and not when the part fails, after an hour.
  console.error(missing.join('\n'));
  process.exit(2);
}
const failed: string[] = [];
for (const [name, command] of wanted) {
  const before = passed.seconds[name];
  if (before !== undefined) continue;
  console.log(`\n… ${name}`);
  const startedAt = performance.now();
  const isPassed = await run(command);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${isPassed ? '✓' : '✗'} ${name} (${seconds} s)`);
  if (!isPassed) failed.push(name);
  // A part that was run on changed sources says nothing about these sources.
  else if (sourcesNow() === sources) {
    passed.seconds[name] = seconds;
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, JSON.stringify(passed));
  }
}

console.log();
for (const [name] of wanted) {
  const seconds = passed.seconds[name];
  console.log(
    `${failed.includes(name) ? '✗' : '✓'} ${seconds === undefined ? '     –' : `${seconds} s`.padStart(6)}  ${name}`,
  );
}
if (failed.length > 0) {
  console.error(
    `\nFailed: ${failed.join(', ')}. The same command runs these parts again, and no part that has passed.`,
  );
  process.exit(1);
}
