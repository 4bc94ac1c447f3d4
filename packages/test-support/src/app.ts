import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Returns the arguments with which Node.js runs an app from source. */
export const nodeArgumentsOf = (app: string): string[] => [
  '--conditions=@chairside/source',
  `${root}apps/${app}/src/entry.ts`,
];

/**
 * The compile cache of Node.js. It halves the CPU time of a start from source, and tests start hundreds of processes.
 */
const NODE_COMPILE_CACHE = `${root}node_modules/.cache/node-compile`;

/**
 * Returns the variables that shift the clock of a process, as if its machine had a wrong clock.
 *
 * @param skewMs how far it is ahead, in milliseconds
 */
export const skewedBy = (skewMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${root}packages/test-support/src/skewed-clock.mjs`,
  CLOCK_SKEW_MS: String(skewMs),
});

/**
 * Returns the options with which `spawn` starts an app or a server of the benchmarks: in the folder of the repository,
 * with PATH, the compile cache and the given variables as its only environment.
 */
export const spawnOptions = (environment: Readonly<Record<string, string>>) => ({
  cwd: root,
  env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, ...environment },
});
