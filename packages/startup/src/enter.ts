import { nodeVersionProblem } from './node-version.ts';
import { VERSION } from './version.ts';

/**
 * Starts a service, or prints its version if the only argument is `--version`. The version of Node.js is checked before
 * the program is loaded: it imports functions that an older Node.js does not have, so the import would fail.
 */
export const enter = async (load: () => Promise<unknown>): Promise<void> => {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = 1;
  } else if (process.argv.length === 3 && process.argv[2] === '--version') console.log(VERSION);
  else await load();
};
