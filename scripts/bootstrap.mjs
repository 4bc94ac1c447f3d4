/**
 * The way from a bare clone to a running command. It needs Node 20 and npm, nothing else: pnpm, Node 24 and all
 * dependencies come from npm, at the versions that the lockfile names.
 *
 * Usage: node scripts/bootstrap.mjs start|test|check|fix|check:release|check:replica-set|chaos|reset|admin [arguments of the command]
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

/** What runs now. Ctrl-C reaches it by itself, SIGTERM is passed on; its end is awaited in both cases. */
let child;
let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
});
process.on('SIGTERM', () => {
  interrupted = true;
  child?.kill('SIGTERM');
});

/** Passes on the lines of a quiet command that show how far it is. */
const showProgress = (data) => {
  for (const line of String(data).split('\n')) {
    const [progress] = line.match(/Progress: .*?added \d+/) ?? [];
    if (progress !== undefined) out.write(`  · ${progress}\n`);
  }
};

/** No tool tells its maker that it ran, or asks him for news. */
const silence = {
  TURBO_TELEMETRY_DISABLED: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_NOTIFICATIONS: 'true',
};

const run = (file, args, { quiet = false, cwd = root } = {}) =>
  new Promise((resolve, reject) => {
    child = spawn(file, args, {
      cwd,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
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

/** Steps are told on stderr where stdout is for what the command itself has to say. */
const out = command === 'admin' ? process.stderr : process.stdout;

/** Runs a step with one line that tells what it is, how it ended and how long it took; its output only if it failed. */
const step = async (name, cure, work) => {
  const begun = performance.now();
  out.write(`… ${name}\n`);
  const { code, output } = await work();
  const time = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  out.write(`${code === 0 ? '✓' : '✗'} ${name} (${time})\n`);
  if (code === 0) return;
  if (!interrupted) console.error(`${output}\n${cure}`);
  process.exit(code);
};

const install = () =>
  step(
    'pnpm, Node 24 and the dependencies, from npm',
    'The dependencies could not be installed. See above; most often the network or the registry that npm is set to is out of reach (npm ping), or the disk is full. Then run the command again.',
    () =>
      pnpm(['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'], { quiet: true }),
  );

const build = () =>
  step(
    'build',
    'The build failed, see above. On an unchanged clone that is our fault: please report it with these lines.',
    () => pnpm(['run', 'build'], { quiet: true }),
  );

const DEMO_HELP = `npm start              start everything, create a patient, show the verified webhook, run until Ctrl-C
npm start -- --check   the same, but stop then: exit code 0 if the webhook was verified, else 1
npm run reset          delete the demo's data, after a question; -- --yes does not ask
npm start -- --help    this text

Ports: API_PORT (or PORT), HEALTH_PORT, RECEIVER_PORT and METRICS_PORT set them; a port that is taken is an error then.
Otherwise each part takes the port of the last start, or 3000, 3001, 3002 and 3003, or, if that is taken, a free port from
3010 on. The addresses are printed, and are in .data/demo.json.

The data is kept in .data/. MONGODB_URL and REDIS_URL, if set, are used instead of local engines.`;

const TEST_HELP = `npm test                  all tests
npm test -- NAME...       the tests of the files whose path contains NAME, for example lanes or apps/api/test
npm test -- -t PATTERN    the tests whose name matches the regular expression

Other options are those of vitest: https://vitest.dev/guide/cli`;

/** Checks arguments before anything is installed or built: --help and a mistake get their answer at once. */
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

const demo = (args) => run(node, [join(root, 'apps/demo/dist/main.js'), ...args]);

const commands = {
  async start() {
    readArguments(DEMO_HELP, { check: { type: 'boolean' } });
    await install();
    await build();
    return demo(rest);
  },
  async test() {
    if (rest.includes('--help') || rest.includes('-h')) {
      console.log(TEST_HELP);
      return { code: 0 };
    }
    await install();
    return pnpm(['run', 'test:run', ...rest]);
  },
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
    return pnpm(['run', 'check:release:run', ...rest]);
  },
  async 'check:replica-set'() {
    await install();
    return pnpm(['run', 'check:replica-set:run', ...rest]);
  },
  async chaos() {
    await install();
    return run(node, ['--conditions=@chairside/source', join(root, 'chaos/main.ts'), ...rest]);
  },
  async reset() {
    readArguments(DEMO_HELP, { yes: { type: 'boolean' } });
    await install();
    await build();
    return demo(['reset', ...rest]);
  },
  async admin() {
    const asksForHelp =
      rest.length === 0 || rest.some((argument) => ['--help', '-h', 'help'].includes(argument));
    if (!asksForHelp || !existsSync(admin)) {
      await install();
      await build();
    }
    // File names are relative to the folder that the operator is in.
    return run(node, [admin, ...rest], { cwd: process.env.INIT_CWD ?? root });
  },
};

if (!Object.hasOwn(commands, command)) {
  console.error(`Say which command: ${Object.keys(commands).join(', ')}.`);
  process.exit(2);
}
const { code } = await commands[command]();
process.exit(code);
