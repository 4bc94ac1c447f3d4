/**
 * Runs the commands of a fresh clone. It needs only Node 20 and npm: pnpm, Node 24 and all dependencies come from npm,
 * in the versions of package.json and the lockfile.
 *
 * Usage: node scripts/bootstrap.mjs
 * start|test|test:unit|test:long|test:watch|check|fix|check:images|check:manifests|check:release|check:upgrade|check:replica-set|chaos|picture|screens|packages|release|reset|admin|cli [arguments
 * of the command]
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const node = join(root, 'node_modules', '.bin', 'node');
const [command = '', ...rest] = process.argv.slice(2);

/** The running command. */
let child;
/** Whether the command has a process group of its own, which no signal of the terminal reaches. */
let hasGroup = false;
let interrupted = false;

/** Forwards a signal to the running command. This process then waits until the command has ended. */
const interrupt = (signal) => {
  interrupted = true;
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (hasGroup) process.kill(-child.pid, signal);
  else child.kill(signal);
};
process.on('SIGINT', () => {
  // Ctrl-C reaches the command by itself, and a test run ends at once if it gets the signal twice. `kill -INT` reaches
  // this process only.
  if (hasGroup || child?.connected) interrupt('SIGINT');
  else interrupted = true;
});
process.on('SIGTERM', interrupt);
process.on('SIGHUP', interrupt);

const PARENT_INTERVAL_MS = 500;
const parent = process.ppid;
// npm forwards neither SIGHUP nor SIGKILL. When npm is gone, the command ends too.
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => {
    if (!interrupted && process.ppid !== parent) interrupt('SIGTERM');
  }, PARENT_INTERVAL_MS).unref();
}

/** Prints the progress lines of a quiet command. */
const showProgress = (data) => {
  for (const line of String(data).split('\n')) {
    const [progress] = line.match(/Progress: .*?added \d+/) ?? [];
    if (progress !== undefined) out.write(`  · ${progress}\n`);
  }
};

/** Disables the telemetry and the update notices of tools. */
const silence = {
  TURBO_TELEMETRY_DISABLED: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_NOTIFICATIONS: 'true',
};

/**
 * Runs a command.
 *
 * @param options.quiet collects the output. The command gets a process group, so that signals reach all its processes
 * @param options.linked gives the command an IPC channel, whose end tells it that this process was killed
 */
const run = (file, args, { quiet = false, linked = false, cwd = root } = {}) =>
  new Promise((resolve, reject) => {
    hasGroup = quiet && process.platform !== 'win32';
    const inherited = linked ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit';
    child = spawn(file, args, {
      cwd,
      detached: hasGroup,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : inherited,
      env: { ...process.env, ...silence },
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout?.on('data', (data) => {
      output += data;
      showProgress(data);
    });
    child.stderr?.on('data', (data) => {
      output += data;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: interrupted ? 130 : (code ?? 1), output }));
  });

const pnpm = (args, options) => run('npm', ['exec', '--yes', '--', packageManager, ...args], options);

/** Steps are reported on stderr if stdout is the output of the command itself. */
const out = ['admin', 'cli'].includes(command) ? process.stderr : process.stdout;

/**
 * Runs a step. Prints a line when the step begins, and a line with its result and its duration when it has ended.
 * Prints the output of the step only if it failed.
 */
const step = async (name, hint, work) => {
  const startedAt = performance.now();
  out.write(`… ${name}\n`);
  const { code, output } = await work();
  const time = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  out.write(`${code === 0 ? '✓' : '✗'} ${name} (${time})\n`);
  if (code === 0) return;
  if (!interrupted) console.error(`${output}\n${hint}`);
  process.exit(code);
};

const install = () =>
  step(
    'pnpm, Node 24 and the dependencies, from npm',
    'The dependencies could not be installed, see above. Usually the network or the npm registry is unreachable (check with npm ping), or the disk is full. Fix the cause, then run the command again.',
    () =>
      pnpm(['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'], { quiet: true }),
  );

const build = () =>
  step(
    'build',
    'The build failed, see above. If you have not changed the clone, this is a bug: please report it with these lines.',
    () => pnpm(['run', 'build'], { quiet: true }),
  );

const DEMO_HELP = `npm start              start everything, create a patient, show the verified webhook, run until Ctrl-C
npm start -- --check   the same, then stop: exit code 0 if the webhook was verified, otherwise 1
npm run reset          delete the demo's data after a confirmation; -- --yes skips the confirmation
npm start -- --help    show this help

Ports: set them with API_PORT (or PORT), HEALTH_PORT, RECEIVER_PORT, METRICS_PORT, DASHBOARD_PORT, DASHBOARD_METRICS_PORT,
INTROSPECTION_PORT, MCP_PORT and MCP_METRICS_PORT. The start fails if such a port is taken. Otherwise each part uses the port of the
last start, or 3000 to 3008, or, if that is taken, a free port from 3010 on. The addresses are printed and stored in .data/demo.json.

The data is stored in .data/. If MONGODB_URL or REDIS_URL is set, it is used instead of a local engine.`;

const TEST_HELP = `npm test                  the tests of units and services
npm test -- NAME...       all test files whose path contains NAME, for example lanes or apps/api/test
npm test -- -t PATTERN    the tests whose name matches the regular expression
npm run test:unit         the tests that need no MongoDB, no Redis and no browser
npm run test:long         the long tests: each page in a browser, imports, encryption
npm run test:watch        those of test:unit, again after each change; -- --project service watches the other tests

test:unit, test:long and test:watch accept the arguments of npm test. MongoDB and Redis start only if a selected file needs them.
Other options are those of vitest: https://vitest.dev/guide/cli`;

/**
 * Runs vitest itself and not a script of package.json: npm and pnpm would not forward every signal.
 *
 * @param args the arguments before those of the caller
 */
const runTests = async (...args) => {
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(TEST_HELP);
    return { code: 0 };
  }
  await install();
  return run(node, [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...rest]);
};

