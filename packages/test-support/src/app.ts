import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Returns the arguments with which Node.js runs an app from source. */
export const nodeArgumentsOf = (app: string): string[] => [
  '--conditions=@chairside/source',
  `${root}apps/${app}/src/entry.ts`,
];

/**
 * Returns the options with which `spawn` starts an app or a server of the benchmarks: in the folder of the repository,
 * with PATH and the given variables as its only environment.
 */
export const spawnOptions = (environment: Readonly<Record<string, string>>) => ({
  cwd: root,
  env: { PATH: process.env.PATH, ...environment },
});
