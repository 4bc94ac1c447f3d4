import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Ended, endedWith, environmentOf, type Started, startCli } from './command-line.ts';
import type { TestStore } from './test-store.ts';

/** Runs the command that the arguments name, and sets the exit code of the process. */
export type Run = (args: readonly string[]) => Promise<void>;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Replaces the standard streams of this process. Returns a function that restores them. */
const replaceStreams = (streams: Partial<Record<'stdin' | 'stdout' | 'stderr', object>>): (() => void) => {
  const before = Object.keys(streams).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor] as const,
  );
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  return () => {
    for (const [name, descriptor] of before) Object.defineProperty(process, name, descriptor);
  };
};

/** Replaces the environment of this process. Returns a function that restores it. */
const replaceEnvironment = (environment: Readonly<Record<string, string>>): (() => void) => {
  const before = { ...process.env };
  const set = (values: NodeJS.ProcessEnv) => {
    // Modules may have kept the object, so it stays the same.
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, values);
  };
  set({ PATH: before.PATH, ...environment });
  return () => set(before);
};

/** Removes the listeners of signals that are added from now on, when the returned function is called. */
const keepListeners = (): (() => void) => {
  const before = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  return () => {
    for (const [signal, listeners] of before)
      for (const each of process.listeners(signal)) if (!listeners.includes(each)) process.off(signal, each);
  };
};

/** Whether a command runs in this process. Only one can, because it has the streams and the environment. */
let isRunning = false;

const runHere = async (
  run: Run,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  stdin: string | Buffer = '',
): Promise<Ended> => {
  isRunning = true;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(stdout), text(stderr)]);
  const { exitCode } = process;
  const restore = [
    replaceStreams({ stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]), stdout, stderr }),
    replaceEnvironment(environment),
    keepListeners(),
  ];
  process.exitCode = undefined;
  let code: number;
  try {
    await run(args);
  } finally {
    code = Number(process.exitCode ?? 0);
    process.exitCode = exitCode;
    for (const each of restore) each();
    isRunning = false;
    stdout.end();
    stderr.end();
  }
  const [out, err] = await written;
  return endedWith(code, out, err);
};

/**
 * Runs a command in this process, with its own environment, arguments and standard streams. A start as a process would
 * cost half a second of CPU time. A test that concerns the process (its end, its signals) starts one. While a command
 * runs in this process, another one is started as a process.
 *
 * @param start starts the same command as a process
 */
export const runCommand = (
  run: Run,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  start: (stdin?: string | Buffer) => Started,
  stdin?: string | Buffer,
): Promise<Ended> => (isRunning ? start(stdin).ended : runHere(run, environment, args, stdin));

/**
 * Returns functions that run and start the command line of apps/admin on this store, with output in JSON.
 *
 * @param here runs a command in this process; by default, `run` starts a process
 */
export const cliOf = (store: Pick<TestStore, 'url' | 'encryptionKeys'>, here?: Run) => {
  const environment = environmentOf(store);
  const startJson = (args: readonly string[], stdin?: string | Buffer): Started =>
    startCli(environment, [...args, '--json'], stdin);
  return {
    run: (args: readonly string[], stdin?: string | Buffer): Promise<Ended> =>
      here === undefined
        ? startJson(args, stdin).ended
        : runCommand(here, environment, [...args, '--json'], (given) => startJson(args, given), stdin),
    start: (args: readonly string[]): Started => startJson(args),
  };
};