/** The options of tests that have a value of their own. */
const WITH_VALUE = ['-t', '--testNamePattern', '--bail', '--maxWorkers', '--project', '--reporter'];

/** Whether the caller names files or projects. They may be long ones. */
const namesTests = () =>
  rest.some((each, index) =>
    each.startsWith('-') ? each.startsWith('--project') : !WITH_VALUE.includes(rest[index - 1] ?? ''),
  );

/** Checks arguments before anything is installed or built, so that --help and mistakes are reported immediately. */
const readArguments = (help, options) => {
  try {
    const { values } = parseArgs({
      args: rest,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    });
    if (!values.help) return;
    console.log(help);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
};

const admin = join(root, 'apps/admin/dist/main.js');
const cli = join(root, 'apps/cli/dist/entry.js');

const demo = (args) => run(node, [join(root, 'apps/demo/dist/main.js'), ...args], { linked: true });

const asksForHelp = () =>
  rest.length === 0 || rest.some((argument) => ['--help', '-h', 'help'].includes(argument));

/**
 * Runs a command line of this repository.
 *
 * @param isBuilt whether the program of the last build is sufficient. Installing and building take some seconds.
 */
const commandLine = async (program, isBuilt) => {
  if (!isBuilt || !existsSync(program)) {
    await install();
    await build();
  }
  // File names are relative to the folder of the caller.
  return run(node, [program, ...rest], { cwd: process.env.INIT_CWD ?? root });
};

const commands = {
  async start() {
    readArguments(DEMO_HELP, { check: { type: 'boolean' } });
    await install();
    await build();
    return demo(rest);
  },
  test: () => runTests('run', ...(namesTests() ? [] : ['--project=unit', '--project=service'])),
  'test:long': () => runTests('run', '--project=long'),
  'test:unit': () => runTests('run', '--project=unit'),
  'test:watch': () =>
    runTests('watch', ...(rest.some((each) => each.startsWith('--project')) ? [] : ['--project=unit'])),
  async check() {
    await install();
    return pnpm(['run', 'check:run', ...rest]);
  },
  async fix() {
    await install();
    return pnpm(['run', 'fix:run', ...rest]);
  },
  async 'check:release'() {
    await install();
    return pnpm(['exec', 'node', '--conditions=@chairside/source', 'release/check-release.ts', ...rest]);
  },
  'check:replica-set': () => runTests('run', '--config', 'vitest.replica-set.config.ts'),
  async chaos() {
    await install();
    return run(node, ['--conditions=@chairside/source', join(root, 'chaos/main.ts'), ...rest]);
  },
  async 'check:images'() {
    await install();
    return run(node, ['--conditions=@chairside/source', join(root, 'release/check-images.ts'), ...rest]);
  },
  async 'check:manifests'() {
    await install();
    return run(node, ['--conditions=@chairside/source', join(root, 'release/check-manifests.ts'), ...rest]);
  },
  async 'check:upgrade'() {
    await install();
    await build();
    return run(node, ['--conditions=@chairside/source', join(root, 'release/check-upgrade.ts'), ...rest]);
  },
  async release() {
    await install();
    await build();
    return run(node, ['--conditions=@chairside/source', join(root, 'release/publish.ts'), ...rest]);
  },
  async packages() {
    readArguments('npm run packages   makes the npm packages in .data/packages, to install them elsewhere\n');
    await install();
    await build();
    return run(node, ['--conditions=@chairside/source', join(root, 'release/publish.ts'), '--packages']);
  },
  async picture() {
    await install();
    return run(node, ['--conditions=@chairside/source', join(root, 'apps/dashboard/web/scripts/picture.ts')]);
  },
  async screens() {
    await install();
    return run(node, [
      '--conditions=@chairside/source',
      join(root, 'apps/dashboard/web/scripts/screens.ts'),
      ...rest,
    ]);
  },
  async reset() {
    readArguments(DEMO_HELP, { yes: { type: 'boolean' } });
    await install();
    await build();
    return demo(['reset', ...rest]);
  },
  admin: () => commandLine(admin, asksForHelp()),
  // `npm start` and `npm run build` build the program.
  cli: () => commandLine(cli, true),
};

if (!Object.hasOwn(commands, command)) {
  console.error(`Unknown command. Use one of these commands: ${Object.keys(commands).join(', ')}.`);
  process.exit(2);
}
const { code } = await commands[command]();
process.exit(code);
